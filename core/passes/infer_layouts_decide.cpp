// SPDX-License-Identifier: Apache-2.0
// Decides the layout of every fragment, once each, in this order:
//   1. annotate_layout, elements that every thread needs, operands of matrix instructions;
//   2. whatever follows: a loop with a decided fragment takes its map and gives it to the others, a
//      reduction's result takes its source's map without the reduced digits;
//   3. the largest undecided fragment, spread by the widest access to memory; then 2. again.
// Then every loop takes a map: the first candidate that owns all it touches.
#include <algorithm>

#include "core/layout/fragments.h"
#include "core/passes/infer_layouts.h"
#include "core/targets/partition.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

constexpr int64_t kMostSerialRegisters = 64;

std::string statement_name(const Node& node) {
  switch (node.kind) {
    case Kind::Parallel: return "T.Parallel";
    case Kind::Copy: return "T.copy";
    case Kind::Fill: return "T.fill";
    case Kind::Atomic: return "T.atomic";
    case Kind::Gemm: return "T.gemm";
    case Kind::Reduce: return "T.reduce";
    default: return "a statement that every thread runs";
  }
}

/// `layout` of the last two dimensions under leading dimensions of extent 1.
Layout with_leading(Layout layout, size_t rank) {
  while (layout.shape.size() < rank) {
    layout.shape.insert(layout.shape.begin(), 1);
    layout.dims.insert(layout.dims.begin(), Digits{});
  }
  return layout;
}

}  // namespace

Layout LayoutProblem::gemm_demand(const Gemm& gemm, char operand,
                                  const ThreadRange& threads) const {
  const Region& c = to<Region>(gemm.c);
  const Region& a = to<Region>(gemm.a);
  size_t rank = c.dims.size(), rank_a = a.dims.size();
  int64_t m = c.dims[rank - 2].extent, n = c.dims[rank - 1].extent;
  int64_t k = a.dims[rank_a - (gemm.trans_a ? 2 : 1)].extent;
  if (gemm.by == GemmBy::fma) {
    if (operand != 'c') return {};
    int64_t vec = context_.target.vector_bytes * 8 / bits(dtype_of(c.buffer));
    return moved_to(with_leading(plan_accumulator(m, n, threads.count(), vec), rank), threads);
  }
  const MatrixUnit* unit = context_.target.unit(gemm.by);
  if (!unit || gemm.inst.size() != 3 || gemm.warps.size() != 2) return {};
  GemmTiling tiling{unit->fragments,
                    m,
                    n,
                    k,
                    gemm.inst[0],
                    gemm.inst[1],
                    gemm.inst[2],
                    gemm.warps[0],
                    gemm.warps[1],
                    context_.target.lanes,
                    bits(dtype_of(a.buffer))};
  std::optional<Layout> layout;
  if (operand == 'c') layout = accumulator_layout(tiling);
  if (operand == 'a') layout = operand_layout(tiling, MatrixOperand::a);
  if (operand == 'b') layout = operand_layout(tiling, MatrixOperand::b);
  if (!layout) return {};
  if ((operand == 'a' && gemm.trans_a) || (operand == 'b' && gemm.trans_b))
    layout = permute(*layout, {1, 0});
  const Expr& region = operand == 'a' ? gemm.a : operand == 'b' ? gemm.b : gemm.c;
  return moved_to(with_leading(*layout, to<Region>(region).dims.size()), threads);
}

Layout LayoutProblem::reduced_layout(const Reduce& reduce) const {
  Layout layout = layout_of(to<Region>(reduce.src).buffer);
  if (!layout.known()) return {};
  Index target = shape_of(to<Region>(reduce.dst).buffer);
  bool keep = target.size() == layout.shape.size();
  std::vector<int64_t> dims = reduce.dims;
  std::sort(dims.rbegin(), dims.rend());
  for (int64_t dim : dims) layout = reduced(layout, size_t(dim), keep);
  if (layout.shape.empty()) layout = with_leading(layout, target.size());  // all of it: one value
  return compacted(layout);
}

namespace {

bool one_element(const Index& shape) {
  return std::all_of(shape.begin(), shape.end(), [](int64_t extent) { return extent == 1; });
}

}  // namespace

