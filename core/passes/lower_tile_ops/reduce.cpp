// SPDX-License-Identifier: Apache-2.0
// Reductions: over the registers of a thread, then over lanes by shuffles, then over warps through
// the workspace; the order is fixed everywhere, so that all replicas of a result are bit-equal. The
// plan comes from reduce_plan.h, as in infer_layouts.
#include <algorithm>
#include <cmath>

#include "core/layout/layout.h"
#include "core/passes/lower_tile_ops/lowering.h"
#include "core/passes/shared/reduce_plan.h"

namespace tilelab {
namespace {

Expr identity(ReduceOp op, DType dtype) {
  switch (op) {
    case ReduceOp::max:
      if (dtype == DType::e8m0) return constant({dtype}, 0);  // without a sign
      return is_float(dtype) ? float_const(-INFINITY, dtype) : int_const(min_int(dtype), dtype);
    case ReduceOp::min:
      return is_float(dtype) ? float_const(INFINITY, dtype) : int_const(max_int(dtype), dtype);
    case ReduceOp::bitand_: return int_const(-1, dtype);
    default: return number(0, dtype);
  }
}

Expr combine(const Reduce& reduce, const Expr& a, const Expr& b) {
  Type type = a->type;
  if (reduce.nan_propagate) {
    auto is_nan = [](const Expr& e) { return call(Intrinsic::isnan, {DType::bool_}, {e}); };
    Reduce plain(reduce);
    plain.nan_propagate = false;
    return select(binary(BinOp::lor, is_nan(a), is_nan(b)), float_const(NAN, type.dtype),
                  combine(plain, a, b));
  }
  switch (reduce.op) {
    case ReduceOp::sum:
    case ReduceOp::abssum: return add(a, b);
    case ReduceOp::max:
    case ReduceOp::absmax: return call(Intrinsic::maximum, type, {a, b});
    case ReduceOp::min: return call(Intrinsic::minimum, type, {a, b});
    case ReduceOp::bitand_: return binary(BinOp::band, a, b);
    case ReduceOp::bitor_: return binary(BinOp::bor, a, b);
    case ReduceOp::bitxor_: return binary(BinOp::bxor, a, b);
  }
  UNREACHABLE("reduce op");
}

/// The contribution of a source element to the accumulator.
Expr entering(ReduceOp op, DType dtype, Expr value) {
  value = cast(dtype, value);
  if (op != ReduceOp::abssum && op != ReduceOp::absmax) return value;
  return call(Intrinsic::abs, value->type, {value});
}

Expr digit_value(const Expr& thread, const Digit& digit) {
  return floormod(floordiv(thread, int_const(digit.stride)), int_const(digit.extent));
}

/// The parts of one reduction, in the order in which they run.
class ReduceLowering {
 public:
  ReduceLowering(const Reduce& reduce, LoweringScope here, Lowering& lowering)
      : lowering_(lowering),
        here_(std::move(here)),
        reduce_(reduce),
        src_(lowering.storage(to<Region>(reduce.src).buffer)),
        dst_(lowering.storage(to<Region>(reduce.dst).buffer)),
        plan_(plan_reduce(src_.layout, reduce.dims, lowering.lanes(), lowering.block())) {
    keeps_dims_ = dst_.shape.size() == src_.shape.size();
  }

  Stmt lower() {
    if (plan_.needs_workspace() && !reduce_.workspace)
      return lowering_.refuse(reduce_, "a reduction over several warps without a workspace");
    Stmt declare;
    target_ = dst_.name;
    if (!reduce_.clear) {  // the old value is combined at the end
      Buffer partial(*dst_.buffer);
      partial.name = target_ = lowering_.fresh(dst_.name.str() + "_part");
      partial.scope = Scope::local;
      partial.shape = {int_const(extent(dst_.layout, 'r'))};
      partial.layout = dst_.layout;
      partial.safe = nullptr;
      declare = make(std::move(partial));
    }
    std::vector<Stmt> stmts{declare, in_registers(), over_lanes()};
    if (plan_.needs_workspace()) {
      stmts.push_back(to_workspace());
      stmts.push_back(lowering_.block_barrier(here_));
      stmts.push_back(from_workspace());
    }
    if (!reduce_.clear) stmts.push_back(join_old());
    return seq(std::move(stmts));
  }

