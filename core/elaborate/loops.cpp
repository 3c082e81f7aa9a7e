// SPDX-License-Identifier: Apache-2.0
// Loops. Loops over Python sequences are unrolled; range() inside a kernel is T.serial.
#include <algorithm>

#include "core/diagnostics/usage.h"
#include "core/elaborate/elaborator.h"
#include "core/elaborate/limits.h"

namespace tilelab::elaborate {

namespace {

/// ceil((hi - lo) / step), also if the step is not a positive constant.
Expr trip_count(const Expr& lo, const Expr& hi, const Expr& step) {
  auto l = int_value(lo), h = int_value(hi), s = int_value(step);
  if (l && h && s) {
    int64_t span = *s > 0 ? *h - *l : *l - *h, width = *s > 0 ? *s : -*s;
    return int_const(span <= 0 ? 0 : (span + width - 1) / width, lo->type.dtype);
  }
  return call(Intrinsic::ceildiv, lo->type, {sub(hi, lo), step});
}

/// Whether the loop certainly has an iteration.
bool has_iteration(const LoopFrame& frame) {
  if (frame.form == LoopFrame::Form::range)
    return int_value(trip_count(frame.lo[0], frame.hi[0], frame.step)).value_or(0) > 0;
  return frame.form != LoopFrame::Form::persistent &&
         std::all_of(frame.hi.begin(), frame.hi.end(),
                     [](const Expr& extent) { return int_value(extent).value_or(0) > 0; });
}

}  // namespace

/// `for i in T.Parallel(1, 256)`: one variable for two extents suggests that a range was intended.
bool Elaborator::meant_as_range(const syntax::Node& node, const LoopFrame& frame) {
  if (frame.form != LoopFrame::Form::parallel || frame.hi.size() != 2) return false;
  if (node.part(0).kind != syntax::Kind::name) return false;
  auto start = int_value(frame.hi[0]);
  if (!start || *start < 0 || *start > 1) return false;
  std::string count = expr_text(sub(frame.hi[1], frame.hi[0])), name = node.part(0).name.str();
  report(usage::parallel_bounds, node.part(1).span)
      .label(node.part(0).span, "one variable")
      .help("loop over the number of iterations, `for " + name + " in T.Parallel(" + count + ")`" +
            (*start ? ", and use `" + name + " + 1`" : ""));
  return true;
}

void Elaborator::refuse_else(const syntax::Node& loop) {
  report(Diag::statement_unsupported, loop.orelse[0]->span, "an else of a loop")
      .help("put these statements after the loop");
}

void Elaborator::exec_for(const syntax::Node& node, Flow& flow) {
  Value over = eval(node.part(1));
  if (over.poisoned()) {  // find more errors, with unknown loop variables
    ir_.open_block();
    frame_->open();
    assign_to(node.part(0), {}, node.part(1).span);
    loops_.push_back({true, ir_.region()});
    exec_block(node.body);
    loops_.pop_back();
    for (const auto& [name, binding] : frame_->close()) put(name, {}, binding.span);
    ir_.close_block();
    return;
  }
  const LoopFrame* frame = over.get<LoopFrame>();
  const auto range = static_range(over);  // may be too long for a list
  bool host_range = frame && frame->python_range && (!in_kernel_ || (frame_->python && range));
  if (!frame || host_range) {
    if (range)
      flow = exec_static_loop(node, range->count,
                              [&](int64_t i) { return Value(range->first + i * range->step); });
    else if (auto items = items_of(over, node.part(1).span))
      flow = exec_static_loop(node, static_cast<int64_t>(items->size()),
                              [&](int64_t i) { return (*items)[static_cast<size_t>(i)]; });
    return;
  }
  if (!node.orelse.empty()) return refuse_else(node);
  if (!need_kernel(node.span, "a loop of the kernel")) return;
  LoopFrame loop = *frame;
  if (meant_as_range(node, loop)) return;
  if (loop.form == LoopFrame::Form::bound) {
    flow = exec_static_loop(node, 1, [&](int64_t) { return Value(loop.index); });
    return;
  }
  open_loop(node, loop.form == LoopFrame::Form::parallel);
  if (loop.form == LoopFrame::Form::range) loop_range(node, loop);
  if (loop.form == LoopFrame::Form::parallel) loop_parallel(node, loop);
  if (loop.form == LoopFrame::Form::grid) loop_grid(node, loop);
  if (loop.form == LoopFrame::Form::persistent) loop_persistent(node, loop);
  close_loop(has_iteration(loop));
}

/// Whether a loop of a plain Python function may be unrolled that many times.
bool Elaborator::unrolling_fits(int64_t count, Span span) {
  if (!frame_->python || !in_kernel_ || count <= kMaxCopies / copies_) return true;
  report(Diag::loop_copies, span, syntax::to_decimal(syntax::Int{count} * copies_))
      .help("mark the function with @T.macro, where range(...) is a loop of the kernel");
  return false;
}

Flow Elaborator::exec_static_loop(const syntax::Node& node, int64_t count,
                                  FunctionRef<Value(int64_t)> item) {
  if (!unrolling_fits(count, node.part(1).span)) return Flow::next;
  loops_.push_back({false, ir_.region()});
  const int64_t copies = frame_->python && in_kernel_ ? std::max<int64_t>(count, 1) : 1;
  const int64_t outer_copies = std::exchange(copies_, copies_ * copies);
  Flow flow = Flow::next;
  for (int64_t i = 0; i < count; ++i) {
    host_.poll();
    assign_to(node.part(0), item(i), node.part(1).span);
    flow = exec_block(node.body);
    if (flow == Flow::broke || flow == Flow::returned) break;
  }
  copies_ = outer_copies;
  loops_.pop_back();
  if (flow == Flow::returned) return flow;
  return flow == Flow::broke ? Flow::next : exec_block(node.orelse);
}

Flow Elaborator::exec_body(const syntax::Node& loop) {
  loops_.back().region = ir_.region();
  bool tail = std::exchange(tail_, true);
  Flow flow = exec_block(loop.body);
  tail_ = tail;
  if (flow == Flow::next || flow == Flow::continued) assign_carried(loop.span);
  return flow;
}

/// Names of the loop variables, from the target.
static std::vector<Symbol> loop_names(const syntax::Node& target, size_t count, Emitter& ir) {
  std::vector<Symbol> names;
  bool tuple = target.kind == syntax::Kind::tuple || target.kind == syntax::Kind::list;
  for (size_t i = 0; i < count; ++i) {
    Symbol base = "i";
    if (!tuple && target.kind == syntax::Kind::name)
      base = count == 1 ? target.name : Symbol(target.name.str() + std::to_string(i));
    else if (tuple && i < target.list.size() && target.list[i]->kind == syntax::Kind::name)
      base = target.list[i]->name;
    names.push_back(ir.fresh(base));
  }
  return names;
}

void Elaborator::bind_loop(const syntax::Node& target, const std::vector<Expr>& values) {
  bool tuple = target.kind == syntax::Kind::tuple || target.kind == syntax::Kind::list;
  std::vector<Value> items(values.begin(), values.end());
  if (tuple && target.list.size() == values.size()) {
    for (size_t i = 0; i < values.size(); ++i) bind_loop(*target.list[i], {values[i]});
    return;
  }
  if (tuple) return unpack(target, tuple_of(std::move(items)), target.span);
  // A loop variable may shadow an outer name without a warning, as in Python.
  Value value = items.size() == 1 ? items[0] : tuple_of(std::move(items));
  if (target.kind == syntax::Kind::name)
    put(target.name, std::move(value), target.span);
  else
    assign_to(target, std::move(value), target.span);
}

/// The variables of loops from 0 to the extents, to which the target is bound.
std::vector<Symbol> Elaborator::bind_loops(const syntax::Node& target,
                                           const std::vector<Expr>& extents) {
  std::vector<Symbol> names = loop_names(target, extents.size(), ir_);
  std::vector<Expr> values;
  for (size_t i = 0; i < names.size(); ++i) values.push_back(name_ref(names[i], extents[i]->type));
  bind_loop(target, values);
  return names;
}

void Elaborator::loop_range(const syntax::Node& node, const LoopFrame& frame) {
  auto step = int_value(frame.step);
  bool direct = step && *step > 0;
  Type type = frame.lo[0]->type;
  Expr lo = frame.lo[0], hi = frame.hi[0];
  auto extent_known = int_value(direct ? sub(hi, lo) : trip_count(lo, hi, frame.step));
  if (frame.mode != LoopMode::serial && !extent_known && frame.mode == LoopMode::vec) {
    report(Diag::extent_dynamic, node.part(1).span, expr_text(sub(hi, lo)))
        .help("use T.serial: T.vectorized needs a constant number of iterations");
    return;
  }
  int64_t count = frame.mode == LoopMode::serial ? 1 : extent_known.value_or(1);
  if (direct) count = (count - 1) / *step + 1;
  if (count > kMaxCopies / copies_) {
    std::string loop = frame.mode == LoopMode::vec ? "T.vectorized" : "T.unroll";
    report(Diag::loop_copies, node.part(1).span, syntax::to_decimal(syntax::Int{count} * copies_))
        .help("use T.serial, which makes no copies; or " + loop +
              " of a short loop inside a T.serial loop");
    return;
  }
  const int64_t outer_copies = std::exchange(copies_, copies_ * std::max<int64_t>(count, 1));
  For loop;
  loop.mode = frame.mode == LoopMode::unroll && !extent_known ? LoopMode::serial : frame.mode;
  loop.stages = frame.stages;
  loop.attrs = frame.attrs;
  ir_.open_block();
  loop.var = loop_names(node.part(0), 1, ir_)[0];
  if (auto first = int_value(lo); first && *first < 0 && direct) below_zero_.insert(loop.var);
  Expr var = name_ref(loop.var, type);
  loop.lo = direct ? lo : int_const(0, type.dtype);
  loop.hi = direct ? hi : trip_count(lo, hi, frame.step);
  loop.step = direct ? frame.step : int_const(1, type.dtype);
  const bool down = step && *step < 0;
  const Expr gone = mul(var, down ? int_const(-*step, type.dtype) : frame.step);
  bind_loop(node.part(0), {direct ? var : down ? sub(lo, gone) : add(lo, gone)});
  exec_body(node);
  copies_ = outer_copies;
  loop.body = ir_.close_block();
  emit(make(std::move(loop)), node.span);
}

void Elaborator::loop_grid(const syntax::Node& node, const LoopFrame& frame) {
  size_t count = frame.hi.size();
  for (size_t i = 0; i < count; ++i) ir_.open_block();
  const std::vector<Symbol> names = bind_loops(node.part(0), frame.hi);
  exec_body(node);
  Stmt body = ir_.close_block();
  for (size_t i = count; i-- > 0;) {
    body =
        at(node.span, for_loop(names[i], int_const(0, frame.hi[i]->type.dtype), frame.hi[i], body));
    if (i > 0) {
      emit(body, node.span);
      body = ir_.close_block();
    }
  }
  emit(body, node.span);
}

void Elaborator::loop_parallel(const syntax::Node& node, const LoopFrame& frame) {
  Parallel loop;
  loop.extents = frame.hi;
  loop.attrs = frame.attrs;
  loop.layout = frame.layout;
  ir_.open_block();
  loop.vars = bind_loops(node.part(0), frame.hi);
  ++parallel_;
  exec_body(node);
  --parallel_;
  loop.body = ir_.close_block();
  // Perfectly nested loops form one iteration space, if inner extents do not depend on outer
  // variables.
  const Seq& body = to<Seq>(loop.body);
  const Parallel* inner = body.stmts.size() == 1 ? as<Parallel>(body.stmts[0]) : nullptr;
  auto fixed = [](const Expr& e) { return is_const(e); };
  bool given = loop.layout.known() || (inner && inner->layout.known());
  if (inner && !given && std::all_of(inner->extents.begin(), inner->extents.end(), fixed)) {
    loop.vars.insert(loop.vars.end(), inner->vars.begin(), inner->vars.end());
    loop.extents.insert(loop.extents.end(), inner->extents.begin(), inner->extents.end());
    Stmt below = inner->body;
    loop.body = below;
  }
  auto empty = [](const Expr& e) { return int_value(e).value_or(1) <= 0; };
  if (std::any_of(loop.extents.begin(), loop.extents.end(), empty)) {  // like range(0)
    if (parallel_ == 0) batch_.clear();
    return;
  }
  if (parallel_ == 0 && !batch_.empty()) return emit_drawing(std::move(loop), node.span);
  if (parallel_ == 0 && !reducers_.empty()) return emit_reducing(std::move(loop), node.span);
  emit(make(std::move(loop)), node.span);
}

void Elaborator::loop_persistent(const syntax::Node& node, const LoopFrame& frame) {
  TileLoop loop;
  loop.domain = frame.hi;
  loop.stride = frame.stride;
  loop.order = TileOrder::grouped;
  loop.group = frame.group;
  ir_.open_block();
  loop.vars = bind_loops(node.part(0), frame.hi);
  exec_body(node);
  loop.body = ir_.close_block();
  emit(make(std::move(loop)), node.span);
}

/// A `while` of a plain Python function with a static condition: unrolled.
Flow Elaborator::exec_python_while(const syntax::Node& node, bool test) {
  loops_.push_back({false, ir_.region()});
  Flow flow = Flow::next;
  for (int64_t count = 0; test; ++count) {
    host_.poll();
    flow = exec_block(node.body);
    if (flow == Flow::broke || flow == Flow::returned) break;
    if (count == kMaxCopies) {
      report(Diag::loop_copies, node.part(0).span, "more than " + std::to_string(kMaxCopies))
          .help("make its condition become false");
      break;
    }
    const Value again = eval_truth(node.part(0));
    const auto known = again.poisoned() ? false : static_truth(again, node.part(0).span);
    if (!known)
      report(Diag::static_needed, node.part(0).span, "the condition of this loop", describe(again))
          .label(node.part(0).span, "constant before the first iteration")
          .help("mark the function with @T.macro, and change variables of T.alloc_var in the loop");
    test = known.value_or(false);
  }
  loops_.pop_back();
  if (flow == Flow::returned) return flow;
  return flow == Flow::broke ? Flow::next : exec_block(node.orelse);
}

}  // namespace tilelab::elaborate