void LayoutProblem::decide_strict() {
  for (const LayoutOp& op : ops_) {
    if (op.what == LayoutOp::What::everywhere)
      for (const LoopAccess& access : op.fragments) {
        FragmentState& state = fragments_.at(base_of(access.buffer));
        if (state.layout.known()) continue;
        // A reduction's result may be everywhere already; then its own map is as good. One element
        // has no other map that suits every thread.
        bool reduces_here =
            !one_element(state.shape) &&
            std::any_of(ops_.begin(), ops_.end(), [&](const LayoutOp& other) {
              const Reduce* reduce = as<Reduce>(other.node);
              return reduce && base_of(to<Region>(reduce->dst).buffer) == state.buffer->name;
            });
        if (reduces_here) continue;
        state.layout = in_every_thread(state.shape, op.threads);
        state.why = statement_name(*op.node);
        state.span = op.node->span;
      }
    const Gemm* gemm = as<Gemm>(op.node);
    if (!gemm) continue;
    for (char operand : {'c', 'a', 'b'}) {
      const Expr& expr = operand == 'a' ? gemm->a : operand == 'b' ? gemm->b : gemm->c;
      const Region& region = to<Region>(expr);
      if (!is_fragment(region.buffer) || layout_of(region.buffer).known()) continue;
      Layout demand = gemm_demand(*gemm, operand, op.threads);
      if (!demand.known() || demand.shape != shape_of(region.buffer)) continue;
      std::string why = "T.gemm (" + std::string(name(gemm->by)) + ", operand " +
                        std::string(1, char(operand - 'a' + 'A')) + ")";
      set_layout(region.buffer, demand, why, gemm->span);
    }
  }
}

bool LayoutProblem::propagate_loop(LayoutOp& op) {
  bool any_unknown = false, any_known = op.layout.known();
  for (const LoopAccess& access : op.fragments)
    (layout_of(access.buffer).known() ? any_known : any_unknown) = true;
  if (!any_unknown || !any_known) return false;
  std::vector<Layout> candidates = loop_candidates(op);
  if (candidates.empty()) return false;
  bool changed = false;
  for (const LoopAccess& access : op.fragments) {
    if (layout_of(access.buffer).known()) continue;
    const Index shape = shape_of(access.buffer);
    std::optional<Layout> layout = one_element(shape) ? in_every_thread(shape, op.threads)
                                                      : fragment_for(op, access, candidates[0]);
    if (layout && injective(*layout))
      changed |= set_layout(access.buffer, *layout, statement_name(*op.node), op.node->span);
  }
  return changed;
}

bool LayoutProblem::propagate_reduce(const LayoutOp& op) {
  const Reduce& reduce = static_cast<const Reduce&>(*op.node);
  Symbol src = to<Region>(reduce.src).buffer, dst = to<Region>(reduce.dst).buffer;
  if (!is_fragment(src) || !is_fragment(dst) || layout_of(dst).known()) return false;
  if (!is_whole(to<Region>(reduce.src), shape_of(src)) ||
      !is_whole(to<Region>(reduce.dst), shape_of(dst)))
    return false;
  Layout layout = reduced_layout(reduce);
  return layout.known() && layout.shape == shape_of(dst) &&
         set_layout(dst, layout, statement_name(reduce), reduce.span);
}

bool LayoutProblem::propagate() {
  bool changed = false;
  for (LayoutOp& op : ops_) {
    if (op.what == LayoutOp::What::reduce) changed |= propagate_reduce(op);
    if (op.what == LayoutOp::What::loop) changed |= propagate_loop(op);
  }
  return changed;
}

/// The widest access to memory in loops that touch the fragment along its last dimension.
int64_t LayoutProblem::seed_width(Symbol fragment) const {
  int64_t widest = 0;
  for (const LayoutOp& op : ops_) {
    if (op.what != LayoutOp::What::loop || op.vars.empty()) continue;
    for (const LoopAccess& access : op.fragments)
      if (base_of(access.buffer) == fragment && !access.index.empty() &&
          mentions(access.index.back(), op.vars.back()))
        widest = std::max(widest, op.wanted_vec > 0 ? op.wanted_vec : memory_width(op));
  }
  return widest;
}

std::vector<bool> LayoutProblem::indexed_from_outside(Symbol fragment) const {
  std::vector<bool> outside(fragments_.at(fragment).shape.size(), false);
  for (const LayoutOp& op : ops_)
    for (const LoopAccess& access : op.fragments) {
      if (op.what != LayoutOp::What::loop || access.buffer != fragment) continue;
      for (size_t d = 0; d < access.index.size(); ++d) {
        bool inside = false;
        for (Symbol var : op.vars) inside = inside || mentions(access.index[d], var);
        if (!inside && outside.size() > 1) outside[d] = true;
      }
    }
  return outside;
}