 private:
  bool reduced(size_t dim) const {
    for (int64_t d : reduce_.dims)
      if (static_cast<size_t>(d) == dim) return true;
    return false;
  }
  std::vector<Expr> result_index(const std::vector<Expr>& source) const {
    std::vector<Expr> index;
    for (size_t d = 0; d < source.size(); ++d) {
      if (!reduced(d))
        index.push_back(source[d]);
      else if (keeps_dims_)
        index.push_back(int_const(0));
    }
    return index;
  }
  Expr accumulator(const std::vector<Expr>& index) const {
    return load(target_, dst_.dtype, {here_.register_of(dst_.layout, index)});
  }
  Stmt accumulate(const std::vector<Expr>& index, Expr value) const {
    return store(target_, {point(here_.register_of(dst_.layout, index))}, std::move(value));
  }
  /// Body for each result that this thread holds.
  template <class F> Stmt each_result(F&& body) {
    Walk walk = lowering_.walk(dst_.layout, {"i"}, here_);
    return wrap(walk, body(walk));
  }

  /// Body for each result register in every thread, also in those that hold none: a shuffle needs
  /// all lanes of its warp (partners hold the same result, so no value leaks).
  template <class F> Stmt each_register(F&& body) {
    Symbol var = lowering_.fresh("i");
    return for_loop(var, int_const(0), int_const(extent(dst_.layout, 'r')), body(name_ref(var)),
                    LoopMode::unroll);
  }

  Stmt in_registers() {
    Stmt clear = each_register([&](const Expr& reg) {
      return store(target_, {point(reg)}, identity(reduce_.op, dst_.dtype));
    });
    Walk walk = lowering_.walk(src_.layout, {"i"}, here_);
    std::vector<Expr> index = result_index(walk.index);
    Expr element = load(src_.name, src_.dtype, {here_.register_of(src_.layout, walk.index)});
    Stmt step = accumulate(
        index, combine(reduce_, accumulator(index), entering(reduce_.op, dst_.dtype, element)));
    return seq({clear, wrap(walk, step)});
  }

  Stmt over_lanes() {
    if (plan_.shuffles.empty()) return nullptr;
    return each_register([&](const Expr& reg) {
      For loop;
      loop.var = lowering_.fresh("o");
      loop.steps = plan_.shuffles;
      loop.mode = LoopMode::unroll;
      loop.lo = loop.hi = int_const(0);
      loop.step = int_const(1);
      Expr mine = load(target_, dst_.dtype, {reg});
      Expr other = call(Intrinsic::shfl_xor, mine->type, {mine, name_ref(loop.var)});
      Stmt bind;
      if (reduce_.nan_propagate) {  // its expansion uses them twice
        bind = let(lowering_.fresh("other"), other);
        other = name_ref(to<Let>(bind).name, mine->type);
      }
      loop.body = seq({bind, store(target_, {point(reg)}, combine(reduce_, mine, other))});
      return make(std::move(loop));
    });
  }

  std::vector<Expr> workspace_index(std::vector<Expr> result, Expr part) const {
    result.push_back(std::move(part));
    return result;
  }

  Stmt to_workspace() {
    Expr thread = sub(here_.tid(), int_const(src_.layout.base));
    Expr writer, part = int_const(0);
    for (const Digit& lane : plan_.lanes)
      writer = land(writer, eq(digit_value(thread, lane), int_const(0)));
    for (const Digit& replica : src_.layout.rep)
      if (replica.extent > 1) writer = land(writer, eq(digit_value(thread, replica), int_const(0)));
    for (const Digit& cross : plan_.cross)
      part = add(mul(part, int_const(cross.extent)), digit_value(thread, cross));
    part = here_.simplified(part);
    Stmt body = each_result([&](const Walk& walk) {
      return store(reduce_.workspace, points(workspace_index(walk.index, part)),
                   accumulator(walk.index));
    });
    return writer ? if_then(here_.simplified(writer), body) : body;
  }

