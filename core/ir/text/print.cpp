// SPDX-License-Identifier: Apache-2.0
#include "core/ir/text/print.h"

#include "core/ir/build.h"
#include "core/ir/text/printer.h"
#include "core/ir/traverse.h"
#include "core/layout/layout.h"
#include "core/layout/text.h"
#include "core/support/text.h"
#include "core/syntax/parser.h"

namespace tilelab {
namespace {

using Parts = std::vector<std::string>;

std::string named(const char* key, const std::string& value) {
  return std::string(key) + "=" + value;
}
std::string named(const char* key, int64_t value) { return named(key, std::to_string(value)); }

std::string names(const std::vector<Symbol>& symbols) {
  Parts parts;
  for (Symbol s : symbols) parts.push_back(s ? s.str() : "None");
  return join(parts, ", ");
}

std::string strings(const std::vector<std::string>& texts) {
  Parts parts;
  for (const std::string& text : texts) parts.push_back(quote(text));
  return "[" + join(parts, ", ") + "]";
}

/// Only the digits if they imply the shape, otherwise `frag(shape, digits, ...)`.
void append_layout(const Layout& layout, Parts& out) {
  if (layout == Layout{}) return;
  bool exact = layout.known() && layout.shape.size() == layout.dims.size();
  for (size_t d = 0; exact && d < layout.dims.size(); ++d)
    exact = capacity(layout.dims[d]) == layout.shape[d];
  if (!exact) return out.push_back(named("lay", to_text(layout)));
  out.push_back(named("lay", digits_text(layout.dims)));
  if (!layout.rep.empty()) out.push_back(named("rep", digits_text(layout.rep)));
  if (layout.base) out.push_back(named("base", layout.base));
}

std::string dict(const std::vector<Attr>& attrs) {
  Parts parts;
  for (const Attr& attr : attrs) parts.push_back(quote(attr.name.str()) + ": " + attr_value(attr));
  return "{" + join(parts, ", ") + "}";
}

void append_dict(const char* key, const std::vector<Attr>& attrs, Parts& out) {
  if (!attrs.empty()) out.push_back(named(key, dict(attrs)));
}

std::string call_text(const std::string& function, const Parts& arguments) {
  return function + "(" + join(arguments, ", ") + ")";
}

/// A statement in call form, from its field list (node.h, `Is`).
class CallText {
 public:
  explicit CallText(const ExprPrinter& exprs) : exprs_(exprs) {}

  template <class T> std::string operator()(const T& n) {
    const T fresh;
    function_ = T::kCall;
    T::fields([&](const char* word, auto member, Is is = Is::plain) {
      if (has(is, Is::bound | Is::callee))
        around(n.*member, is);
      else if (has(is, Is::rest))
        append_all(n.*member);
      else if (has(is, Is::positional) && !has(is, Is::optional))
        parts_.push_back(text(n.*member, is));
      else if (has(is, Is::always) || !same(n.*member, fresh.*member))
        append(word, n.*member, is);
    });
    return target_ + call_text(function_, parts_);
  }

 private:
  static bool same(const Expr& a, const Expr& b) { return a.same(b); }
  static bool same(const std::vector<Expr>& a, const std::vector<Expr>&) { return a.empty(); }
  template <class X> static bool same(const X& a, const X& b) { return a == b; }

  /// The text before the parentheses.
  template <class X> void around(const X& field, Is is) {
    if constexpr (std::is_same_v<X, Symbol>) {
      if (has(is, Is::bound) && field) target_ = field.str() + " = ";
    } else if constexpr (std::is_enum_v<X>) {
      function_ += name(field);
    }
  }
  template <class X> void append_all(const X& field) {
    if constexpr (std::is_same_v<X, std::vector<Expr>>)
      for (const Expr& e : field) parts_.push_back(exprs_.value(e));
  }
  void append(const char*, const Layout& layout, Is) { append_layout(layout, parts_); }
  template <class X> void append(const char* word, const X& field, Is is) {
    std::string value = text(field, is);
    parts_.push_back(has(is, Is::positional) ? value : named(word, value));
  }

