// SPDX-License-Identifier: Apache-2.0
#include "core/ir/print.h"

#include "core/ir/build.h"
#include "core/ir/print_impl.h"
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
std::string truth(bool value) { return value ? "True" : "False"; }

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

/// The digits alone where they give the shape, else `frag(shape, digits, ...)`.
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

void append_dict(const char* key, const std::vector<Attr>& attrs, Parts& out) {
  if (attrs.empty()) return;
  Parts parts;
  for (const Attr& attr : attrs) parts.push_back(quote(attr.name.str()) + ": " + attr_value(attr));
  out.push_back(named(key, "{" + join(parts, ", ") + "}"));
}

std::string call_text(const std::string& function, const Parts& arguments) {
  return function + "(" + join(arguments, ", ") + ")";
}

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

  // One for each kind of statement.
  void print(const Buffer& n);
  void print(const View& n);
  void print(const Ring& n);
  void print(const Var& n);
  void print(const Bind& n);
  void print(const CheckTensor& n);
  void print(const Check& n);
  void print(const Workspace& n);
  void print(const TensorMap& n);
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
  void print(const Copy& n);
  void print(const Fill& n);
  void print(const Gemm& n);
  void print(const Reduce& n);
  void print(const Scan& n);
  void print(const Atomic& n);
  void print(const RingOp& n);
  void print(const Record& n);
  template <class T> void print(const T& n) {
    UNREACHABLE(std::string("not a statement: ") + name(n.kind));
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

/// Everything that a buffer says beyond dtype and shape.
void Printer::append_buffer(const Buffer& b, Parts& out) {
  if (!b.strides.empty()) out.push_back(named("strides", exprs_.list(b.strides)));
  bool as_origin = b.scope == Scope::local && b.layout != Layout{};
  if (as_origin)
    out.push_back(named("of", "frag" + to_text(b.layout).substr(4)));
  else
    append_layout(b.layout, out);
  if (b.swizzle != Swizzle{}) out.push_back(named("swz", to_text(b.swizzle)));
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

void Printer::print(const View& n) {
  line(n, n.name.str() + " = " +
              call_text("view", {n.buffer.str(), name(n.dtype), exprs_.list(n.shape)}));
  declare(n.name, n.shape);
}

void Printer::print(const Ring& n) {
  Parts parts{std::to_string(n.stages),
              named("fill", quote(name(n.fill))),
              named("bytes", n.bytes),
              named("producer", quote(n.producer.str())),
              named("consumer", quote(n.consumer.str())),
              named("unit", quote(name(n.unit))),
              named("arrivals", n.arrivals)};
  if (n.lag) parts.push_back(named("lag", n.lag));
  line(n, n.name.str() + " = " + call_text("ring", parts));
}

void Printer::print(const Var& n) {
  Parts parts{name(n.dtype)};
  if (n.init) parts.push_back(exprs_.value(n.init, n.dtype));
  line(n, n.name.str() + " = " + call_text("var", parts));
}

// ---- host

void Printer::print(const Bind& n) {
  Parts parts{n.name.str(), n.buffer.str(), std::to_string(n.dim)};
  if (n.stride) parts.push_back(named("stride", "True"));
  if (n.times != 1) parts.push_back(named("times", n.times));
  if (n.plus != 0) parts.push_back(named("plus", n.plus));
  line(n, call_text("bind", parts));
}

void Printer::print(const CheckTensor& n) {
  Parts parts{n.buffer.str(), named("align", n.align)};
  if (n.write) parts.push_back(named("write", "True"));
  line(n, call_text("check_tensor", parts));
}

void Printer::print(const Check& n) {
  line(n, call_text("check", {exprs_.value(n.cond), quote(n.message)}));
}

void Printer::print(const Workspace& n) {
  const Buffer& b = to<Buffer>(n.buffer);
  Parts extra;
  if (n.zeroed) extra.push_back(named("zeroed", "True"));
  line(n, b.name.str() + " = " + buffer(b, "workspace", extra));
  declare(b.name, b.shape);
}

void Printer::print(const TensorMap& n) {
  Parts parts{n.buffer.str(), named("dims", exprs_.list(n.dims)),
              named("strides", exprs_.list(n.strides))};
  if (!n.box.empty()) parts.push_back(named("box", int_list(n.box)));
  if (n.swizzle != Swizzle{}) parts.push_back(named("swz", to_text(n.swizzle)));
  line(n, n.name.str() + " = " + call_text("tensor_map", parts));
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
  std::string thread = n.thread ? " as " + n.thread.str() : "";
  block(n, "with " + call_text("role", parts) + thread + ":", n.body);
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
  append_dict("attrs", n.attrs, parts);
  block(n, "for " + n.var.str() + " in " + call_text(function, parts) + ":", n.body);
}

void Printer::print(const TileLoop& n) {
  Parts parts{exprs_.list(n.domain), named("source", quote(n.source))};
  if (n.stride) parts.push_back(named("stride", exprs_.value(n.stride)));
  if (n.ring) parts.push_back(named("ring", n.ring.str()));
  if (n.counter) parts.push_back(named("counter", n.counter.str()));
  parts.push_back(named("order", quote(n.order)));
  block(n, "for " + names(n.vars) + " in " + call_text("tiles", parts) + ":", n.body);
}

void Printer::print(const While& n) { block(n, "while " + exprs_.value(n.cond) + ":", n.body); }

/// What `stmt` comes to: null for nothing, the one statement in it, itself for several.
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

// ---- tile operations

void Printer::print(const Copy& n) {
  Parts parts{exprs_.operand(n.src, true), exprs_.operand(n.dst, true)};
  if (n.by != CopyBy::unset) parts.push_back(named("by", quote(name(n.by))));
  if (n.map) parts.push_back(named("map", n.map.str()));
  if (n.vec) parts.push_back(named("vec", n.vec));
  append_layout(n.layout, parts);
  append_dict("attrs", n.attrs, parts);
  line(n, call_text("copy", parts));
}

void Printer::print(const Fill& n) {
  Parts parts{exprs_.operand(n.dst, true), exprs_.value(n.value, n.dst->type.dtype)};
  if (n.vec) parts.push_back(named("vec", n.vec));
  append_layout(n.layout, parts);
  line(n, call_text("fill", parts));
}

void Printer::print(const Gemm& n) {
  Parts parts{exprs_.operand(n.a, true), exprs_.operand(n.b, true), exprs_.operand(n.c, true)};
  if (n.trans_a) parts.push_back(named("tA", "True"));
  if (n.trans_b) parts.push_back(named("tB", "True"));
  if (n.clear) parts.push_back(named("clear", exprs_.value(n.clear)));
  if (n.policy != WarpPolicy::square) parts.push_back(named("policy", quote(name(n.policy))));
  if (n.by != GemmBy::unset) parts.push_back(named("by", quote(name(n.by))));
  if (!n.inst.empty()) parts.push_back(named("inst", int_list(n.inst)));
  if (!n.warps.empty()) parts.push_back(named("warps", int_list(n.warps)));
  if (n.wait != -1) parts.push_back(named("wait", n.wait));
  if (!n.workspaces.empty()) parts.push_back(named("ws", "[" + names(n.workspaces) + "]"));
  line(n, call_text("gemm", parts));
}

void Printer::print(const Reduce& n) {
  Parts parts{exprs_.operand(n.src, true), exprs_.operand(n.dst, true),
              named("dims", int_list(n.dims)), named("op", quote(name(n.op))),
              named("clear", truth(n.clear))};
  if (n.nan_propagate) parts.push_back(named("nan_propagate", "True"));
  if (n.workspace) parts.push_back(named("ws", n.workspace.str()));
  if (!n.order.empty()) parts.push_back(named("order", strings(n.order)));
  line(n, call_text("reduce", parts));
}

void Printer::print(const Scan& n) {
  Parts parts{exprs_.operand(n.src, true), exprs_.operand(n.dst, true),
              named("op", quote(name(n.op))), named("dim", n.dim)};
  if (n.reverse) parts.push_back(named("reverse", "True"));
  line(n, call_text("scan", parts));
}

void Printer::print(const Atomic& n) {
  Parts parts{exprs_.operand(n.dst, true), exprs_.value(n.value, n.dst->type.dtype),
              named("op", quote(name(n.op))), named("order", quote(n.order))};
  if (n.vec) parts.push_back(named("vec", n.vec));
  append_layout(n.layout, parts);
  line(n, call_text("atomic", parts));
}

void Printer::print(const RingOp& n) {
  std::string slot = n.slot ? n.slot.str() + " = " : "";
  line(n, slot + "ring_" + std::string(name(n.op)) + "(" + n.ring.str() + ")");
}

void Printer::print(const Record& n) {
  Parts parts{quote(n.message)};
  for (const Expr& value : n.values) parts.push_back(exprs_.value(value));
  if (!n.buffer.empty()) parts.push_back(named("buffer", quote(n.buffer)));
  if (!n.index.empty()) parts.push_back(named("index", exprs_.list(n.index)));
  const char* names[] = {"print", "device_assert", "assume"};
  line(n, call_text(names[static_cast<int>(n.what)], parts));
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

std::string print(const Stmt& stmt) {
  Printer printer;
  printer.stmt(stmt);
  return to_text(printer.take());
}

}  // namespace tilelab