  Stmt from_workspace() {
    return each_result([&](const Walk& walk) {
      Symbol var = lowering_.fresh("w");
      Expr part = load(reduce_.workspace, dst_.dtype, workspace_index(walk.index, name_ref(var)));
      Stmt clear = accumulate(walk.index, identity(reduce_.op, dst_.dtype));
      Stmt step = accumulate(walk.index, combine(reduce_, accumulator(walk.index), part));
      return seq({clear, for_loop(var, int_const(0), int_const(plan_.cross_extent), step,
                                  LoopMode::unroll)});
    });
  }

  Stmt join_old() {
    return each_result([&](const Walk& walk) {
      Expr reg = here_.register_of(dst_.layout, walk.index);
      Expr old = load(dst_.name, dst_.dtype, {reg});
      return store(dst_.name, {point(reg)}, combine(reduce_, old, accumulator(walk.index)));
    });
  }

  Lowering& lowering_;
  LoweringScope here_;
  const Reduce& reduce_;
  Storage src_, dst_;
  ReducePlan plan_;
  bool keeps_dims_;
  Symbol target_;
};

/// Private memory: each thread reduces its own.
Stmt reduce_local(const Reduce& reduce, Lowering& lowering) {
  const Region &src = to<Region>(reduce.src), &dst = to<Region>(reduce.dst);
  Storage from = lowering.storage(src.buffer), into = lowering.storage(dst.buffer);
  std::vector<Expr> source, result;
  std::vector<Walk::Loop> loops, result_loops;
  for (size_t d = 0; d < src.dims.size(); ++d) {
    Symbol var = lowering.fresh("v");
    bool reduced = std::find(reduce.dims.begin(), reduce.dims.end(), static_cast<int64_t>(d)) !=
                   reduce.dims.end();
    source.push_back(offset_by(src.dims[d].lo, name_ref(var)));
    loops.push_back({var, src.dims[d].extent});
    if (!reduced)
      result.push_back(name_ref(var)), result_loops.push_back({var, src.dims[d].extent});
    else if (dst.dims.size() == src.dims.size())
      result.push_back(int_const(0));
  }
  if (result.empty()) result.push_back(int_const(0));
  for (size_t d = 0; d < result.size(); ++d) result[d] = offset_by(dst.dims[d].lo, result[d]);
  Expr accumulator = load(into.name, into.dtype, result);
  Expr element = entering(reduce.op, into.dtype, load(from.name, from.dtype, source));
  Walk all{source, loops, nullptr, nullptr}, results{result, result_loops, nullptr, nullptr};
  Stmt step = store(into.name, points(result), combine(reduce, accumulator, element));
  Stmt clear =
      reduce.clear
          ? wrap(results, store(into.name, points(result), identity(reduce.op, into.dtype)))
          : nullptr;
  return seq({clear, wrap(all, step)});
}

}  // namespace

Stmt lower(const Reduce& reduce, LoweringScope here, Lowering& lowering) {
  const Region &src = to<Region>(reduce.src), &dst = to<Region>(reduce.dst);
  const Storage from = lowering.storage(src.buffer), into = lowering.storage(dst.buffer);
  if (from.scope() == Scope::local) {
    const size_t kept = std::max<size_t>(1, src.dims.size() - reduce.dims.size());
    if (into.spread() || (dst.dims.size() != src.dims.size() && dst.dims.size() != kept))
      return lowering.refuse(reduce, "a reduction of private memory into that of another shape");
    return reduce_local(reduce, lowering);
  }
  if (!from.spread() || !into.spread())
    return lowering.refuse(reduce, "a reduction of a buffer that is not a fragment");
  return ReduceLowering(reduce, std::move(here), lowering).lower();
}

}  // namespace tilelab
