// SPDX-License-Identifier: Apache-2.0
// Gemm and Reduce: converts operands to the required layouts, and declares workspaces.
#include "core/ir/regions.h"
#include "core/passes/infer_layouts/write.h"
#include "core/passes/shared/reduce_plan.h"
#include "core/support/extents.h"
#include "core/targets/partition.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

// Layout of a region that is copied for reading: the widest vector access that keeps every thread
// busy.
Layout plan_staging(const Index& shape, DType dtype, const ThreadRange& threads,
                    const Target& target) {
  int64_t vec = dividing_width(shape.back(), target.widest_access(bits(dtype)));
  const int64_t count = volume(shape);
  while (vec > 1 && count / vec < threads.count()) vec /= 2;
  return rebased(plan_fragment(shape, threads.count(), vec), threads);
}

/// The layout of a region's box with the region's dimensions of extent 1.
Layout over_region(const Layout& box, const Region& region) {
  Layout out{all_extents(region), {}, box.rep, box.base};
  size_t next = 0;
  for (int64_t extent : out.shape) out.dims.push_back(extent == 1 ? Digits{} : box.dims[next++]);
  return out;
}

bool same_threads(const Layout& a, const Layout& b) { return owns(a, b) && owns(b, a); }

}  // namespace

/// A factor in a fragment, for plain code: staged in a shared buffer, which the operation itself
/// fills if the factor is all of the fragment.
void LayoutRewriter::stage_factor(Gemm& gemm, MatrixOperand which, const ThreadRange& threads,
                                  const Gemm& original, std::vector<Stmt>& before) {
  Expr& expr = which == MatrixOperand::a ? gemm.a : gemm.b;
  const Region region = to<Region>(expr);
  const DType dtype = problem_.dtype_of(region.buffer);
  const std::string origin = "gemm@" + std::to_string(original.span.line);
  const Symbol like = region.buffer.str() + "_smem";
  if (is_whole(region, problem_.shape_of(region.buffer))) {
    Expr staged = new_shared(like, dtype, problem_.shape_of(region.buffer), origin);
    gemm.workspaces.resize(2);
    gemm.workspaces[which == MatrixOperand::a ? 0 : 1] = to<Region>(staged).buffer;
    ++workspaces_;
    return check_can_sync(threads, original, "T.gemm with an operand in a fragment");
  }
  Expr staged = new_shared(like, dtype, all_extents(region), origin);
  copy_between({expr, box_layout(region.buffer, region)}, {staged, {}}, threads, original, before);
  expr = staged;
}

Stmt LayoutRewriter::gemm(const Gemm& original, const ThreadRange& threads) {
  LayoutOp& op = op_of(original);
  Gemm gemm(original);
  gemm.workspaces.clear();
  std::vector<Stmt> before, after;
  for (MatrixOperand which : {MatrixOperand::a, MatrixOperand::b, MatrixOperand::c}) {
    const bool result = which == MatrixOperand::c;
    Expr& expr = which == MatrixOperand::a ? gemm.a : result ? gemm.c : gemm.b;
    const Region region = to<Region>(expr);
    if (!problem_.is_fragment(region.buffer)) continue;
    Layout held = box_layout(region.buffer, region);
    if (!reaches(region.buffer, held, threads, original)) return make(std::move(gemm));
    const bool whole = is_whole(region, problem_.shape_of(region.buffer));
    if (gemm.by == GemmBy::fma && !result) {
      stage_factor(gemm, which, threads, original, before);
      continue;
    }
    const bool any_map = gemm.by == GemmBy::fma && held.known();  // any layout of the result suits
    if (any_map && whole) continue;
    Layout demand = any_map ? over_region(compacted(held), region)
                            : problem_.gemm_demand(original, which, threads);
    if (!demand.known()) continue;
    Layout wanted = squeezed(demand);
    const bool same = held.known() && (any_map || same_map(held, wanted));
    if (whole && same) continue;
    BufferAccess access{region.buffer, {}, result, region.span};
    if (!held.known() || (!same && problem_.state_of(region.buffer).annotated)) {
      op.layout = demand;
      report_conflict(op, access);
      continue;
    }
    Expr copied = new_fragment(region.buffer, problem_.dtype_of(region.buffer), demand.shape,
                               demand, original.span);
    copy_between({expr, held}, {copied, wanted}, threads, original, before);
    if (result) copy_between({copied, wanted}, {expr, held}, threads, original, after);
    expr = copied;
    gemm.wait = -1;  // copies around a matmul do not wait for it
    if (!same)
      report_conversion(op, access,
                        element_count(demand) * bytes(problem_.dtype_of(region.buffer)));
  }
  before.push_back(make(std::move(gemm)));
  before.insert(before.end(), after.begin(), after.end());
  return seq(std::move(before));
}

