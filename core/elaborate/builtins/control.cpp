// SPDX-License-Identifier: Apache-2.0
// Builtins for loops, thread synchronization and kernel annotations.
#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_set>

#include "core/diagnostics/usage.h"
#include "core/elaborate/builtins/hints.h"
#include "core/elaborate/elaborator.h"
#include "core/elaborate/extents.h"
#include "core/elaborate/rewrites/named_barriers.h"
#include "core/elaborate/rewrites/returns.h"
#include "core/ir/configs.h"
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
  if (!pipeline_lists(args, lists[0], lists[1])) return {};
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
  return frame;
}

/// Whether `order` and `stage` of T.Pipelined are consistent; -1 leaves a statement to the
/// compiler.
bool Elaborator::pipeline_lists(const Arguments& args, const std::vector<int64_t>& order,
                                const std::vector<int64_t>& stage) {
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
  if (!need_kernel(args.span, "T.thread_return")) return {};
  for (const Loop& loop : loops_)
    if (loop.parallel) {
      report(Diag::loop_control, args.span, "T.thread_return",
             "in a T.Parallel, whose iterations are not threads")
          .help("put the statements of the iteration under the opposite condition");
      return {};
    }
  emit(thread_return(), args.span);
  return None{};
}

Value Elaborator::on_sync(Arguments& args) {
  if (!need_kernel(args.span, "T." + args.row->name)) return {};
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
    }
    emit(do_call(*intrinsic, {}, std::move(attrs)), args.span);
  } else {
    emit(do_call(*intrinsic, {}), args.span);
  }
  return None{};
}

/// T.named_barrier_arrive(id, count).
Value Elaborator::on_named_arrive(Arguments& args) {
  if (!need_kernel(args.span, "T." + args.row->name)) return {};
  Expr number = to_index(args["barrier_id"].value, args["barrier_id"].span);
  const Argument& given = args["thread_count"];
  const auto count = static_count(given.value, given.span, "thread_count", 1, kMaxCount);
  if (!number || !count) return {};
  return named_barrier(Intrinsic::named_arrive, std::move(number), *count, args);
}

Value Elaborator::named_barrier(Intrinsic what, Expr number, int64_t count, const Arguments& args) {
  if (parallel_ > 0) {
    report(Diag::parallel_tile_op, args.span, "T." + args.row->name)
        .help("move it out of the loop: it applies to threads, not to iterations");
    return {};
  }
  const Stmt made =
      do_call(what, {cast(DType::i32, std::move(number))}, {attr(kBarrierThreads, count)});
  emit(make(Do{{}, at(args.span, to<Do>(made).call)}), args.span);
  return None{};
}

