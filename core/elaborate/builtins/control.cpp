// SPDX-License-Identifier: Apache-2.0
// Builtins for loops, thread synchronization, shuffles and votes.
#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_set>

#include "core/diagnostics/usage.h"
#include "core/elaborate/builtins/hints.h"
#include "core/elaborate/elaborator.h"
#include "core/elaborate/limits.h"
#include "core/elaborate/rewrites/named_barriers.h"
#include "core/elaborate/rewrites/rewrites.h"
#include "core/elaborate/rewrites/roles.h"
#include "core/ir/traverse.h"
#include "core/support/text.h"

namespace tilelab::elaborate {

namespace {

/// Expands `order` and `stage` from one entry per `group` to one per statement.
template <class Items, class Number>
void expand_groups(std::vector<int64_t>& order, std::vector<int64_t>& stage, const Argument& given,
                   Items&& items_of, Number&& number_of) {
  const auto groups = items_of(given.value);
  if (!groups || groups->empty() || groups->size() != order.size() ||
      groups->size() != stage.size())
    return;
  std::map<int64_t, std::pair<int64_t, int64_t>> all;  // by statement
  constexpr int64_t kMaxInGroup = 1 << 20;
  for (size_t g = 0; g < groups->size(); ++g) {
    const auto items = items_of((*groups)[g]);
    for (size_t i = 0; items && i < items->size(); ++i)
      if (auto at = number_of((*items)[i]))
        all[*at] = {order[g] < 0 ? -1 : order[g] * kMaxInGroup + int64_t(i), stage[g]};
  }
  order.clear(), stage.clear();
  for (const auto& [at, times] : all) order.push_back(times.first), stage.push_back(times.second);
}

/// Whether a list of T.Pipelined is complete, without an entry left to the compiler.
bool is_complete(const std::vector<int64_t>& list) {
  return !list.empty() && *std::min_element(list.begin(), list.end()) >= 0;
}

}  // namespace

/// serial, unroll, vectorized, Pipelined, range: (stop) or (start, stop[, step]).
Value Elaborator::on_range(Arguments& args) {
  LoopFrame frame;
  const std::string& mode = args.row->data;
  frame.mode = mode == "unroll" ? LoopMode::unroll
               : mode == "vec"  ? LoopMode::vec
                                : LoopMode::serial;
  frame.python_range = mode == "python";
  Value start = args["start"].value, stop = args["stop"].value;
  if (!args.has("stop")) stop = start, start = 0;
  Expr lo, hi;
  if (!unify(start, stop, args.span, lo, hi)) return {};
  Value step = 1;
  for (const Parameter& parameter : args.row->parameters)
    if (parameter.name == "step" && args.has("step")) step = args["step"].value;
  for (const Expr& bound : {lo, hi})
    if (!is_integer(bound->type.dtype) || !bound->type.scalar()) {
      report(Diag::index_type, args.span, "a " + std::string(tilelang_name(bound->type.dtype)))
          .help("use integers: // divides and rounds down, T.ceildiv(a, b) rounds up");
      return {};
    }
  lo = as_index(lo), hi = as_index(hi);
  frame.step = to_dtype(step, lo->type.dtype, args.span);
  if (!frame.step) return {};
  if (is_int(frame.step, 0)) {
    report(Diag::loop_step, args.span).help("omit the step to use 1");
    return {};
  }
  frame.lo = {lo}, frame.hi = {hi};
  if (!frame.python_range && !check_loop(frame, args)) return {};
  if (mode != "pipelined") return frame;
  auto stages =
      static_count(args["num_stages"].value, args["num_stages"].span, "num_stages", 0, kMaxCount);
  if (!stages) return {};
  frame.stages = *stages;
  return pipeline_order(args, frame) ? Value(frame) : Value();
}

/// Reads `order`, `stage` and `group` of T.Pipelined into the frame.
bool Elaborator::pipeline_order(Arguments& args, LoopFrame& frame) {
  std::vector<int64_t> lists[2];
  for (const char* name : {"order", "stage"}) {
    if (!args.has(name)) continue;
    auto items = items_of(args[name].value, args[name].span);
    std::vector<int64_t> list;
    for (const Value& item : items ? *items : std::vector<Value>{})
      if (auto i = static_count(item, args[name].span, name, -1, kMaxCount)) list.push_back(*i);
    if (list.empty()) continue;
    const bool stage = std::string_view(name) == "stage";
    if (stage) frame.stages = *std::max_element(list.begin(), list.end()) + 1;
    lists[stage] = std::move(list);
  }
  if (!pipeline_lists(args, lists[0], lists[1])) return false;
  if (args.has("group"))
    expand_groups(
        lists[0], lists[1], args["group"],
        [&](const Value& list) { return items_of(list, args["group"].span); },
        [&](const Value& number) { return static_int(number, args["group"].span, "group"); });
  if (is_complete(lists[0]) && is_complete(lists[1])) {
    frame.attrs.push_back(attr("order", lists[0]));
    frame.attrs.push_back(attr("stage", lists[1]));
    for (const char* obeyed : {"order", "stage", "group"})
      reported_options_.insert(std::string(args.row->name) + "." + obeyed);
  }
  if (frame.stages == 0) frame.attrs.push_back(attr("auto_stages", true));
  return true;
}

/// Whether `order` and `stage` of T.Pipelined are consistent; -1 leaves a statement to the
/// compiler.
bool Elaborator::pipeline_lists(const Arguments& args, const Index& order, const Index& stage) {
  if (!order.empty() && !stage.empty() && order.size() != stage.size()) {
    report(Diag::statement_unsupported, args["order"].span,
           "an order of " + plural(int64_t(order.size()), "statement") + " with stages of " +
               std::to_string(stage.size()))
        .help("give both lists one number for each statement, or omit them");
    return false;
  }
  std::unordered_set<int64_t> places;
  for (int64_t place : order) {
    if (place < 0 || places.insert(place).second) continue;
    report(Diag::statement_unsupported, args["order"].span,
           "an order in which two statements have the position " + std::to_string(place))
        .help("give each statement a separate position in the iteration");
    return false;
  }
  return true;
}

Value Elaborator::on_parallel(Arguments& args) {
  LoopFrame frame;
  frame.form = args.row->data == "grid" ? LoopFrame::Form::grid : LoopFrame::Form::parallel;
  for (const Argument& extent : args.rest) {
    Expr expr = to_index(extent.value, extent.span);
    if (!expr) return {};
    frame.hi.push_back(std::move(expr));
  }
  if (frame.hi.empty()) {
    report(Diag::call_missing, args.span, "T." + args.row->name, "extent")
        .help("T." + args.row->name + "(64), or T." + args.row->name + "(64, 32) for two loops");
    return {};
  }
  if (!check_loop(frame, args)) return {};
  if (frame.form == LoopFrame::Form::parallel && args.has("coalesced_width"))
    if (auto width =
            static_count(args["coalesced_width"].value, args.span, "coalesced_width", 1, kMaxCount))
      frame.attrs.push_back(attr("coalesced_width", *width));
  if (frame.form == LoopFrame::Form::parallel) {
    std::vector<int64_t> extents;
    for (const Expr& extent : frame.hi) extents.push_back(int_value(extent).value_or(0));
    if (!loop_layout(args, extents, frame.layout)) return {};
  }
  return frame;
}

Value Elaborator::on_persistent(Arguments& args) {
  LoopFrame frame;
  frame.form = LoopFrame::Form::persistent;
  auto domain = shape_of(args["domain"].value, args["domain"].span);
  frame.stride = to_index(args["wave_size"].value, args["wave_size"].span);
  frame.index = to_index(args["index"].value, args["index"].span);
  auto group = static_int(args["group_size"].value, args.span, "group_size");
  if (!domain || !frame.stride || !frame.index || !group) return {};
  const Name* block = as<Name>(frame.index);
  bool is_block = block && !kernel_indices_.empty() && block->id == kernel_indices_[0];
  for (size_t d = 1; d < kernel_frame_.grid.size(); ++d)
    is_block = is_block && is_int(kernel_frame_.grid[d], 1);
  if (!is_block) {
    report(Diag::persistent_index, args["index"].span, expr_text(frame.index))
        .help("pass the block index of a kernel with one grid dimension");
    return {};
  }
  if (const auto step = int_value(frame.stride); step && *step < 1) {
    report(Diag::too_small, args["wave_size"].span, "wave_size", *step, 1)
        .help("pass the number of blocks: every block takes one tile of a wave");
    return {};
  }
  frame.hi = std::move(*domain);
  if (!check_loop(frame, args)) return {};
  auto last = int_value(frame.hi.back());
  frame.group = std::max<int64_t>(1, last ? std::min(*group, *last) : *group);
  return frame;
}

Value Elaborator::on_loop_break(Arguments& args) {
  if (loops_.empty() || !loops_.back().dynamic) {
    report(Diag::loop_control, args.span, "T.loop_break", "outside a loop of the kernel")
        .help("use it in a loop of T.serial or range, or in a while");
    return {};
  }
  leave_loop(args.span);
  return None{};
}

Value Elaborator::on_thread_return(Arguments& args) {
  if (!need_kernel(args.span, "T.thread_return") || !end_thread(args.span, "T.thread_return"))
    return {};
  return None{};
}

/// Ends the kernel for the threads that reach this statement.
bool Elaborator::end_thread(Span span, const char* what) {
  for (const Loop& loop : loops_)
    if (loop.parallel) {
      report(Diag::loop_control, span, what, "in a T.Parallel, whose iterations are not threads")
          .help("put the statements of the iteration under the opposite condition");
      return false;
    }
  emit(thread_return(), span);
  return true;
}

/// T.tvm_storage_sync(scope): the barrier by the scope of the memory that it orders.
Value Elaborator::on_storage_sync(Arguments& args) {
  if (!need_threads(args)) return {};
  const auto* given = args["scope"].value.get<std::string>();
  const std::string scope = given ? *given : "";
  if (scope == "warp") {
    emit(do_call(Intrinsic::warp_sync, {}), args.span);
  } else if (scope == "shared" || scope == "shared.dyn") {
    emit(do_call(Intrinsic::block_sync, {}, {attr("mem", "all")}), args.span);
  } else {
    report(Diag::scope_unknown, args["scope"].span, word_text(args["scope"].value))
        .help("use \"shared\" for a barrier of the block, \"warp\" for one of the warp");
    return {};
  }
  return None{};
}

Value Elaborator::on_sync(Arguments& args) {
  if (!need_threads(args)) return {};
  auto intrinsic = intrinsic_from_name(args.row->data);
  CHECK(intrinsic, args.row->data);
  if (*intrinsic == Intrinsic::block_sync) {
    std::vector<Attr> attrs{attr("mem", "all")};
    const bool numbered = args.has("barrier_id") && !args["barrier_id"].value.is<None>();
    Expr number;
    if (numbered) number = to_index(args["barrier_id"].value, args["barrier_id"].span);
    if (numbered && !number) return {};
    if (args.has("arrive_count") && !args["arrive_count"].value.is<None>()) {
      const auto count =
          static_count(args["arrive_count"].value, args.span, "arrive_count", 1, kMaxCount);
      if (!count) return {};
      if (numbered) return named_barrier(Intrinsic::named_sync, std::move(number), *count, args);
      attrs.push_back(attr(kBarrierThreads, *count));  // resolve_thread_barriers
    } else if (numbered) {
      report(usage::option_no_effect, args["barrier_id"].span, "`barrier_id` of T.sync_threads")
          .note("without arrive_count the barrier is that of all threads");
    }
    emit(do_call(*intrinsic, {}, std::move(attrs)), args.span);
  } else {
    emit(do_call(*intrinsic, {}), args.span);
  }
  return None{};
}

/// T.named_barrier_arrive(id, count).
Value Elaborator::on_named_arrive(Arguments& args) {
  if (!need_threads(args)) return {};
  Expr number = to_index(args["barrier_id"].value, args["barrier_id"].span);
  const Argument& given = args["thread_count"];
  const auto count = static_count(given.value, given.span, "thread_count", 1, kMaxCount);
  if (!number || !count) return {};
  return named_barrier(Intrinsic::named_arrive, std::move(number), *count, args);
}

Value Elaborator::named_barrier(Intrinsic what, Expr number, int64_t count, const Arguments& args) {
  const Stmt made =
      do_call(what, {cast(DType::i32, std::move(number))}, {attr(kBarrierThreads, count)});
  emit(make(Do{{}, at(args.span, to<Do>(made).call)}), args.span);
  return None{};
}

namespace {

/// The source lane of a shuffle within groups of `width` lanes, as PTX defines it: of the operand
/// only the bits of a lane index count, a lane whose source is outside its group reads its own
/// value, and xor may also read a lower group.
Expr source_lane(Intrinsic shuffle, const Expr& by, int64_t width) {
  const Expr lane = name_ref("lane", {DType::i32}), n = int_const(width), place = floormod(lane, n);
  const Expr bits = int_const(std::max<int64_t>(width, kWarp) - 1);
  const Expr delta = binary(BinOp::band, cast(DType::i32, by), bits);
  switch (shuffle) {
    case Intrinsic::shfl_up: return select(ge(place, delta), sub(lane, delta), lane);
    case Intrinsic::shfl_down: return select(lt(add(place, delta), n), add(lane, delta), lane);
    case Intrinsic::shfl_xor: {
      const Expr other = binary(BinOp::bxor, lane, delta);
      return select(ge(floordiv(lane, n), floordiv(other, n)), other, lane);
    }
    default: return add(sub(lane, place), floormod(delta, n));
  }
}

}  // namespace

/// Refuses a lane mask that does not select all lanes, by which warps exchange values. The active
/// lanes are all of them: each collective of a warp is checked to be reached by all.
bool Elaborator::check_full_mask(const Arguments& args) {
  for (size_t i = 0; i < args.bound.size(); ++i) {
    if (args.row->parameters[i].name != "mask") continue;
    const Argument& mask = args.at(i);
    const auto lanes = integer_of(mask.value);
    const Expr* expr = mask.value.get<Expr>();
    const Name* name = expr ? as<Name>(*expr) : nullptr;
    const auto bound = name ? lets_.find(name->id) : lets_.end();
    const Call* call = bound == lets_.end() ? nullptr : as<Call>(bound->second);
    const bool active = call && call->intrinsic == Intrinsic::activemask;
    if (active || mask.value.is<None>() || (lanes && (*lanes == -1 || *lanes == 0xffffffff)))
      continue;
    report(Diag::lane_mask, mask.span, args.row->name)
        .help(
            "let all lanes reach it without `mask`, and give those beyond the data a neutral "
            "value");
    return false;
  }
  return true;
}

Value Elaborator::on_shuffle(Arguments& args) {
  if (!need_kernel(args.span, "T." + args.row->name)) return {};
  auto intrinsic = intrinsic_from_name(args.row->data);
  // value, lane, width; TVM's forms start with the mask and end with the warp width.
  const bool tvm = args.row->parameters[0].name == "mask";
  const Argument& by = args.at(tvm ? 2 : 1);
  if (tvm) args["warp_size"];  // a property of the target
  if (!check_full_mask(args)) return {};
  Expr value = to_expr(args["value"].value, args["value"].span);
  Expr lane = to_index(by.value, by.span);
  if (!value || !lane) return {};
  if (args.has("width") && !args["width"].value.is<None>()) {
    const Span where = args["width"].span;
    const auto width = static_count(args["width"].value, where, "the width of a shuffle", 1, 128);
    if (!width) return {};
    if ((*width & (*width - 1)) != 0) {
      report(Diag::statement_unsupported, where, "a shuffle of width " + std::to_string(*width))
          .help("use a power of two: lanes exchange values within groups of `width`");
      return {};
    }
    lane = source_lane(*intrinsic, lane, *width);
    intrinsic = Intrinsic::shfl;
  }
  Type type = value->type;
  return hoist(tilelab::call(*intrinsic, type, {std::move(value), std::move(lane)}), args.span);
}

/// Butterfly reduction: five exchanges with the lane that differs in one bit give 32 lanes the
/// result.
Value Elaborator::on_warp_reduce(Arguments& args) {
  if (!need_kernel(args.span, "T." + args.row->name)) return {};
  const std::string& op = args.row->data;
  Expr first = to_expr(args["value"].value, args["value"].span);
  if (!first) return {};
  const auto& threads = kernel_frame_.threads;
  if (const int64_t all = threads[0] * threads[1] * threads[2]; all % 32 != 0) {
    report(Diag::warp_partial, args.span, args.row->name, all)
        .help("launch a multiple of 32 threads, and give those beyond the data a neutral value");
    return {};
  }
  Expr mine = hoist(first, args.span);
  for (int64_t bit = 16; bit > 0; bit /= 2) {
    Expr theirs =
        hoist(tilelab::call(Intrinsic::shfl_xor, mine->type, {mine, int_const(bit)}), args.span);
    Argument a{mine, args.span, true}, b{theirs, args.span, true};
    Value both = op == "max"      ? math(Intrinsic::maximum, {a, b}, args.span)
                 : op == "min"    ? math(Intrinsic::minimum, {a, b}, args.span)
                 : op == "bitand" ? binary_op(syntax::Op::bit_and, mine, theirs, args.span)
                 : op == "bitor"  ? binary_op(syntax::Op::bit_or, mine, theirs, args.span)
                                  : binary_op(syntax::Op::add, mine, theirs, args.span);
    if (!both.is<Expr>()) return {};
    mine = hoist(*both.get<Expr>(), args.span);
  }
  return mine;
}

Value Elaborator::on_vote(Arguments& args) {
  if (!need_kernel(args.span, "T." + args.row->name) || !check_full_mask(args)) return {};
  auto intrinsic = intrinsic_from_name(args.row->data);
  std::vector<Expr> operands;
  for (size_t i = 0; i < args.bound.size(); ++i) {
    if (args.row->parameters[i].name != "predicate") continue;
    Expr cond = to_bool(args.at(i).value, args.at(i).span);
    if (!cond) return {};
    operands.push_back(std::move(cond));
  }
  bool mask = *intrinsic == Intrinsic::ballot || *intrinsic == Intrinsic::activemask;
  return hoist(tilelab::call(*intrinsic, {mask ? DType::u32 : DType::bool_}, std::move(operands)),
               args.span);
}

Value Elaborator::on_planned(Arguments& args) {  // unreachable: the status is reported instead
  report(Diag::builtin_planned, args.span, args.row->name);
  return {};
}

}  // namespace tilelab::elaborate