bool LayoutProblem::seed_largest() {
  Symbol chosen;
  int64_t most = 0;
  for (Symbol name : order_) {
    const FragmentState& state = fragments_.at(name);
    int64_t count = 1;
    for (int64_t extent : state.shape) count *= extent;
    if (!state.layout.known() && count > most) most = count, chosen = name;
  }
  if (!chosen) return false;
  FragmentState& state = fragments_.at(chosen);
  ThreadRange range = state.threads.count() > 0 ? state.threads : ThreadRange{0, kernel_.block};
  int64_t threads = range.count();
  state.span = state.buffer->span;
  // x[i, k] and x[i, 0] in a loop over i: each thread needs all of the second dimension.
  std::vector<bool> outside = indexed_from_outside(chosen);
  int64_t whole = 1;
  for (size_t d = 0; d < outside.size(); ++d)
    if (outside[d]) whole *= state.shape[d];
  if (whole > 1 && whole <= kMostSerialRegisters) {
    state.layout = moved_to(plan_fragment(state.shape, threads, outside), range);
    state.why = "indices that T.Parallel doesn't run over";
    return true;
  }
  int64_t vec = seed_width(chosen);
  if (vec == 0) vec = context_.target.vector_bytes * 8 / bits(state.buffer->dtype);
  vec = dividing_width(state.shape.back(), std::max<int64_t>(vec, 1));
  while (vec > 1 && most / vec < threads) vec /= 2;
  state.layout = moved_to(plan_fragment(state.shape, threads, vec), range);
  state.why = "its widest access to memory";
  return true;
}

/// Maps of the decided fragments that a loop could take, best first: of what it writes, of what it
/// reads.
std::vector<Layout> LayoutProblem::loop_candidates(const LayoutOp& op) const {
  if (op.layout.known()) return {op.layout};
  std::vector<Layout> result;
  for (bool write : {true, false})
    for (const LoopAccess& access : op.fragments) {
      Layout fragment = layout_of(access.buffer);
      if (access.write != write || !fragment.known() || !covers(op, access)) continue;
      std::optional<Layout> map = access_map(op, access, fragment);
      if (!map) continue;
      Layout loop = compacted(trimmed(*map));
      if (op.one_replica) loop.rep.clear();
      if (injective(loop) && lies_in(loop, op.threads)) result.push_back(std::move(loop));
    }
  return result;
}

/// A map of the loop's own, by its accesses to memory. A loop that fills fragments runs in every
/// replica, one that only reads them, or changes memory that it reads, in one.
Layout LayoutProblem::own_map(const LayoutOp& op) const {
  int64_t vec = op.wanted_vec > 0 ? op.wanted_vec : std::max<int64_t>(1, memory_width(op));
  vec = dividing_width(op.extents.back(), vec);
  int64_t count = 1;
  for (int64_t extent : op.extents) count *= extent;
  const int64_t threads = op.threads.count();
  while (op.wanted_vec == 0 && vec > 1 && count / vec < threads) vec /= 2;
  Layout layout = op.writes_fragment() && !op.one_replica ? plan_fragment(op.extents, threads, vec)
                                                          : plan_loop(op.extents, threads, vec);
  return moved_to(std::move(layout), op.threads);
}

void LayoutProblem::decide_loop(LayoutOp& op) {
  if (op.extents.empty()) return;
  bool given = op.layout.known();
  std::vector<Layout> candidates = loop_candidates(op);
  if (!given) {
    // Replicas that only read would idle: a map of its own comes before those.
    auto place = candidates.end();
    if (!op.writes_fragment())
      place = std::find_if(candidates.begin(), candidates.end(),
                           [](const Layout& layout) { return !layout.rep.empty(); });
    candidates.insert(place, own_map(op));
  }
  auto good = [&](const Layout& candidate) {
    return std::all_of(op.fragments.begin(), op.fragments.end(), [&](const LoopAccess& access) {
      return fits(op, access, layout_of(access.buffer), candidate);
    });
  };
  auto found = std::find_if(candidates.begin(), candidates.end(), good);
  op.layout = found != candidates.end() ? *found : candidates[0];
  op.vec = vector_of(op, op.layout);
}

void LayoutProblem::decide() {
  decide_strict();
  do {
    while (propagate()) {
    }
  } while (seed_largest());
  for (LayoutOp& op : ops_)
    if (op.what == LayoutOp::What::loop) decide_loop(op);
}

}  // namespace tilelab