  std::string text(const Expr& e, Is is) {
    if (has(is, Is::barrier)) return exprs_.operand(e, true);
    if (!has(is, Is::updated)) return exprs_.value(e, has(is, Is::typed) ? before_ : std::nullopt);
    before_ = e->type.dtype;
    return exprs_.operand(e, true);
  }
  std::string text(DType dtype, Is) {
    before_ = dtype;
    return name(dtype);
  }
  std::string text(Symbol s, Is is) { return has(is, Is::quoted) ? quote(s.str()) : s.str(); }
  std::string text(bool value, Is) { return value ? "True" : "False"; }
  std::string text(int64_t value, Is) { return std::to_string(value); }
  std::string text(const std::string& value, Is) { return quote(value); }
  std::string text(const Swizzle& value, Is) { return to_text(value); }
  std::string text(const Layout& value, Is) { return to_text(value); }
  std::string text(const std::vector<Expr>& value, Is) { return exprs_.list(value); }
  std::string text(const std::vector<int64_t>& value, Is) { return int_list(value); }
  std::string text(const std::vector<Symbol>& value, Is) { return "[" + names(value) + "]"; }
  std::string text(const std::vector<std::string>& value, Is) { return strings(value); }
  std::string text(const std::vector<Attr>& value, Is) { return dict(value); }
  template <class X>
  requires std::is_enum_v<X> std::string text(X value, Is) { return quote(name(value)); }

  const ExprPrinter& exprs_;
  std::string target_, function_;
  Parts parts_;
  Wanted before_;  // dtype of the previous operand or dtype field
};

class Printer {
 public:
  void func(const Func& f);
  void stmt(const Stmt& s);
  std::vector<PrintedLine> take() { return std::move(lines_); }

 private:
  void line(const Node& node, std::string text) {
    lines_.push_back({level_, std::move(text), node.span, &node});
  }
  void plain(std::string text) { lines_.push_back({level_, std::move(text), {}, nullptr}); }
  void block(const Node& node, const std::string& header, const Stmt& body);
  void body(const Stmt& s);
  void declare(Symbol name, const std::vector<Expr>& shape) { shapes_[name] = shape; }

  std::string header(const Func& f);
  std::string parameter(const Param& p);
  std::string buffer(const Buffer& b, const char* function, Parts extra = {});
  void append_buffer(const Buffer& b, Parts& out);

  // Kinds of statements that are not in call form.
  void print(const Buffer& n);
  void print(const Workspace& n);
  void print(const Seq& n);
  void print(const Kernel& n);
  void print(const Role& n);
  void print(const For& n);
  void print(const TileLoop& n);
  void print(const While& n);
  void print(const If& n);
  void print(const Break& n);
  void print(const Parallel& n);
  void print(const Let& n);
  void print(const Assign& n);
  void print(const Store& n);
  void print(const Do& n);
  template <class T> void print(const T& n) {
    if constexpr (requires { T::kCall; })
      line(n, CallText(exprs_)(n));
    else
      UNREACHABLE(std::string("not a statement: ") + name(n.kind));
    if constexpr (std::is_same_v<T, View>) declare(n.name, n.shape);
  }

