// SPDX-License-Identifier: Apache-2.0
// Attributes in IR text: constants, words, lists, layouts; arguments of calls.
#include <limits>

#include "core/ir_text/reader.h"
#include "core/layout/layout.h"
#include "core/support/text.h"

namespace tilelab {

using syntax::Int;
using syntax::Op;

// ---- constants

namespace {

constexpr Int int_limit = Int(1) << 100;

std::optional<Int> power(Int base, Int exponent) {
  if (exponent < 0 || exponent > 100) return std::nullopt;
  Int out = 1;
  for (Int i = 0; i < exponent; ++i) {
    out *= base;
    if (out > int_limit || out < -int_limit) return std::nullopt;
  }
  return out;
}

Int floor_quotient(Int a, Int b) {
  Int q = a / b;
  return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

std::optional<Int> apply(Op op, Int a, Int b) {
  constexpr Int factor_limit = Int(1) << 62;
  switch (op) {
    case Op::add: return a + b;
    case Op::sub: return a - b;
    case Op::mul:
      if (a > factor_limit || a < -factor_limit || b > factor_limit || b < -factor_limit)
        return std::nullopt;
      return a * b;
    case Op::floordiv: return b ? std::optional(floor_quotient(a, b)) : std::nullopt;
    case Op::mod: return b ? std::optional(a - floor_quotient(a, b) * b) : std::nullopt;
    case Op::pow: return power(a, b);
    case Op::shl:
      if (b < 0 || b > 60 || a > factor_limit || a < -factor_limit) return std::nullopt;
      return a * (Int(1) << b);
    default: return std::nullopt;
  }
}

}  // namespace

/// The value of an expression of literals and `const` names; `named`: whether it contains a name.
std::optional<Int> IrReader::constant_value(const Tree& tree, bool* named) const {
  switch (tree->kind) {
    case syntax::Kind::integer:
      if (tree->integer > int_limit) return std::nullopt;
      return tree->integer;
    case syntax::Kind::name: {
      auto it = consts_.find(tree->name);
      if (it == consts_.end()) return std::nullopt;
      if (named) *named = true;
      return it->second;
    }
    case syntax::Kind::unary: {
      auto a = constant_value(tree->parts[0], named);
      if (!a || tree->op != Op::neg) return std::nullopt;
      return -*a;
    }
    case syntax::Kind::binary: {
      auto a = constant_value(tree->parts[0], named);
      auto b = a ? constant_value(tree->parts[1], named) : std::nullopt;
      auto out = b ? apply(tree->op, *a, *b) : std::nullopt;
      return out && (*out > int_limit || *out < -int_limit) ? std::nullopt : out;
    }
    default: return std::nullopt;
  }
}

int64_t IrReader::integer(const Tree& tree) {
  auto value = constant_value(tree);
  if (!value || *value > std::numeric_limits<int64_t>::max() ||
      *value < std::numeric_limits<int64_t>::min())
    stop(Diag::ir_constant, tree->span, "a constant integer");
  return static_cast<int64_t>(*value);
}

int64_t IrReader::positive(const Tree& tree) {
  int64_t value = integer(tree);
  if (value < 1 || value > (int64_t{1} << 40))
    stop(Diag::ir_constant, tree->span, "a positive integer");
  return value;
}

bool IrReader::truth(const Tree& tree) {
  if (tree->kind != syntax::Kind::boolean) stop(Diag::ir_constant, tree->span, "True or False");
  return tree->integer != 0;
}

std::string IrReader::text(const Tree& tree) {
  if (tree->kind != syntax::Kind::string) stop(Diag::ir_constant, tree->span, "a string");
  return tree->text;
}

/// A bare name; quotes are allowed.
Symbol IrReader::symbol(const Tree& tree) {
  if (tree->kind == syntax::Kind::string) return tree->text;
  if (tree->kind != syntax::Kind::name) stop(Diag::ir_constant, tree->span, "a name");
  return tree->name;
}

std::optional<DType> ir_dtype(std::string_view name) {
  const auto found = dtype_from_name(name);
  return found && is_four_bit_integer(*found) ? std::nullopt : found;
}

DType IrReader::dtype(const Tree& tree) {
  std::string name = tree->kind == syntax::Kind::string ? tree->text : callee(tree);
  auto found = ir_dtype(name);
  if (!found) stop(Diag::ir_constant, tree->span, "a dtype, such as f32");
  return *found;
}

/// "f32" or "f32x4".
Type IrReader::type(const Tree& tree) {
  std::string name = tree->kind == syntax::Kind::string ? tree->text : callee(tree);
  if (auto scalar = ir_dtype(name)) return {*scalar};
  size_t x = name.rfind('x');
  if (x != name.npos && x + 1 < name.size() && name.size() - x <= 6 &&
      name.find_first_not_of("0123456789", x + 1) == name.npos) {
    auto element = ir_dtype(name.substr(0, x));
    int lanes = std::stoi(name.substr(x + 1));
    if (element && lanes > 0) return {*element, lanes};
  }
  stop(Diag::ir_constant, tree->span, "a type, such as f32 or f32x4");
}

// ---- lists

const syntax::Trees& IrReader::items(const Tree& tree, const char* what) {
  if (tree->kind != syntax::Kind::list && tree->kind != syntax::Kind::tuple)
    stop(Diag::ir_constant, tree->span, what);
  return tree->list;
}

std::vector<int64_t> IrReader::integers(const Tree& tree) {
  std::vector<int64_t> out;
  for (const Tree& item : items(tree, "a list of integers")) out.push_back(integer(item));
  return out;
}

std::vector<Symbol> IrReader::symbols(const Tree& tree) {
  std::vector<Symbol> out;
  for (const Tree& item : items(tree, "a list of names"))
    out.push_back(item->kind == syntax::Kind::none ? Symbol() : symbol(item));
  return out;
}

std::vector<std::string> IrReader::texts(const Tree& tree) {
  std::vector<std::string> out;
  for (const Tree& item : items(tree, "a list of strings")) out.push_back(text(item));
  return out;
}

std::vector<Expr> IrReader::exprs(const Tree& tree) {
  std::vector<Expr> out;
  for (const Tree& item : items(tree, "a list")) out.push_back(value(item));
  return out;
}

// ---- layouts

Digits IrReader::digits(const Tree& tree) {
  constexpr const char* what = "digits: a list of t(n, stride), r(n, stride) or a(n, stride)";
  Digits out;
  for (const Tree& item : items(tree, what)) {
    std::string kind = item->kind == syntax::Kind::call ? callee(item->parts[0]) : "";
    bool known = kind == "t" || kind == "r" || kind == "a";
    if (!known || item->list.size() != 2) stop(Diag::ir_constant, item->span, what);
    out.push_back({kind[0], positive(item->list[0]), integer(item->list[1])});
  }
  return out;
}

std::vector<Digits> IrReader::dimensions(const Tree& tree) {
  std::vector<Digits> out;
  for (const Tree& item : items(tree, "a list of digits for each dimension"))
    out.push_back(digits(item));
  return out;
}

/// `[[...], ...]` or `frag([shape], [[...], ...], rep=, base=)`.
Layout IrReader::layout(const Tree& tree) {
  Layout out;
  if (tree->kind != syntax::Kind::call) {
    out.dims = dimensions(tree);
    for (const Digits& dim : out.dims) out.shape.push_back(capacity(dim));
    return out;
  }
  std::string name = callee(tree->parts[0]);
  if (name != "frag" && name != "addr") stop(Diag::ir_unknown_call, tree->span, name);
  Arguments args(*this, tree);
  out.shape = integers(args.need("shape"));
  out.dims = dimensions(args.need("digits"));
  if (Tree rep = args.named("rep")) out.rep = digits(rep);
  args.get("base", out.base);
  args.finish();
  return out;
}

Swizzle IrReader::swizzle(const Tree& tree) {
  std::vector<int64_t> parts = integers(tree);
  bool good = parts.size() == 3;
  for (int64_t part : parts) good = good && part >= 0 && part <= (1 << 20);
  if (!good) stop(Diag::ir_constant, tree->span, "a swizzle: (granule, line, mask)");
  return {static_cast<int32_t>(parts[0]), static_cast<int32_t>(parts[1]),
          static_cast<int32_t>(parts[2])};
}

/// `lambda i, j: [address]`, or `[thread, register]`.
ElementMap IrReader::element_map(const Tree& tree, const std::vector<Expr>& shape) {
  if (tree->kind != syntax::Kind::lambda)
    stop(Diag::ir_constant, tree->span, "lambda i, j: [the location of element i, j]");
  ElementMap out;
  scopes_.emplace_back();
  for (const Tree& parameter : tree->list) {
    out.names.emplace_back(parameter->name);
    declare_value(parameter->name, {DType::i32}, parameter->span);
  }
  out.places = exprs(tree->parts[0]);
  scopes_.pop_back();
  Index extents;
  for (const Expr& e : shape) extents.push_back(int_value(e).value_or(0));
  const std::string wrong = finalize(out, extents);
  if (!wrong.empty()) stop(Diag::ir_constant, tree->span, "a map: this one " + wrong);
  return out;
}

Attr IrReader::attribute(Symbol name, const Tree& value) {
  switch (value->kind) {
    case syntax::Kind::boolean: return attr(name, value->integer != 0);
    case syntax::Kind::string: return attr(name, value->text);
    case syntax::Kind::list:
    case syntax::Kind::tuple: return attr(name, integers(value));
    default: return attr(name, integer(value));
  }
}

/// {"name": value, ...}
std::vector<Attr> IrReader::dict(const Tree& tree) {
  if (tree->kind != syntax::Kind::dict) stop(Diag::ir_constant, tree->span, "{\"name\": value}");
  std::vector<Attr> out;
  for (size_t i = 0; i + 1 < tree->list.size(); i += 2) {
    if (!tree->list[i]) stop(Diag::ir_constant, tree->span, "{\"name\": value}");
    out.push_back(attribute(text(tree->list[i]), tree->list[i + 1]));
  }
  return out;
}

// ---- arguments

IrReader::Arguments::Arguments(IrReader& reader, const Tree& call)
    : reader_(reader), call_(call), function_(reader.callee(call->parts[0])) {
  for (const Tree& tree : call->list) {
    if (tree->kind == syntax::Kind::keyword && tree->name)
      named_.emplace_back(tree->name, tree->parts[0]);
    else if (tree->kind == syntax::Kind::keyword || tree->kind == syntax::Kind::starred)
      reader.stop(Diag::ir_statement, tree->span, "`*`");
    else
      positional_.push_back(tree);
  }
}

syntax::Tree IrReader::Arguments::named(std::string_view name) {
  queried_.emplace_back(name);
  for (auto& [key, tree] : named_)
    if (tree && key.str() == name) return std::exchange(tree, nullptr);
  return nullptr;
}

syntax::Tree IrReader::Arguments::take(std::string_view name) {
  if (next_ < positional_.size()) {
    queried_.emplace_back(name);
    return positional_[next_++];
  }
  return named(name);
}

syntax::Tree IrReader::Arguments::need(std::string_view name) {
  Tree tree = take(name);
  if (!tree)
    reader_.stop(Diag::ir_arguments, call_->span,
                 "`" + function_ + "` needs `" + std::string(name) + "`");
  return tree;
}

syntax::Trees IrReader::Arguments::rest() {
  syntax::Trees out(positional_.begin() + static_cast<std::ptrdiff_t>(next_), positional_.end());
  next_ = positional_.size();
  return out;
}

std::vector<std::pair<Symbol, syntax::Tree>> IrReader::Arguments::rest_named() {
  std::vector<std::pair<Symbol, Tree>> out;
  for (auto& [key, tree] : named_)
    if (tree) out.emplace_back(key, std::exchange(tree, nullptr));
  return out;
}

void IrReader::Arguments::finish() {
  if (next_ < positional_.size())
    reader_.stop(Diag::ir_arguments, positional_[next_]->span,
                 "`" + function_ + "` takes " + plural(static_cast<int64_t>(next_), "argument") +
                     " without a name");
  for (auto& [key, tree] : named_) {
    if (!tree) continue;
    Diagnostic& d = reader_.report(Diag::ir_arguments, tree->span,
                                   "`" + function_ + "` takes no `" + key.str() + "`");
    if (std::string near = nearest(key.str(), queried_); !near.empty())
      d.help("did you mean `" + near + "`?");
    throw Stop{};
  }
}

void IrReader::Arguments::get(std::string_view name, int64_t& out) {
  if (Tree tree = named(name)) out = reader_.integer(tree);
}
void IrReader::Arguments::get(std::string_view name, bool& out) {
  if (Tree tree = named(name)) out = reader_.truth(tree);
}
void IrReader::Arguments::get(std::string_view name, std::string& out) {
  if (Tree tree = named(name)) out = reader_.text(tree);
}
void IrReader::Arguments::get(std::string_view name, Symbol& out) {
  if (Tree tree = named(name)) out = reader_.symbol(tree);
}

}  // namespace tilelab