/// The steps over registers, lanes and warps, and the workspace that the last one needs.
void LayoutRewriter::plan_steps(Reduce& reduce, const Layout& source, const Index& result,
                                const ThreadRange& threads) {
  ReducePlan plan =
      plan_reduce(source, reduce.dims, problem_.context().target.lanes, problem_.kernel().block);
  reduce.order = plan.order();
  reduce.workspace = {};
  const int64_t lanes = problem_.context().target.lanes;
  const bool whole_warps =
      threads.lo % lanes == 0 && (threads.hi % lanes == 0 || threads.hi == whole_.hi);
  if (plan.needs_workspace() || (!plan.shuffles.empty() && !whole_warps))
    check_can_sync(threads, reduce, "this reduction");
  if (plan.needs_workspace()) {
    std::string origin =
        "reduce@" + std::to_string(reduce.span.line) + ":" + std::to_string(reduce.span.col);
    Symbol like = "red" + std::to_string(workspaces_++);
    Expr workspace = new_shared(like, reduce.dst->type.dtype, plan.workspace_shape(result), origin);
    reduce.workspace = to<Region>(workspace).buffer;
  }
}

Stmt LayoutRewriter::reduce(const Reduce& original, const ThreadRange& threads) {
  Reduce reduce(original);
  const Region src = to<Region>(original.src), dst = to<Region>(original.dst);
  if (problem_.scope_of(src.buffer) == Scope::local) return make(std::move(reduce));  // per thread
  for (Symbol operand : {src.buffer, dst.buffer})
    if (problem_.is_fragment(operand) &&
        !reaches(operand, problem_.layout_of(operand), threads, original))
      return make(std::move(reduce));
  std::vector<Stmt> before, after;
  Layout source;
  if (problem_.is_fragment(src.buffer) && is_whole(src, problem_.shape_of(src.buffer))) {
    source = problem_.layout_of(src.buffer);
  } else {                                 // through a fragment of the region's shape
    const Index shape = all_extents(src);  // `dims` counts points as well
    DType dtype = problem_.dtype_of(src.buffer);
    source = plan_staging(shape, dtype, threads, problem_.context().target);
    Expr staged = new_fragment(src.buffer, dtype, shape, source, original.span);
    Layout held = problem_.is_fragment(src.buffer) ? box_layout(src.buffer, src) : Layout{};
    copy_between({original.src, held}, {staged, squeezed(source)}, threads, original, before);
    reduce.src = staged;
  }
  Index target = problem_.shape_of(dst.buffer);
  Layout result = reduced_layout(source, reduce.dims, dst.dims.size() == source.shape.size());
  bool fits = problem_.is_fragment(dst.buffer) && is_whole(dst, target) && result.shape == target &&
              same_threads(problem_.layout_of(dst.buffer), result);
  if (fits) {
    result = problem_.layout_of(dst.buffer);
  } else {
    DType dtype = problem_.dtype_of(dst.buffer);
    Expr staged = new_fragment(dst.buffer, dtype, result.shape, result, original.span);
    Layout held = problem_.is_fragment(dst.buffer) ? box_layout(dst.buffer, dst) : Layout{};
    CopySide mine{staged, squeezed(result)}, theirs{original.dst, held};
    if (!reduce.clear) copy_between(theirs, mine, threads, original, before);
    copy_between(mine, theirs, threads, original, after);
    reduce.dst = staged;
  }
  plan_steps(reduce, source, result.shape, threads);
  before.push_back(make(std::move(reduce)));
  before.insert(before.end(), after.begin(), after.end());
  return seq(std::move(before));
}

bool LayoutRewriter::copy_through_whole(const CopySide& src, const CopySide& dst,
                                        const ThreadRange& threads, const Node& cause,
                                        std::vector<Stmt>& out) {
  auto unmapped = [&](const CopySide& side) {
    const Region& region = to<Region>(side.region);
    return !side.layout.known() && problem_.is_fragment(region.buffer) &&
           !long_extents(region).empty();
  };
  const bool reads = unmapped(src);
  if (!reads && !unmapped(dst)) return false;
  Region part = to<Region>(reads ? src.region : dst.region);
  const CopySide fragment = whole_fragment(part.buffer);
  const DType dtype = problem_.dtype_of(part.buffer);
  const CopySide shared{new_shared(part.buffer.str() + "_smem", dtype,
                                   problem_.shape_of(part.buffer), origin_of(part.buffer, cause)),
                        {}};
  part.buffer = to<Region>(shared.region).buffer;
  const CopySide of_shared{make(std::move(part)), {}};
  copy_between(fragment, shared, threads, cause, out);
  copy_between(reads ? of_shared : src, reads ? dst : of_shared, threads, cause, out);
  if (!reads) copy_between(shared, fragment, threads, cause, out);
  return true;
}

int64_t LayoutRewriter::copy_width(const Expr& src, const Expr& dst, const Layout& layout) const {
  if (layout.dims.empty() || layout.dims.back().empty()) return 1;
  const Digit& low = layout.dims.back().back();
  if (low.kind != 'r' || low.stride != 1) return 1;
  int widest = std::max(bits(src->type.dtype), bits(dst->type.dtype));
  return dividing_width(low.extent, problem_.context().target.widest_access(widest));
}

}  // namespace tilelab
