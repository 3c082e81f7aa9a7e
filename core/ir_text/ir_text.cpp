// SPDX-License-Identifier: Apache-2.0
// Header, functions and buffer declarations of IR text.
#include "core/ir_text/ir_text.h"

#include "core/ir_text/reader.h"
#include "core/support/text.h"
#include "core/syntax/parser.h"

namespace tilelab {

// ---- names

const IrReader::Entry* IrReader::find(Symbol name) const {
  for (size_t i = scopes_.size(); i-- > 0;)
    if (auto it = scopes_[i].find(name); it != scopes_[i].end()) return &it->second;
  return nullptr;
}

const IrReader::Entry& IrReader::lookup(const Tree& tree) {
  static const Entry thread{Entry::What::value, {DType::i32}, {}, {}};
  if (tree->kind != syntax::Kind::name) stop(Diag::ir_constant, tree->span, "a name");
  if (const Entry* entry = find(tree->name)) {
    if (entry->what == Entry::What::broken) throw Stop{};  // already reported
    return *entry;
  }
  const std::string& name = tree->name.str();
  if (name == "tid" || name == "lane" || name == "warp") return thread;
  Diagnostic& d = report(Diag::ir_unknown_name, tree->span, name);
  std::vector<std::string> known;
  for (const auto& scope : scopes_)
    for (const auto& [symbol, entry] : scope) known.push_back(symbol.str());
  if (std::string near = nearest(name, known); !near.empty())
    d.help("did you mean `" + near + "`?");
  throw Stop{};
}

const IrReader::Entry& IrReader::lookup(const Tree& tree, Entry::What what, const char* kind) {
  const Entry& entry = lookup(tree);
  if (entry.what != what) {
    Diagnostic& d = report(Diag::ir_constant, tree->span, kind);
    if (entry.span.known()) d.label(entry.span, "`" + tree->name.str() + "` is declared here");
    throw Stop{};
  }
  return entry;
}

void IrReader::declare(Symbol name, Entry entry) {
  const Entry* old = find(name);
  if (old && old->what != Entry::What::broken && entry.what != Entry::What::broken) {
    Diagnostic& d = report(Diag::ir_bound_twice, entry.span, name);
    if (old->span.known()) d.label(old->span, "bound here");
    d.help("declare a variable: `" + name.str() + " = var(i32, 0)`");
    throw Stop{};
  }
  if (old && entry.what == Entry::What::broken) return;
  scopes_.back()[name] = std::move(entry);
}

/// Error recovery: uses of names that the statement would have declared are not reported.
void IrReader::mark_broken(const Tree& tree) {
  auto mark = [&](const Tree& target) {
    if (target && target->kind == syntax::Kind::name)
      declare(target->name, {Entry::What::broken, {}, {}, target->span});
  };
  if (tree->kind == syntax::Kind::assign)
    for (const Tree& target : tree->list) mark(target);
}

// ---- header and functions

void IrReader::header(const Tree& tree) {
  const Tree call = tree->kind == syntax::Kind::expression ? tree->parts[0] : nullptr;
  bool good = call && call->kind == syntax::Kind::call && callee(call->parts[0]) == "ir";
  if (!good)
    stop(Diag::ir_header, tree->span, "expected `ir(1, level=...)` at the start of an IR text");
  Arguments args(*this, call);
  if (integer(args.need("version")) != 1)
    stop(Diag::ir_header, call->span, "unsupported format: this version of tilelab reads format 1");
  blank_.level = word<Level>(args.need("level"));
  args.get("target", blank_.target);
  args.get("after", blank_.after);
  if (Tree configs = args.named("configs")) blank_.configs = dict(configs);
  if (Tree names = args.named("const")) {
    bool is_dict = names->kind == syntax::Kind::call && callee(names->parts[0]) == "dict";
    if (!is_dict) stop(Diag::ir_constant, names->span, "dict(NAME=value, ...)");
    Arguments values(*this, names);
    for (auto& [name, value] : values.rest_named()) consts_[name] = integer(value);
    values.finish();
  }
  args.finish();
}

std::vector<FuncRef> IrReader::file(const Tree& module) {
  std::vector<FuncRef> out;
  try {
    if (module->body.empty()) stop(Diag::ir_header, module->span, "this IR text is empty");
    header(module->body[0]);
    for (size_t i = 1; i < module->body.size(); ++i) {
      const Tree& tree = module->body[i];
      if (tree->kind != syntax::Kind::function)
        stop(Diag::ir_statement, tree->span, "a statement outside a function");
      out.push_back(function(tree));
    }
    if (out.empty()) stop(Diag::ir_header, module->span, "expected a function after the header");
  } catch (const Stop&) {
  }
  return out;
}

Stmt IrReader::dim(const Tree& tree) {
  Dim dim;
  dim.name = tree->name;
  const Tree& annotation = tree->parts[0];
  bool is_call = annotation && annotation->kind == syntax::Kind::call;
  if (!is_call || callee(annotation->parts[0]) != "dim")
    stop(Diag::ir_statement, tree->span, "a parameter after `*` that is not `dim(i32, lo, hi)`");
  Arguments args(*this, annotation);
  dim.dtype = dtype(args.need("dtype"));
  if (Tree lo = args.take("lo")) dim.lo = integer(lo);
  if (Tree hi = args.take("hi")) dim.hi = integer(hi);
  args.get("multiple", dim.multiple);
  args.finish();
  declare_value(dim.name, {dim.dtype}, tree->span);
  return done(std::move(dim), tree);
}

Stmt IrReader::parameter(const Tree& tree) {
  Param param;
  param.name = tree->name;
  const Tree& annotation = tree->parts[0];
  if (!annotation) stop(Diag::ir_statement, tree->span, "a parameter without a type");
  if (annotation->kind == syntax::Kind::call && callee(annotation->parts[0]) == "tensor") {
    param.tensor = buffer(tree, tree->name, annotation, Scope::global);
    param.dtype = to<Buffer>(param.tensor).dtype;
  } else {
    param.dtype = dtype(annotation);
  }
  return done(std::move(param), tree);
}

FuncRef IrReader::function(const Tree& tree) {
  scopes_.assign(1, {});
  Func func = blank_;
  func.name = tree->name;
  func.span = place(tree);
  for (const Tree& p : tree->list)
    if (p->op == syntax::Op::keyword_only) func.dims.push_back(dim(p));
  for (const Tree& p : tree->list) {  // a shape may use any scalar parameter
    const Tree& type = p->parts[0];
    bool tensor = type && type->kind == syntax::Kind::call;
    if (p->op == syntax::Op::positional && type && !tensor)
      declare_value(p->name, {dtype(type)}, p->span);
  }
  for (const Tree& p : tree->list) {
    if (p->op == syntax::Op::positional)
      func.params.push_back(parameter(p));
    else if (p->op != syntax::Op::keyword_only)
      stop(Diag::ir_statement, p->span, "this parameter");
  }
  if (const Tree& results = tree->parts[0]) {
    bool good = results->kind == syntax::Kind::call && callee(results->parts[0]) == "outputs";
    if (!good) stop(Diag::ir_statement, results->span, "a result that is not `outputs(...)`");
    for (const Tree& item : results->list) func.outputs.push_back(integer(item));
  }
  func.body = block(tree->body);
  return make(std::move(func));
}

// ---- declarations

/// `lay=digits, rep=, base=`, or combined as `lay=frag(...)`.
void IrReader::layout_arguments(Layout& out, Arguments& args) {
  if (Tree lay = args.named("lay")) out = layout(lay);
  if (Tree rep = args.named("rep")) out.rep = digits(rep);
  args.get("base", out.base);
}

void IrReader::buffer_attributes(Buffer& b, Arguments& args) {
  args.get_word("pairs", b.pairs);
  args.get("pointers", b.pointers);
  args.get("aliased", b.aliased);
  args.get("evict_first", b.evict_first);
  if (Tree strides = args.named("strides")) b.strides = exprs(strides);
  if (Tree address = args.named("address")) b.address = value_of(address, DType::i64);
  layout_arguments(b.layout, args);
  if (Tree of = args.named("of")) {
    if (of->kind == syntax::Kind::string)
      b.origin = of->text;
    else
      b.layout = layout(of);
  }
  args.get("origin", b.origin);
  if (Tree swz = args.named("swz")) b.swizzle = swizzle(swz);
  if (Tree where = args.named("where")) b.where = element_map(where, b.shape);
  args.get("at", b.at);
  args.get("ring", b.ring);
  if (Tree safe = args.named("safe")) b.safe = value_of(safe, b.dtype);
  args.get("count", b.count);
  args.get_word("unit", b.unit);
  args.get("tx", b.tx);
  args.get("id", b.id);
}

Stmt IrReader::buffer(const Tree& tree, Symbol name, const Tree& call, Scope scope) {
  Arguments args(*this, call);
  Buffer b;
  b.name = name;
  b.scope = scope;
  if (scope != Scope::barrier) b.dtype = dtype(args.need("dtype"));
  b.shape = exprs(args.need("shape"));
  if (Tree given = args.named("dtype")) b.dtype = dtype(given);
  buffer_attributes(b, args);
  args.finish();
  declare_buffer(b, tree->span);
  return done(std::move(b), tree);
}

Stmt IrReader::workspace(const Tree& tree, Symbol name, const Tree& call) {
  Arguments args(*this, call);
  Workspace w;
  Buffer b;
  b.name = name;
  b.scope = Scope::global;
  b.dtype = dtype(args.need("dtype"));
  b.shape = exprs(args.need("shape"));
  args.get("zeroed", w.zeroed);
  buffer_attributes(b, args);
  args.finish();
  declare_buffer(b, tree->span);
  w.buffer = done(std::move(b), tree);
  return done(std::move(w), tree);
}

/// `name = function(...)` if the function is a declaration; nullopt for other functions.
std::optional<Stmt> IrReader::declaration(const Tree& tree, Symbol name, const Tree& call) {
  const std::string function = callee(call->parts[0]);
  if (function == "tensor") return buffer(tree, name, call, Scope::global);
  if (function == "workspace") return workspace(tree, name, call);
  if (auto scope = parse_enum<Scope>(function); scope && *scope != Scope::global)
    return buffer(tree, name, call, *scope);
  return call_form(tree, call, name);
}

// ---- entry points

std::vector<FuncRef> read_ir_file(std::string_view name, std::string_view text, Diagnostics& sink) {
  Diagnostics found;
  std::vector<FuncRef> out;
  if (syntax::Tree tree = syntax::parse(name, text, found)) out = IrReader(found).file(tree);
  sink.append(found);
  if (!found.ok()) out.clear();
  return out;
}

FuncRef read_ir(std::string_view name, std::string_view text, Diagnostics& sink) {
  std::vector<FuncRef> all = read_ir_file(name, text, sink);
  if (all.size() == 1) return all[0];
  if (all.size() > 1)
    sink.report(Diag::ir_header, all[1]->span, "expected one function, found several");
  return nullptr;
}

bool has_ir_header(std::string_view text) {
  for (const std::string& line : split(text, '\n')) {
    std::string_view bare = strip(line);
    if (bare.empty() || bare[0] == '#') continue;
    return bare.rfind("ir(", 0) == 0;
  }
  return false;
}

}  // namespace tilelab
