// SPDX-License-Identifier: Apache-2.0
// Builtins for warp specialization and explicit barriers: T.ws, T.alloc_barrier, arrivals, waits
// and fences.
#include <algorithm>
#include <set>

#include "core/elaborate/elaborator.h"
#include "core/elaborate/limits.h"
#include "core/elaborate/rewrites/roles.h"
#include "core/ir/regions.h"
#include "core/support/text.h"

namespace tilelab::elaborate {

static constexpr int64_t kMaxPendingGroups = 7;  // pending groups after a wait for wgmma

namespace {

/// Whether a thread of the block is in one of the groups, a proper subset.
Expr in_groups(const std::set<int64_t>& groups) {
  const Expr tid = name_ref("tid", {DType::i32});
  Expr out;
  for (auto it = groups.begin(); it != groups.end();) {
    const int64_t lo = *it;
    int64_t hi = lo;
    for (; it != groups.end() && *it == hi; ++it) ++hi;
    Expr range = lt(tid, int_const(hi * kGroup));
    if (lo > 0) range = land(ge(tid, int_const(lo * kGroup)), range);
    out = out ? binary(BinOp::lor, out, range) : range;
  }
  return out;
}

}  // namespace

/// `with T.ws(0, 2):`
Flow Elaborator::exec_warp_groups(const syntax::Node& with) {
  const syntax::Node& call = with.list[0]->part(0);
  if (!need_kernel(call.span, "T.ws")) return Flow::next;
  int64_t threads = 1;
  for (int64_t extent : kernel_frame_.threads) threads *= extent;
  std::set<int64_t> groups;
  std::vector<Argument> given;
  for (const syntax::Tree& tree : call.list) {
    const bool several = tree->kind == syntax::Kind::starred;  // T.ws(*groups)
    const Value value = eval(several ? tree->part(0) : *tree);
    auto items = several && !value.poisoned() ? items_of(value, tree->span)
                                              : std::optional(std::vector<Value>{value});
    if (!items) return Flow::next;
    for (Value& item : *items) given.push_back({std::move(item), tree->span, true});
  }
  for (const Argument& one : given) {
    auto group = static_count(one.value, one.span, "a group of T.ws", 0, kMaxCount);
    if (!group) return Flow::next;
    if (*group < 0 || *group >= threads / kGroup) {
      const int64_t last = threads / kGroup - 1;
      report(Diag::warp_group_absent, one.span, *group, plural(threads, "thread"))
          .help(last < 0 ? "a group has 128 threads: use threads=128 or more in T.Kernel"
                         : "its groups are 0" + (last ? " to " + std::to_string(last) : "") +
                               "; or use T.Kernel threads=" +
                               std::to_string((std::max<int64_t>(*group, 0) + 1) * kGroup));
      return Flow::next;
    }
    groups.insert(*group);
  }
  if (groups.empty()) {
    report(Diag::call_missing, call.span, "T.ws", "group")
        .help("use T.ws(0) for threads 0 to 127, T.ws(0, 1) for threads 0 to 255");
    return Flow::next;
  }
  if (static_cast<int64_t>(groups.size()) * kGroup == threads) return exec_block(with.body);
  emit_branches(in_groups(groups), with.body, {}, with);
  return Flow::next;
}

/// Barriers with the given arrival counts: one array if the counts are equal, otherwise a list of
/// arrays of one.
Value Elaborator::declare_barriers(const std::vector<Value>& items, Span given, Span span) {
  std::vector<int64_t> counts;
  for (const Value& item : items) {
    auto count = static_int(item, given, "the number of arrivals");
    if (!count) return {};
    if (*count < 1 || *count > 1 << 16) {
      report(Diag::barrier_count, given, plural(*count, "arrival"))
          .help("set arrive_count to the number of threads that must arrive before the wait ends");
      return {};
    }
    counts.push_back(*count);
  }
  if (counts.empty()) {
    report(Diag::barrier_count, given, "an empty list of arrivals")
        .help("write T.alloc_barrier([128] * 2) for two barriers");
    return {};
  }
  const Symbol name = hint_ ? hint_ : "barrier";
  auto made = [&](int64_t n, int64_t count) {
    BufferRef info = declare(name, Scope::barrier, Buffer().dtype, {int_const(n)}, span);
    Buffer buffer(to<Buffer>(buffer_stmt(*info)));
    buffer.count = count, buffer.unit = Unit::lane;
    emit(make(std::move(buffer)), span);
    return info;
  };
  const auto n = static_cast<int64_t>(counts.size());
  if (std::count(counts.begin(), counts.end(), counts[0]) == n) return made(n, counts[0]);
  std::vector<Value> each;
  for (int64_t count : counts) each.push_back(made(1, count));
  return list_of(std::move(each));
}

/// T.alloc_barrier(128), T.alloc_barrier([128, 256])
Value Elaborator::on_alloc_barrier(Arguments& args) {
  const Argument& given = args["arrive_count"];
  std::vector<Value> items{given.value};
  if (const Sequence* list = given.value.get<Sequence>()) items = *list->items;
  if (!need_kernel(args.span, "T.alloc_barrier")) return {};
  return declare_barriers(items, given.span, args.span);
}

/// T.create_list_of_mbarrier(128, 128), T.create_list_of_mbarrier([128, 128])
Value Elaborator::on_barrier_list(Arguments& args) {
  if (!need_kernel(args.span, "T." + args.row->name)) return {};
  std::vector<Value> items;
  for (const Argument& given : args.rest) items.push_back(given.value);
  if (items.size() == 1)
    if (const Sequence* list = items[0].get<Sequence>()) {
      const std::vector<Value> counts = *list->items;
      items = counts;
    }
  barrier_list_ = declare_barriers(items, args.span, args.span);
  return barrier_list_.poisoned() ? Value() : Value(None{});
}

/// T.get_mbarrier(i)
Value Elaborator::on_barrier_numbered(Arguments& args) {
  const Argument& number = args["mbarrier"];
  if (!need_kernel(args.span, "T." + args.row->name) || barrier_list_.poisoned()) return {};
  if (!barrier_list_.is<None>()) return subscript(barrier_list_, number.value, number.span);
  report(Diag::barrier_needed, number.span, "T." + args.row->name, describe(number.value))
      .help("make the barriers before it: T.create_list_of_mbarrier([128, 128])");
  return {};
}

/// The barrier of an argument; null after an error.
Expr Elaborator::barrier_of(const Argument& given, const Builtin& row) {
  auto found = operand_of(given.value, given.span);
  const bool numbered = !found || found->buffer->scope != Scope::barrier;
  if (numbered && (integer_of(given.value) || given.value.is<Expr>()) &&
      !barrier_list_.is<None>()) {
    const Value listed = subscript(barrier_list_, given.value, given.span);
    if (listed.poisoned()) return nullptr;
    found = operand_of(listed, given.span);
  }
  const bool barrier = found && found->buffer->scope == Scope::barrier;
  const bool one = barrier && found->form != Operand::Form::slice &&
                   (found->form == Operand::Form::head || is_int(found->buffer->shape[0], 1));
  if (one) {
    const BufferInfo& array = *found->buffer;
    const Expr index = found->form == Operand::Form::head ? found->dims[0].lo : int_const(0);
    return region(array.name, array.dtype, {point(cast(DType::i32, index))});
  }
  if (given.value.poisoned()) return nullptr;
  report(Diag::barrier_needed, given.span, "T." + row.name,
         barrier ? "an array of barriers" : describe(given.value))
      .help(barrier ? "select one: `" + found->buffer->name.str() + "[0]`"
                    : "make one before the loop: `b = T.alloc_barrier(128)`");
  return nullptr;
}

/// Arrivals, waits and expected bytes.
Value Elaborator::on_barrier(Arguments& args) {
  if (!need_threads(args)) return {};
  const bool after_copies = args.row->data == "behind_copies";
  auto intrinsic = after_copies ? Intrinsic::bar_arrive : intrinsic_from_name(args.row->data);
  CHECK(intrinsic, args.row->data);
  Expr barrier = barrier_of(args.at(0), *args.row);
  if (!barrier) return {};
  std::vector<Expr> operands{std::move(barrier)};
  if (args.bound.size() > 1) {
    const Argument& number = args.at(1);
    Expr value = to_index(number.value, number.span);
    if (!value) return {};
    operands.push_back(cast(DType::i32, std::move(value)));
  }
  std::vector<Attr> attrs;
  if (after_copies) {  // matrix units see copies, but stores only after a fence of their thread
    emit(do_call(Intrinsic::fence_proxy, {}), args.span);
    attrs.push_back(attr("unit", "copies"));
  }
  const Stmt made = do_call(*intrinsic, std::move(operands), std::move(attrs));
  emit(make(Do{{}, at(args.span, to<Do>(made).call)}), args.span);
  return None{};
}

/// Fences, which have no operands.
Value Elaborator::on_order(Arguments& args) {
  if (!need_threads(args)) return {};
  auto intrinsic = intrinsic_from_name(args.row->data);
  CHECK(intrinsic, args.row->data);
  emit(do_call(*intrinsic, {}), args.span);
  return None{};
}

/// T.inc_max_nreg(count) and similar; budgets are assigned to roles once these are known.
Value Elaborator::on_register_budget(Arguments& args) {
  if (!need_kernel(args.span, "T." + args.row->name)) return {};
  auto count = static_int(args.at(0).value, args.at(0).span, "the number of registers");
  if (args.row->name == "set_max_nreg") args["is_inc"];  // implied by the current budget
  if (!count) return {};
  emit(do_call(Intrinsic::reg_limit, {int_const(*count)}), args.span);
  return None{};
}

/// T.ptx_wait_group(n): all but the last n groups of T.async_copy are complete.
Value Elaborator::on_wait_group(Arguments& args) {
  if (!need_kernel(args.span, "T." + args.row->name)) return {};
  auto n = static_count(args.at(0).value, args.at(0).span, "the number of groups", 0, kMaxCount);
  if (!n) return {};
  emit(do_call(Intrinsic::cp_wait, {int_const(*n)}), args.span);
  return None{};
}

/// Why an explicit asynchronous copy is unsupported here; "" if it is supported.
static std::string explicit_copy_problem(const Operand& src, const Operand& dst, bool dynamic) {
  using Form = Operand::Form;
  if (src.form == Form::head && dst.form == Form::head) return "it copies one element";
  if (dynamic) return "its extents are dynamic";
  const Scope from = src.buffer->scope, into = dst.buffer->scope;
  const bool loads = from == Scope::global && into == Scope::shared;
  if (loads || (from == Scope::shared && into == Scope::global)) return "";
  return "it does not copy between a tensor and a shared buffer";
}

/// T.tma_copy and T.async_copy: copies with an explicit wait.
Value Elaborator::on_explicit_copy(Arguments& args) {
  const bool engine = args.row->data == "engine";
  const std::string called = "T." + args.row->name;
  auto src = operand(args["src"], true), dst = operand(args["dst"], true);
  if (!src || !dst || !need_kernel(args.span, called)) return {};
  const bool loads = dst->buffer->scope == Scope::shared;
  std::string why = explicit_copy_problem(*src, *dst, src->is_dynamic() || dst->is_dynamic());
  if (why.empty() && !engine && !loads) why = "its destination is not in shared memory";
  if (engine && args.has("cluster_mask")) why = "it copies to several blocks of a cluster";
  if (!why.empty()) {
    report(Diag::statement_unsupported, args.span, called + " where " + why)
        .help("write T.copy(src, dst)");
    return {};
  }
  if (engine && !take_eviction_policy(args, *src)) return {};
  extend_past_edge(*src, *dst, lets_), extend_past_edge(*dst, *src, lets_);
  if (!match_extents(*src, *dst)) return {};
  Copy copy;
  copy.src = region_of(*src), copy.dst = region_of(*dst);
  if (!copy.src || !copy.dst) return {};
  if (!engine) {
    copy.attrs = {attr("by_hand", true)};
    if (!loop_layout(args, long_extents(copy.dst), copy.layout)) return {};
  } else if (loads) {
    copy.barrier = barrier_of(args["barrier"], *args.row);
    if (!copy.barrier) return {};
  }
  emit(make(std::move(copy)), args.span);
  return None{};
}

/// How many asynchronous matmuls may be pending after this one, which waits for the others. -1:
/// synchronous.
int64_t Elaborator::pending_matmuls(Arguments& args) {
  if (args.row->name == "wgmma_gemm") return kMaxPendingGroups;
  if (!args.has("wg_wait")) return -1;
  const int64_t left =
      static_int(args["wg_wait"].value, args["wg_wait"].span, "wg_wait").value_or(0);
  if (left == 0) return -1;
  return left < 0 ? kMaxPendingGroups : std::min(left, kMaxPendingGroups);
}

/// T.wait_wgmma(n): waits until at most n matmuls of the group are pending.
Value Elaborator::on_wait_matmuls(Arguments& args) {
  if (!need_threads(args)) return {};
  const Argument& given = args.at(0);
  auto left = static_int(given.value, given.span, "the number of products");
  if (!left) return {};
  const int64_t n = std::clamp<int64_t>(*left, 0, kMaxPendingGroups);
  emit(do_call(Intrinsic::mma_wait, {int_const(n)}), args.span);
  return None{};
}

}  // namespace tilelab::elaborate
