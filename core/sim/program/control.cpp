// SPDX-License-Identifier: Apache-2.0
// Statements of lane programs: bindings, branches, loops.
#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/analysis/endless.h"
#include "core/ir/traverse.h"
#include "core/sim/program/compile.h"
#include "core/sim/program/hosted.h"
#include "core/support/interrupt.h"

namespace tilelab::sim {

void BodyCompiler::stmt(const Stmt& s) {
  if (!s) return;
  // Statements without a location, which a pass made, inherit that of the enclosing statement.
  const Span around = b.span();
  if (s->span.known()) b.set_span(s->span);
  if (texts_) announce(*s);
  plain_stmt(s);
  if (texts_) announce_bound(*s);
  if (s->span.known()) b.set_span(around);
}

void BodyCompiler::plain_stmt(const Stmt& s) {
  switch (s->kind) {
    case Kind::Seq: return seq(to<Seq>(s));
    case Kind::Let: return let(to<Let>(s));
    case Kind::Assign: return assign(to<Assign>(s));
    case Kind::Store: return store(to<Store>(s));
    case Kind::If: return if_(to<If>(s));
    case Kind::For: return loop(to<For>(s));
    case Kind::While: return while_(to<While>(s));
    case Kind::Break: return break_();
    case Kind::Do: {
      call(to<Call>(to<Do>(s).call), false);
      return;
    }
    case Kind::Var: {
      const Var& v = to<Var>(s);
      Elem elem = v.dtype;
      Value init = v.init ? cast(elem, expr(v.init)) : integer(0, elem);
      int32_t array = variable(v.name, elem);
      variables_[v.name] = {array, elem};
      bind(v.name, reg(elem, b.element(array, 0)));
      assign(array, 0, init);
      return;
    }
    default: return other(s);
  }
}

void BodyCompiler::seq(const Seq& node) {
  size_t names = mark();
  for (const Stmt& s : node.stmts) stmt(s);
  unbind(names);
}

/// A function of the user's source, compiled for this machine.
Value BodyCompiler::hosted(const Call& node) {
  const Attr *host = find_attr(node.attrs, "host"), *index = find_attr(node.attrs, "index");
  const auto signature = host ? parse_hosted(host->string) : std::nullopt;
  if (!signature || !find_hosted(signature->key)) cannot(node, "a function of another language");
  CallSite site;
  site.what = call_hosted;
  site.text = host->string;
  site.numbers = index ? index->list : std::vector<int64_t>{-1, 0};
  for (const Expr& argument : node.args) {
    const Value value = expr(argument);
    site.operands.push_back(
        {.form = Operand::Form::value, .elem = value.elem, .regs = {at(value)}});
  }
  site.elem = node.type.dtype;
  const Reg result = b.temp(elem_bytes(site.elem));
  site.results = {result};
  Instr call;
  call.op = Op::call;
  call.extra = uint32_t(b.add_call(std::move(site)));
  b.emit(call);
  return reg(node.type.dtype, result);
}

void BodyCompiler::let(const Let& node) {
  const Call* c = as<Call>(node.value);
  bool effect = c && !info(c->intrinsic).pure();
  const bool of_user = c && c->intrinsic == Intrinsic::foreign;
  Value v = of_user ? hosted(*c) : effect ? call(*c, true) : expr(node.value);
  // A name keeps its value when the variable that it was read from changes.
  if (!v.constant)
    for (Reg& r : v.regs)
      if (b.is_mutable(r)) {
        int32_t copy = b.array(node.name, 1, elem_bytes(v.elem));
        assign(copy, 0, reg(v.elem, r));
        r = b.element(copy, 0);
      }
  b.fence();
  bind(node.name, std::move(v));
}

const BodyCompiler::Variable* BodyCompiler::find_variable(Symbol name) const {
  auto it = variables_.find(name);
  return it == variables_.end() ? nullptr : &it->second;
}

void BodyCompiler::assign(const Assign& node) {
  const Variable* known = find_variable(node.name);
  if (!known) cannot(node, "assignment to " + node.name.str() + ", which is not a variable");
  const Variable v = *known;
  assign(v.array, 0, cast(v.elem, expr(node.value)));
}

void BodyCompiler::assign(int32_t array, int64_t first, const Value& v) {
  int bytes = b.array(array).bytes;
  int64_t n = std::max(v.width(), 1);
  if (n > 1) b.fence();  // components may share a register
  for (int64_t i = 0; i < n; ++i)
    b.assign(b.element(array, first + i), bytes, nullptr, at(v, int(i)));
}

// ---- branches

size_t BodyCompiler::open_if(const Value& value, const Expr& cond) {
  conditions_.push_back(cond);
  size_t open = b.emit({.op = Op::if_, .a = at(value)});
  b.push_scope();
  breaks_.emplace_back();
  return open;
}

size_t BodyCompiler::open_else(size_t open) {
  b.pop_scope();
  patch_breaks(b.position());
  b.at(open).extra = uint32_t(b.position());
  Instr i;
  i.op = Op::else_;
  size_t position = b.emit(i);
  b.push_scope();
  breaks_.emplace_back();
  return position;
}

void BodyCompiler::close_if(size_t open) {
  conditions_.pop_back();
  b.pop_scope();
  patch_breaks(b.position());
  b.at(open).extra = uint32_t(b.position());
  Instr i;
  i.op = Op::end_if;
  breaks_.back().push_back(b.emit(i));  // taken when all lanes have left the loop
  b.fence();
}

void BodyCompiler::if_(const If& node) {
  Value cond = expr(node.cond);
  if (auto known = cond.integer()) {
    const Stmt& taken = *known ? node.then_ : node.else_;
    size_t names = mark();
    if (taken) stmt(taken);
    unbind(names);
    return;
  }
  size_t names = mark();
  size_t open = open_if(cond, node.cond);
  stmt(node.then_);
  unbind(names);
  if (node.else_) {
    open = open_else(open);
    stmt(node.else_);
    unbind(names);
  }
  close_if(open);
}

void BodyCompiler::break_() {
  Instr i;
  i.op = Op::break_;
  breaks_.back().push_back(b.emit(i));
}

void BodyCompiler::patch_breaks(size_t target) {
  for (size_t position : breaks_.back()) b.at(position).extra = uint32_t(target);
  breaks_.pop_back();
}

// ---- loops

namespace {

Instr plain(Op op, Reg a = no_reg) { return {.op = op, .a = a}; }

}  // namespace

/// Limit for unrolled loops: larger programs would not fit into memory.
constexpr size_t most_instructions = size_t{1} << 22;
/// A loop whose iterations would exceed the limit so many times, if all were as short as the
/// shortest one so far, is refused at once.
constexpr size_t surely_too_many = 16;

void BodyCompiler::unrolled(const For& node, const std::vector<int64_t>& values) {
  Elem elem = node.lo ? node.lo->type.dtype : Elem::i32;
  bool breaks = breaks_out(*node.body);
  std::vector<size_t> tests;
  if (breaks) {
    b.emit(plain(Op::loop));
    b.push_scope();
  }
  std::optional<size_t> shortest;  // of the iterations so far, in instructions
  size_t left = values.size();
  for (int64_t value : values) {
    const size_t begun = b.position();
    if (begun > most_instructions ||
        shortest.value_or(0) * left > surely_too_many * most_instructions)
      cannot(node, "an unrolled loop that is too large");
    poll_interrupt();
    if (breaks) {
      tests.push_back(b.emit(plain(Op::loop_test, b.constant(Elem::bool_, 1))));
      breaks_.emplace_back();
    }
    size_t names = mark();
    bind(node.var, integer(value, elem));
    const size_t scope = b.enter_scope({node.var, elem, -1, uint64_t(value)});
    stmt(node.body);
    b.leave_scope(scope);
    unbind(names);
    if (breaks) patch_breaks(b.position());
    shortest = std::min(shortest.value_or(SIZE_MAX), b.position() - begun);
    --left;
  }
  if (!breaks) return;
  b.pop_scope();
  size_t end = b.emit(plain(Op::end_loop));
  for (size_t t : tests) b.at(t).extra = uint32_t(end);
}

void BodyCompiler::loop(const For& node) {
  if (!node.steps.empty()) return unrolled(node, node.steps);
  Value lo = expr(node.lo), hi = expr(node.hi);
  Value step = node.step ? expr(node.step) : integer(1, lo.elem);
  auto l = lo.integer(), h = hi.integer(), s = step.integer();
  if (s == 0) cannot(node, "a loop with step 0");
  if (node.mode != LoopMode::serial) {
    if (!l || !h || !s) cannot(node, "an unrolled loop needs constant bounds");
    std::vector<int64_t> values;
    for (int64_t v = *l; *s > 0 ? v < *h : v > *h; v += *s) {
      if (values.size() == most_instructions) cannot(node, "an unrolled loop that is too large");
      values.push_back(v);
    }
    return unrolled(node, values);
  }
  if (!s) cannot(node, "a serial loop needs a constant step");
  size_t names = mark();
  b.fence();
  int32_t var = variable(node.var, lo.elem);
  assign(var, 0, lo);
  Value bound = hi;
  if (!hi.constant && b.is_mutable(at(hi))) {  // bounds are read once
    int32_t copy = variable("", hi.elem);
    assign(copy, 0, hi);
    bound = reg(hi.elem, b.element(copy, 0));
  }
  b.emit(plain(Op::loop));
  b.enter_loop();
  Value i = reg(lo.elem, b.element(var, 0));
  size_t head = b.position();
  ++b.address_depth;
  Value cond = binary(*s > 0 ? BinOp::lt : BinOp::gt, i, bound);
  --b.address_depth;
  size_t test = b.emit(plain(Op::loop_test, at(cond)));
  bind(node.var, i);
  breaks_.emplace_back();
  const size_t scope = b.enter_scope({node.var, lo.elem, var});
  stmt(node.body);
  b.leave_scope(scope);
  patch_breaks(b.position());
  ++b.address_depth;
  b.emit(plain(Op::loop_next)), b.at(b.position() - 1).extra = 0;
  size_t next = b.position() - 1;
  --b.address_depth;
  b.leave_loop();
  size_t end = b.emit(plain(Op::end_loop));
  b.at(next).dst = b.element(var, 0);
  b.at(next).a = b.constant(lo.elem, uint64_t(*s));
  b.at(next).fn = lane_fn(LaneOp::add, lo.elem);
  b.at(next).extra = uint32_t(head);
  b.at(test).extra = uint32_t(end);
  b.fence();
  unbind(names);
}

/// The variables of this program that decide whether the loop ends.
Fate BodyCompiler::fate(const While& node) const {
  const auto names = deciding(node);
  Fate out;
  out.known = names.has_value();
  out.waits = waits_for_others(node);
  for (Symbol name : names.value_or(std::vector<Symbol>{}))
    if (const Variable* v = find_variable(name)) out.variables.push_back({v->array, v->elem});
  return out;
}

void BodyCompiler::while_(const While& node) {
  size_t names = mark();
  const Fate decides = fate(node);
  b.emit(plain(Op::loop));
  b.enter_loop();
  size_t head = b.position();
  Value cond = expr(node.cond);
  size_t test = b.emit(plain(Op::loop_test, at(cond)));
  breaks_.emplace_back();
  stmt(node.body);
  patch_breaks(b.position());
  Instr again = plain(Op::loop_next);
  again.extra = uint32_t(head);
  again.imm = b.add_fate(decides);
  b.emit(again);
  b.leave_loop();
  size_t end = b.emit(plain(Op::end_loop));
  b.at(test).extra = uint32_t(end);
  b.fence();
  unbind(names);
}

}  // namespace tilelab::sim
