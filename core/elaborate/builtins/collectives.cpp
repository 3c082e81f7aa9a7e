// SPDX-License-Identifier: Apache-2.0
// Collective operations of warps, blocks and grids: T.match_any_sync, T.syncthreads_count,
// T.sync_grid; and T.thread_binding, TVM's name for a thread or block index.
#include "core/elaborate/builtins/hints.h"
#include "core/elaborate/elaborator.h"
#include "core/elaborate/rewrites/rewrites.h"

namespace tilelab::elaborate {

/// T.thread_binding(0, 32, thread="threadIdx.x"), or T.thread_binding(32, "threadIdx.x"): the
/// index, as a loop variable or as a value.
Value Elaborator::on_bound_loop(Arguments& args) {
  if (!need_kernel(args.span, "T.thread_binding")) return {};
  if (args["stop"].value.is<std::string>() && !args["thread"].given)
    args.bound[args.index("thread")] =
        std::exchange(args.bound[args.index("stop")], Argument{None{}, args.span, false});
  const bool two = args.has("stop") && !args["stop"].value.is<None>();
  const Argument& count = args[two ? "stop" : "start"];
  auto first = two ? static_int(args["start"].value, args["start"].span, "the first index") : 0;
  Expr extent = to_index(count.value, count.span);
  const auto* text = args["thread"].value.get<std::string>();
  const std::string name = text ? *text : "";
  const bool of_thread = name.starts_with("threadIdx.");
  const size_t dim = name.empty() ? 3 : std::string_view("xyz").find(name.back());
  if (!first || !extent) return {};
  if ((!of_thread && !name.starts_with("blockIdx.")) || dim > 2) {
    report(Diag::static_needed, args["thread"].span, "the name of an index",
           describe(args["thread"].value))
        .help("threadIdx.x, .y or .z, or blockIdx.x, .y or .z");
    return {};
  }
  const Expr all = of_thread                         ? int_const(kernel_frame_.threads[dim])
                   : dim < kernel_frame_.grid.size() ? kernel_frame_.grid[dim]
                                                     : int_const(1);
  const auto given = int_value(extent), there = int_value(all);
  if (*first != 0 || (given && there && *given != *there)) {
    report(Diag::thread_extent, args.span, name, expr_text(all),
           expr_text(sub(cast(DType::i64, extent), int_const(*first, DType::i64))))
        .label(kernel_span_, "launched here")
        .help(of_thread ? "`threads` of T.Kernel sets their number, in up to three dimensions"
                        : "the extents in T.Kernel(...) set their number");
    return {};
  }
  LoopFrame frame;
  frame.form = LoopFrame::Form::bound;
  frame.index = of_thread ? thread_index(static_cast<int64_t>(dim))
                : dim < kernel_indices_.size() && dim < kernel_frame_.grid.size()
                    ? name_ref(kernel_indices_[dim], {DType::i32})
                    : int_const(0);
  return frame;
}

/// A grid-wide barrier: ends the kernel and starts another one (split_launches.h), or in a loop or
/// a branch makes blocks that all run at once wait (resident_blocks.cpp).
Value Elaborator::on_sync_grid(Arguments& args) {
  const std::string called = "T." + args.row->name;
  if (!need_kernel(args.span, called)) return {};
  if (ir_.depth() != kernel_block_) {
    emit(resident_barrier(), args.span);
    return None{};
  }
  grid_barriers_.push_back({ir_.block().size(), args.span});
  return None{};
}

/// Counts the threads in which a condition holds, by atomic additions between two block barriers.
Value Elaborator::on_block_vote(Arguments& args) {
  if (!need_threads(args)) return {};
  Expr holds = to_bool(args["predicate"].value, args["predicate"].span);
  if (!holds) return {};
  const auto& threads = kernel_frame_.threads;
  const int64_t all = threads[0] * threads[1] * threads[2];
  BufferRef shared = declare("votes", Scope::shared, DType::i32, {int_const(1)}, args.span);
  emit(buffer_stmt(*shared), args.span);
  auto sync = [&] { emit(barrier_of_block(), args.span); };
  const Expr first = eq(name_ref("tid", {DType::i32}), int_const(0));
  emit(if_then(first, tilelab::store(shared->name, {point(int_const(0))}, int_const(0))),
       args.span);
  sync();
  ir_.open_block();
  const Value place = subscript(shared, int64_t{0}, args.span);
  call_builtin(*find_builtin("atomic_add"),
               {{place, args.span, true}, {int64_t{1}, args.span, true}}, {}, args.span);
  emit(if_then(holds, ir_.close_block()), args.span);
  sync();
  const Expr count = hoist(load(shared->name, DType::i32, {int_const(0)}), args.span);
  sync();  // before the counter is reused
  if (args.row->data == "count") return count;
  const bool each = args.row->data == "and";
  const Expr found = each ? eq(count, int_const(all)) : lt(int_const(0), count);
  return select(found, int_const(1), int_const(0));
}

/// T.match_any_sync(x): the mask of lanes, within 32 adjacent ones, that have the same x;
/// match_all_sync: all bits or none.
Value Elaborator::on_match(Arguments& args) {
  if (!need_kernel(args.span, "T." + args.row->name) || !check_full_mask(args)) return {};
  Expr value = to_expr(args["value"].value, args["value"].span);
  if (!value) return {};
  const DType dtype = value->type.dtype;
  value = hoist(is_float(dtype) ? tilelab::call(Intrinsic::bits,
                                                {bits(dtype) == 64   ? DType::u64
                                                 : bits(dtype) == 16 ? DType::u16
                                                 : bits(dtype) == 8  ? DType::u8
                                                                     : DType::u32},
                                                {value})
                                : value,
                args.span);
  const Expr active =
      hoist(tilelab::call(Intrinsic::ballot, {DType::u32}, {bool_const(true)}), args.span);
  const Expr lane = name_ref("lane", {DType::i32});
  const Expr group = sub(lane, floormod(lane, int_const(32)));
  const Symbol name = ir_.fresh("same");
  vars_.insert(name);
  const Expr same = name_ref(name, {DType::u32});
  emit(var(name, DType::u32, int_const(0, DType::u32)), args.span);
  ir_.open_block();
  const Symbol other_lane = ir_.fresh("other");
  const Expr other = name_ref(other_lane, {DType::i32});
  const Expr bit = binary(BinOp::shl, int_const(1, DType::u32), cast(DType::u32, other));
  ir_.open_block();
  const Expr theirs =
      hoist(tilelab::call(Intrinsic::shfl, value->type, {value, add(group, other)}), args.span);
  emit(tilelab::assign(
           to<Name>(same).id,
           binary(BinOp::bor, same, select(eq(theirs, value), bit, int_const(0, DType::u32)))),
       args.span);
  Stmt of_one = ir_.close_block();
  emit(if_then(binary(BinOp::ne, binary(BinOp::band, active, bit), int_const(0, DType::u32)),
               of_one),
       args.span);
  Stmt body = ir_.close_block();
  emit(for_loop(other_lane, int_const(0), int_const(32), body, LoopMode::unroll), args.span);
  const Expr found = hoist(same, args.span);
  if (args.row->data == "any") return found;
  return select(eq(found, active), found, int_const(0, DType::u32));
}

}  // namespace tilelab::elaborate