namespace {

/// The source lane of a shuffle within groups of `width` lanes, as in CUDA: a lane whose source is
/// outside its group reads its own value; xor may also read a lower group.
Expr source_lane(Intrinsic shuffle, const Expr& by, int64_t width) {
  const Expr lane = name_ref("lane", {DType::i32}), n = int_const(width), place = floormod(lane, n);
  const Expr delta = cast(DType::i32, by);
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

/// Refuses a lane mask that does not select all lanes, by which warps exchange values.
bool Elaborator::check_full_mask(const Arguments& args) {
  for (size_t i = 0; i < args.bound.size(); ++i) {
    if (args.row->parameters[i].name != "mask") continue;
    const Argument& mask = args.at(i);
    const auto lanes = integer_of(mask.value);
    if (mask.value.is<None>() || (lanes && (*lanes == -1 || *lanes == 0xffffffff))) continue;
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
    auto width = static_int(args["width"].value, args["width"].span, "the width of a shuffle");
    if (!width) return {};
    if (*width < 1 || *width > 128 || (*width & (*width - 1)) != 0) {
      report(Diag::static_needed, args["width"].span, "a width of 1, 2, 4 and so on up to the warp",
             std::to_string(*width))
          .help("lanes exchange values within groups of `width`");
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

// ---- annotations

Value Elaborator::on_use_swizzle(Arguments& args) {
  if (!need_kernel(args.span, "T.use_swizzle")) return {};
  if (!static_truth(args["enable"].value, args.span).value_or(true)) return None{};
  auto panel =
      static_count(args["panel_size"].value, args["panel_size"].span, "panel_size", 1, INT32_MAX);
  const auto* text = args["order"].value.get<std::string>();
  const std::string order = text ? *text : "";
  if (!panel) return {};
  if (order != "row" && order != "column") {
    report(Diag::swizzle_order, args.span, word_text(args["order"].value))
        .help("use a panel_size of at least 1, and the order \"row\" or \"column\"");
    return {};
  }
  kernel_attrs_.push_back(attr("panel", *panel));
  kernel_attrs_.push_back(attr("panel_order", order));
  return None{};
}

Value Elaborator::on_min_blocks(Arguments& args) {
  auto count = static_count(args["n"].value, args["n"].span, "the number of blocks", 1, kMaxCount);
  if (!count || !need_kernel(args.span, "T." + args.row->name)) return {};
  kernel_attrs_.push_back(attr("min_blocks", *count));
  return None{};
}

Value Elaborator::on_safe_value(Arguments& args) {
  const Dictionary* dict = args["values"].value.get<Dictionary>();
  if (!dict) {
    report(Diag::static_needed, args.span, "the table of safe values",
           describe(args["values"].value))
        .help("T.annotate_safe_value({A: 0.0})");
    return {};
  }
  for (const auto& [key, value] : *dict->items) {
    const BufferRef* buffer = key.get<BufferRef>();
    if (!buffer || (*buffer)->scope != Scope::global) {
      report(Diag::buffer_needed, args.span, "T.annotate_safe_value", describe(key))
          .help("use tensors of the kernel as keys: T.annotate_safe_value({A: 0.0})");
      return {};
    }
    Expr safe = to_dtype(value, (*buffer)->dtype, args.span);
    if (safe) (*buffer)->safe = safe;
  }
  return None{};
}

Value Elaborator::on_restrict_buffers(Arguments& args) {
  for (const Argument& given : args.rest) {
    const BufferRef* buffer = given.value.get<BufferRef>();
    if (!buffer || (*buffer)->scope != Scope::global) {
      report(Diag::buffer_needed, given.span, "T.annotate_restrict_buffers", describe(given.value))
          .help("pass tensors of the kernel: T.annotate_restrict_buffers(A, B)");
      return {};
    }
    BufferRef tensor = *buffer;
    while (tensor->viewed) tensor = tensor->viewed;
    tensor->aliased = true;
  }
  return None{};
}

bool Elaborator::uses_units() const {
  const Attr* set = find_attr(configs_, "tilelab.hardware_units");
  return !set || set->integer != 0;
}

Value Elaborator::on_configs(Arguments& args) {
  const Dictionary* dict = args["configs"].value.get<Dictionary>();
  if (!dict) {
    report(usage::option_ignored, args["configs"].span, "`configs` of T.annotate_pass_configs")
        .note("only a literal dict is supported")
        .help(
            "write `T.annotate_pass_configs({\"tilelab.fp_contract\": False})`, or pass the dict "
            "to "
            "tilelang.jit as `pass_configs`");
    return None{};
  }
  bool units = uses_units();
  for (const auto& [key, value] : *dict->items) {
    const auto* name = key.get<std::string>();
    if (name && *name == "tilelab.hardware_units") units = integer_of(value).value_or(1) != 0;
  }
  for (const auto& [key, value] : *dict->items) {
    const auto* name = key.get<std::string>();
    auto number = integer_of(value);
    const auto* text = value.get<std::string>();
    if (name && config_is_unknown(*name)) {
      std::vector<std::string> known;
      for (const ConfigRow& row : config_rows()) known.emplace_back(row.name);
      const std::string ours = name->starts_with("tilelab.") ? *name : "tilelab." + *name;
      suggest(report(usage::pass_config_unknown, args["configs"].span, "'" + *name + "'"), ours,
              known);
      continue;
    }
    if (name && !config_is_read(*name, units) && reported_options_.insert(*name).second)
      report(usage::option_no_effect, args.span, "the pass configuration " + *name)
          .note("it configures the passes of another compiler; results are the same without it");
    if (name && text)
      configs_.push_back(attr(Symbol(*name), *text));
    else if (name && number)
      configs_.push_back(value.is<bool>() ? attr(Symbol(*name), *number != 0)
                                          : attr(Symbol(*name), *number));
  }
  return None{};
}

Value Elaborator::on_assume(Arguments& args) {
  if (request_.signature_only) return None{};
  Expr cond = to_bool(args["condition"].value, args["condition"].span);
  if (!cond || is_int(cond, 1)) return None{};
  const std::string message = "Assume: " + expr_text(cond);
  if (!in_kernel_ || signature_.computes(cond)) {  // evaluated by the host
    signature_.use_extents({cond}, ir_);
    Check check;
    check.cond = std::move(cond);
    check.message = message;
    ir_.block(0).push_back(at(args.span, Stmt(make(std::move(check)))));
    return None{};
  }
  Record record;
  record.what = RecordKind::assume;
  record.message = message;
  record.values = {std::move(cond)};
  emit(make(std::move(record)), args.span);
  return None{};
}

Value Elaborator::on_planned(Arguments& args) {  // unreachable: the status is reported instead
  report(Diag::builtin_planned, args.span, args.row->name);
  return {};
}

}  // namespace tilelab::elaborate