  Shapes shapes_;
  ExprPrinter exprs_{shapes_};
  std::vector<PrintedLine> lines_;
  int level_ = 0;
};

std::string Printer::header(const Func& f) {
  Parts parts{"1", named("level", quote(name(f.level))), named("target", quote(f.target))};
  if (!f.after.empty()) parts.push_back(named("after", quote(f.after)));
  append_dict("configs", f.configs, parts);
  return call_text("ir", parts);
}

std::string Printer::parameter(const Param& p) {
  const Buffer* tensor = as<Buffer>(p.tensor);
  if (!tensor) return p.name.str() + ": " + name(p.dtype);
  declare(tensor->name, tensor->shape);
  return p.name.str() + ": " + buffer(*tensor, "tensor");
}

void Printer::func(const Func& f) {
  exprs_.set_flat(f.level == Level::flat);
  line(f, header(f));
  Parts parts;
  for (const Stmt& p : f.params) parts.push_back(parameter(to<Param>(p)));
  if (!f.dims.empty()) parts.push_back("*");
  for (const Stmt& d : f.dims) {
    const Dim& dim = to<Dim>(d);
    Parts facts{name(dim.dtype), std::to_string(dim.lo), std::to_string(dim.hi)};
    if (dim.multiple != 1) facts.push_back(named("multiple", dim.multiple));
    parts.push_back(dim.name.str() + ": " + call_text("dim", facts));
  }
  std::string results;
  if (!f.outputs.empty()) {
    Parts positions;
    for (int64_t position : f.outputs) positions.push_back(std::to_string(position));
    results = " -> " + call_text("outputs", positions);
  }
  block(f, call_text("def " + f.name.str(), parts) + results + ":", f.body);
}

void Printer::block(const Node& node, const std::string& header, const Stmt& s) {
  line(node, header);
  body(s);
}

void Printer::body(const Stmt& s) {
  ++level_;
  size_t before = lines_.size();
  if (s) stmt(s);
  if (lines_.size() == before) plain("pass");
  --level_;
}

void Printer::stmt(const Stmt& s) {
  visit(*s, [&](const auto& n) { print(n); });
}

// ---- declarations

/// All properties of a buffer except dtype and shape.
void Printer::append_buffer(const Buffer& b, Parts& out) {
  if (b.pairs != Pairs::none) out.push_back(named("pairs", quote(name(b.pairs))));
  if (b.pointers) out.push_back(named("pointers", "True"));
  if (b.aliased) out.push_back(named("aliased", "True"));
  if (b.evict_first) out.push_back(named("evict_first", "True"));
  if (!b.strides.empty()) out.push_back(named("strides", exprs_.list(b.strides)));
  if (b.address) out.push_back(named("address", exprs_.value(b.address)));
  bool as_origin = b.scope == Scope::local && b.layout != Layout{};
  if (as_origin)
    out.push_back(named("of", "frag" + to_text(b.layout).substr(4)));
  else
    append_layout(b.layout, out);
  if (b.swizzle != Swizzle{}) out.push_back(named("swz", to_text(b.swizzle)));
  if (b.where.known())
    out.push_back(
        named("where", "lambda " + names(b.where.names) + ": " + exprs_.list(b.where.places)));
  if (b.at != -1) out.push_back(named("at", b.at));
  if (b.ring) out.push_back(named("ring", b.ring.str()));
  if (!b.origin.empty()) out.push_back(named(as_origin ? "origin" : "of", quote(b.origin)));
  if (b.safe) out.push_back(named("safe", exprs_.value(b.safe, b.dtype)));
  if (b.scope != Scope::barrier && b.count) out.push_back(named("count", b.count));
  if (b.scope != Scope::barrier && b.unit != Unit::warp)
    out.push_back(named("unit", quote(name(b.unit))));
  if (b.tx && b.scope != Scope::barrier) out.push_back(named("tx", "True"));
  if (b.id != -1) out.push_back(named("id", b.id));
}

std::string Printer::buffer(const Buffer& b, const char* function, Parts extra) {
  Parts parts;
  if (b.scope != Scope::barrier) parts.push_back(name(b.dtype));
  parts.push_back(exprs_.list(b.shape));
  if (b.scope == Scope::barrier) {
    if (b.dtype != Buffer().dtype) parts.push_back(named("dtype", name(b.dtype)));
    parts.push_back(named("count", b.count));
    parts.push_back(named("unit", quote(name(b.unit))));
    if (b.tx) parts.push_back(named("tx", "True"));
  }
  parts.insert(parts.end(), extra.begin(), extra.end());
  append_buffer(b, parts);
  return call_text(function, parts);
}

void Printer::print(const Buffer& n) {
  std::string function(n.scope == Scope::global ? "tensor" : name(n.scope));
  line(n, n.name.str() + " = " + buffer(n, function.c_str()));
  declare(n.name, n.shape);
}

// ---- host

void Printer::print(const Workspace& n) {
  const Buffer& b = to<Buffer>(n.buffer);
  Parts extra;
  if (n.zeroed) extra.push_back(named("zeroed", "True"));
  line(n, b.name.str() + " = " + buffer(b, "workspace", extra));
  declare(b.name, b.shape);
}

// ---- structure

void Printer::print(const Seq& n) {
  for (const Stmt& s : n.stmts) stmt(s);
}

void Printer::print(const Kernel& n) {
  Parts parts{quote(n.name.str()), named("grid", exprs_.list(n.grid)), named("block", n.block)};
  if (n.smem != -1) parts.push_back(named("smem", n.smem));
  if (!n.params.empty()) parts.push_back(named("params", "[" + names(n.params) + "]"));
  append_dict("attrs", n.attrs, parts);
  std::string indices = names(n.indices);
  if (n.indices.size() > 1) indices = "(" + indices + ")";
  if (!indices.empty()) indices = " as " + indices;
  block(n, "with " + call_text("kernel", parts) + indices + ":", n.body);
}

void Printer::print(const Role& n) {
  Parts parts{quote(n.name.str()), std::to_string(n.lo), std::to_string(n.hi)};
  if (n.regs) parts.push_back(named("regs", n.regs));
  if (n.copies != 1) parts.push_back(named("copies", n.copies));
  block(n, "with " + call_text("role", parts) + ":", n.body);
}

void Printer::print(const For& n) {
  Parts parts;
  std::string function(name(n.mode));
  if (n.steps.empty()) {
    Type type = n.hi ? n.hi->type : Type{};
    auto plain_const = [&](const Expr& e, int64_t v) { return is_int(e, v) && e->type == type; };
    if (plain_const(n.lo, 0) && plain_const(n.step, 1)) {
      parts = {exprs_.value(n.hi)};
    } else {
      bool by_one = is_int(n.step, 1) && n.step->type == n.lo->type;
      parts = exprs_.bounds(by_one ? std::vector<Expr>{n.lo, n.hi}
                                   : std::vector<Expr>{n.lo, n.hi, n.step});
    }
    if (n.mode == LoopMode::serial && n.stages) function = "pipelined";
  } else {
    function = "steps";
    for (int64_t value : n.steps) parts.push_back(std::to_string(value));
    if (n.mode != LoopMode::unroll) parts.push_back(named("mode", quote(name(n.mode))));
    if (n.lo && !is_int(n.lo, 0)) parts.push_back(named("lo", exprs_.value(n.lo)));
    if (n.hi && !is_int(n.hi, 0)) parts.push_back(named("hi", exprs_.value(n.hi)));
    if (n.step && !is_int(n.step, 1)) parts.push_back(named("step", exprs_.value(n.step)));
  }
  if (n.stages) parts.push_back(named("stages", n.stages));
  if (n.vec) parts.push_back(named("vec", n.vec));
  append_dict("attrs", n.attrs, parts);
  block(n, "for " + n.var.str() + " in " + call_text(function, parts) + ":", n.body);
}

void Printer::print(const TileLoop& n) {
  Parts parts{exprs_.list(n.domain), named("source", quote(name(n.source)))};
  if (n.stride) parts.push_back(named("stride", exprs_.value(n.stride)));
  if (n.ring) parts.push_back(named("ring", n.ring.str()));
  if (n.counter) parts.push_back(named("counter", n.counter.str()));
  parts.push_back(named("order", quote(name(n.order))));
  if (n.group) parts.push_back(named("group", n.group));
  block(n, "for " + names(n.vars) + " in " + call_text("tiles", parts) + ":", n.body);
}

void Printer::print(const While& n) { block(n, "while " + exprs_.value(n.cond) + ":", n.body); }

/// Simplifies a list: null if empty, the statement if there is only one.
static Stmt unwrapped(const Stmt& stmt) {
  const Seq* list = as<Seq>(stmt);
  if (!list) return stmt;
  Stmt only;
  for (const Stmt& s : list->stmts) {
    Stmt inner = unwrapped(s);
    if (inner && only) return stmt;
    if (inner) only = inner;
  }
  return only;
}

void Printer::print(const If& n) {
  std::string keyword = "if ";
  const If* at = &n;
  for (;;) {
    block(*at, keyword + exprs_.value(at->cond) + ":", at->then_);
    const Stmt rest = unwrapped(at->else_);
    at = as<If>(rest);
    keyword = "elif ";
    if (at) continue;
    if (!rest) return;
    plain("else:");
    return body(rest);
  }
}

void Printer::print(const Break& n) { line(n, "break"); }

void Printer::print(const Parallel& n) {
  Parts parts = exprs_.bounds(n.extents);
  append_layout(n.layout, parts);
  if (n.vec) parts.push_back(named("vec", n.vec));
  if (n.by != CopyBy::unset) parts.push_back("by=\"" + std::string(name(n.by)) + "\"");
  append_dict("attrs", n.attrs, parts);
  block(n, "for " + names(n.vars) + " in " + call_text("parallel", parts) + ":", n.body);
}

// ---- effects

void Printer::print(const Let& n) { line(n, n.name.str() + " = " + exprs_.value(n.value)); }

void Printer::print(const Assign& n) {
  line(n, n.name.str() + " = " + exprs_.value(n.value, n.value->type.dtype));
}

void Printer::print(const Store& n) {
  line(n, exprs_.reference(n.buffer, n.dims, false) + " = " +
              exprs_.value(n.value, n.value->type.dtype));
}

void Printer::print(const Do& n) {
  line(n, n.call->kind == Kind::Call ? exprs_.call(to<Call>(n.call), true) : exprs_.value(n.call));
}

}  // namespace

std::vector<PrintedLine> print_lines(const Func& func) {
  Printer printer;
  printer.func(func);
  return printer.take();
}

std::string to_text(const std::vector<PrintedLine>& lines, const PrintOptions& options) {
  std::string out;
  for (const PrintedLine& line : lines) {
    out.append(static_cast<size_t>(line.indent) * 4, ' ').append(line.text);
    if (options.spans && line.node && line.node->kind != Kind::Func)
      out.append("  # ").append(syntax::origin_text(line.span));
    out += '\n';
  }
  return out;
}

std::string print(const Func& func, const PrintOptions& options) {
  return to_text(print_lines(func), options);
}

}  // namespace tilelab
