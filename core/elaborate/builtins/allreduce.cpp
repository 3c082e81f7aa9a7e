// SPDX-License-Identifier: Apache-2.0
// TVM's reduction over the threads of a block:
//   with T.attr(T.comm_reducer(lambda x, y: x + y, [identity]), "reduce_scope", ...):
//       T.evaluate(T.tvm_thread_allreduce(T.uint32(1), x, True, r[0], tk, dtype="handle"))
// In every thread, r[0] becomes the combination of the x of all threads that differ only in tk.
// Threads that are lanes of one warp exchange their values by shuffles, in a butterfly; others
// through shared memory, and combine them in thread order.
#include <algorithm>

#include "core/diagnostics/usage.h"
#include "core/elaborate/elaborator.h"
#include "core/ir/compare.h"

namespace tilelab::elaborate {

/// T.comm_reducer(function of two values, [identity]).
Value Elaborator::on_comm_reducer(Arguments& args) {
  const Argument& identity = args["identity"];
  auto items = items_of(identity.value, identity.span);
  if (!items) return {};
  if (items->size() != 1) {
    report(Diag::static_needed, identity.span, "a list of one identity", describe(identity.value))
        .help("T.comm_reducer(lambda x, y: x + y, [T.float32(0)])");
    return {};
  }
  return CombinerValue{std::make_shared<Value>(args["combiner"].value),
                       std::make_shared<Value>((*items)[0])};
}

/// `with T.attr(node, key, value):`; only "reduce_scope" is supported.
Flow Elaborator::exec_attr(const syntax::Node& with) {
  const syntax::Node& call = with.list[0]->part(0);
  const Value node = call.list.size() == 3 ? eval(*call.list[0]) : Value(None{});
  const Value key = call.list.size() == 3 ? eval(*call.list[1]) : Value(None{});
  const CombinerValue* combiner = node.get<CombinerValue>();
  const std::string* text = key.get<std::string>();
  if (node.poisoned() || key.poisoned()) return Flow::next;
  if (text && *text == "async_scope") {
    if (reported_options_.insert("attr.async_scope").second)
      report(usage::option_no_effect, call.span, "T.attr of \"async_scope\"")
          .note(
              "its stores are complete when the next statement starts, so T.cp_async_barrier_noinc "
              "and T.ptx_wait_group do not wait");
    return exec_block(with.body);
  }
  if (!combiner || !text || *text != "reduce_scope") {
    report(Diag::statement_unsupported, call.span, "this T.attr")
        .help(
            "`with T.attr(T.comm_reducer(f, [identity]), \"reduce_scope\", ...):` around "
            "T.tvm_thread_allreduce is supported; remove other attributes, which configure the "
            "passes of TVM");
    return Flow::next;
  }
  auto before = std::exchange(combiner_, *combiner);
  const Flow flow = exec_block(with.body);
  combiner_ = std::move(before);
  return flow;
}

/// The thread dimension of an index, or -1.
int64_t Elaborator::thread_dimension(const Expr& index) const {
  const Name* name = as<Name>(index);
  auto bound = name ? lets_.find(name->id) : lets_.end();
  const Expr& meant = bound == lets_.end() ? index : bound->second;
  for (int64_t d = 0; d < 3; ++d)
    if (equal(meant, thread_index(d)) && kernel_frame_.threads[static_cast<size_t>(d)] > 1)
      return d;
  return -1;
}

/// The thread dimensions that the call reduces over; nullopt after an error.
std::optional<std::set<int64_t>> Elaborator::reduced_threads(const Arguments& args) {
  std::set<int64_t> dims;
  for (const Argument& axis : args.rest) {
    Expr index = to_index(axis.value, axis.span);
    if (!index) return std::nullopt;
    if (is_int(index, 0)) continue;  // a dimension with one thread
    const int64_t dim = thread_dimension(index);
    if (dim < 0) {
      report(Diag::static_needed, axis.span, "a dimension of the threads", describe(axis.value))
          .help("pass the result of T.get_thread_binding(0), (1) or (2)");
      return std::nullopt;
    }
    dims.insert(dim);
  }
  return dims;
}

/// The bits in which the lanes of one reduction differ, highest first; none if they are not within
/// 32 adjacent threads, which are in one warp on every target.
static std::vector<int64_t> lane_bits(const std::vector<int64_t>& threads,
                                      const std::set<int64_t>& dims) {
  const auto is_power = [](int64_t n) { return (n & (n - 1)) == 0; };
  std::vector<int64_t> bits;
  int64_t stride = 1;
  for (size_t d = 0; d < threads.size(); stride *= threads[d++]) {
    if (!dims.count(int64_t(d))) continue;
    if (!is_power(stride) || !is_power(threads[d]) || stride * threads[d] > 32) return {};
    for (int64_t bit = stride; bit < stride * threads[d]; bit *= 2) bits.push_back(bit);
  }
  std::reverse(bits.begin(), bits.end());
  return stride % 32 == 0 ? bits : std::vector<int64_t>();
}

/// Combines the lanes' values; every lane gets the result.
Value Elaborator::combined_by_lanes(Expr mine, const std::vector<int64_t>& bits, Span span) {
  const DType dtype = mine->type.dtype;
  mine = hoist(std::move(mine), span);
  for (const int64_t bit : bits) {
    const Expr theirs =
        hoist(tilelab::call(Intrinsic::shfl_xor, mine->type, {mine, int_const(bit)}), span);
    const Value both =
        call(*combiner_->combine, {{mine, span, true}, {theirs, span, true}}, {}, span, span);
    const Expr next = both.poisoned() ? nullptr : to_dtype(both, dtype, span);
    if (!next) return {};
    mine = hoist(next, span);
  }
  return mine;
}

Value Elaborator::on_thread_allreduce(Arguments& args) {
  if (!need_threads(args)) return {};
  auto count = static_int(args["size"].value, args["size"].span, "the number of values");
  auto always = static_truth(args["condition"].value, args["condition"].span);
  auto result = operand(args["result"]);
  auto dims = reduced_threads(args);
  if (!count || !result || !dims) return {};
  const std::string* type = args["dtype"].value.get<std::string>();
  const bool typed = args.has("dtype") && !(type && *type == "handle");
  if (!combiner_ || typed || *count != 1 || !always.value_or(false)) {
    report(Diag::statement_unsupported, args.span, "this T.tvm_thread_allreduce")
        .help(
            "write it inside `with T.attr(T.comm_reducer(f, [identity]), \"reduce_scope\", ...):`, "
            "with T.uint32(1), one value, True, the element for the result, thread indices, and "
            "dtype=\"handle\"");
    return {};
  }
  const DType dtype = result->buffer->dtype;
  Expr mine = to_dtype(args["value"].value, dtype, args["value"].span);
  if (!mine) return {};
  const auto& threads = kernel_frame_.threads;
  if (const auto bits = lane_bits(threads, *dims); !bits.empty()) {
    const Value all = combined_by_lanes(std::move(mine), bits, args.span);
    if (!all.poisoned()) store_element(result->buffer, result->dims, all, args.span);
    return None{};
  }
  std::vector<Expr> shape;
  std::vector<RegionDim> own;
  std::vector<Expr> theirs;
  std::vector<std::pair<Symbol, int64_t>> loops;
  for (int64_t d = 2; d >= 0; --d) {
    const int64_t extent = threads[static_cast<size_t>(d)];
    shape.push_back(int_const(extent));
    own.push_back(point(thread_index(d)));
    theirs.push_back(thread_index(d));
    if (!dims->count(d)) continue;
    loops.emplace_back(ir_.fresh("other"), extent);
    theirs.back() = name_ref(loops.back().first, {DType::i32});
  }
  BufferRef shared = declare("partial", Scope::shared, dtype, shape, args.span);
  emit(buffer_stmt(*shared), args.span);
  auto sync = [&] { emit(barrier_of_block(), args.span); };
  emit(tilelab::store(shared->name, own, mine), args.span);
  sync();
  Value all = combined(shared, theirs, loops, args.span);
  if (all.poisoned()) return {};
  store_element(result->buffer, result->dims, all, args.span);
  sync();  // before the buffer is reused
  return None{};
}

/// Folds the elements over the loops into a variable, starting from the identity.
Value Elaborator::combined(const BufferRef& shared, const std::vector<Expr>& element,
                           const std::vector<std::pair<Symbol, int64_t>>& loops, Span span) {
  const VarValue all{ir_.fresh("all"), shared->dtype, span};
  const Expr identity = to_dtype(*combiner_->identity, shared->dtype, span);
  if (!identity) return {};
  vars_.insert(all.name);
  emit(var(all.name, all.dtype, identity), span);
  for (size_t i = 0; i < loops.size(); ++i) ir_.open_block();
  const Expr one = load(shared->name, shared->dtype, element);
  Value next = call(*combiner_->combine,
                    {{Expr(name_ref(all.name, {all.dtype})), span, true}, {one, span, true}}, {},
                    span, span);
  if (!next.poisoned()) assign_var(all, next, span);
  for (size_t i = loops.size(); i-- > 0;) {
    Stmt body = ir_.close_block();
    emit(for_loop(loops[i].first, int_const(0), int_const(loops[i].second), body), span);
  }
  return next.poisoned() ? Value{} : Value(all);
}

}  // namespace tilelab::elaborate
