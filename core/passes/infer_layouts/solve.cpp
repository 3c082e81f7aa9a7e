// SPDX-License-Identifier: Apache-2.0
// Decides the layout of every fragment, once each, in this order:
//   1. annotate_layout, elements that every thread needs, operands of matrix instructions;
//   2. whatever follows: a loop with a decided fragment takes its map and gives it to the others, a
//      reduction's result takes its source's map without the reduced digits;
//   3. the largest undecided fragment, spread by the widest access to memory; then 2. again.
// Then every loop takes a map: the first candidate that owns all it touches.
#include <algorithm>

#include "core/passes/infer_layouts/problem.h"
#include "core/passes/tile_name.h"
#include "core/targets/partition.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

constexpr int64_t kMostSerialRegisters = 64;

/// What the user called the statement.
std::string statement_name(const Node& node) {
  if (node.kind == Kind::Parallel) return "T.Parallel";
  const std::string tile = tile_name(node);
  return tile.empty() ? "a statement that every thread runs" : tile;
}

bool one_element(const Index& shape) {
  return std::all_of(shape.begin(), shape.end(), [](int64_t extent) { return extent == 1; });
}

class Solver {
 public:
  explicit Solver(LayoutProblem& problem) : problem_(problem), ops_(problem.ops()) {}
  void run();

 private:
  void decide_strict();
  bool propagate();
  bool propagate_loop(LayoutOp& op);
  bool propagate_reduce(const LayoutOp& op);
  bool seed_largest();
  int64_t seed_width(Symbol fragment) const;
  /// Dimensions of a fragment that some loop indexes by something other than its variables.
  std::vector<bool> indexed_from_outside(Symbol fragment) const;
  void decide_everywhere(const LayoutOp& op);
  void decide_operands(const LayoutOp& op, const Gemm& gemm);
  void decide_loop(LayoutOp& op);
  std::vector<Layout> loop_candidates(const LayoutOp& op) const;
  Layout own_map(const LayoutOp& op) const;
  const Target& target() const { return problem_.context().target; }

  LayoutProblem& problem_;
  std::vector<LayoutOp>& ops_;
};

/// What every thread reads, every thread holds.
void Solver::decide_everywhere(const LayoutOp& op) {
  for (const LoopAccess& access : op.fragments) {
    FragmentState& state = problem_.state_of(access.buffer);
    if (state.layout.known()) continue;
    // A reduction's result may be everywhere already; then its own map is as good. One element
    // has no other map that suits every thread.
    bool reduces_here =
        !one_element(state.shape) &&
        std::any_of(ops_.begin(), ops_.end(), [&](const LayoutOp& other) {
          const Reduce* reduce = as<Reduce>(other.node);
          return reduce && problem_.base_of(to<Region>(reduce->dst).buffer) == state.buffer->name;
        });
    if (reduces_here) continue;
    state.layout = in_every_thread(state.shape, op.threads);
    state.why = statement_name(*op.node);
    state.span = op.node->span;
  }
}

void Solver::decide_operands(const LayoutOp& op, const Gemm& gemm) {
  const std::pair<MatrixOperand, const char*> operands[] = {
      {MatrixOperand::c, "C"}, {MatrixOperand::a, "A"}, {MatrixOperand::b, "B"}};
  for (auto [operand, letter] : operands) {
    const Symbol buffer = to<Region>(operand_of(gemm, operand)).buffer;
    if (!problem_.is_fragment(buffer) || problem_.layout_of(buffer).known()) continue;
    Layout demand = problem_.gemm_demand(gemm, operand, op.threads);
    if (!demand.known() || demand.shape != problem_.shape_of(buffer)) continue;
    std::string why = "T.gemm (" + std::string(name(gemm.by)) + ", operand " + letter + ")";
    problem_.set_layout(buffer, demand, why, gemm.span);
  }
}

void Solver::decide_strict() {
  for (const LayoutOp& op : ops_) {
    if (op.what == LayoutOp::What::everywhere) decide_everywhere(op);
    if (const Gemm* gemm = as<Gemm>(op.node)) decide_operands(op, *gemm);
  }
}

bool Solver::propagate_loop(LayoutOp& op) {
  bool any_unknown = false, any_known = op.layout.known();
  for (const LoopAccess& access : op.fragments)
    (problem_.layout_of(access.buffer).known() ? any_known : any_unknown) = true;
  if (!any_unknown || !any_known) return false;
  std::vector<Layout> candidates = loop_candidates(op);
  if (candidates.empty()) return false;
  bool changed = false;
  for (const LoopAccess& access : op.fragments) {
    if (problem_.layout_of(access.buffer).known()) continue;
    const Index shape = problem_.shape_of(access.buffer);
    std::optional<Layout> layout = one_element(shape)
                                       ? in_every_thread(shape, op.threads)
                                       : problem_.fragment_for(op, access, candidates[0]);
    if (layout && injective(*layout))
      changed |=
          problem_.set_layout(access.buffer, *layout, statement_name(*op.node), op.node->span);
  }
  return changed;
}

bool Solver::propagate_reduce(const LayoutOp& op) {
  const Reduce& reduce = static_cast<const Reduce&>(*op.node);
  Symbol src = to<Region>(reduce.src).buffer, dst = to<Region>(reduce.dst).buffer;
  if (!problem_.is_fragment(src) || !problem_.is_fragment(dst) || problem_.layout_of(dst).known())
    return false;
  if (!is_whole(to<Region>(reduce.src), problem_.shape_of(src)) ||
      !is_whole(to<Region>(reduce.dst), problem_.shape_of(dst)))
    return false;
  const Layout source = problem_.layout_of(src);
  if (!source.known()) return false;
  const Layout layout =
      reduced_layout(source, reduce.dims, problem_.shape_of(dst).size() == source.shape.size());
  return layout.shape == problem_.shape_of(dst) &&
         problem_.set_layout(dst, layout, statement_name(reduce), reduce.span);
}

bool Solver::propagate() {
  bool changed = false;
  for (LayoutOp& op : ops_) {
    if (op.what == LayoutOp::What::reduce) changed |= propagate_reduce(op);
    if (op.what == LayoutOp::What::loop) changed |= propagate_loop(op);
  }
  return changed;
}

/// The widest access to memory in loops that touch the fragment along its last dimension.
int64_t Solver::seed_width(Symbol fragment) const {
  int64_t widest = 0;
  for (const LayoutOp& op : ops_) {
    if (op.what != LayoutOp::What::loop || op.vars.empty()) continue;
    for (const LoopAccess& access : op.fragments)
      if (problem_.base_of(access.buffer) == fragment && !access.index.empty() &&
          mentions(access.index.back(), op.vars.back()))
        widest = std::max(widest, op.wanted_vec > 0 ? op.wanted_vec : problem_.memory_width(op));
  }
  return widest;
}

std::vector<bool> Solver::indexed_from_outside(Symbol fragment) const {
  std::vector<bool> outside(problem_.state_of(fragment).shape.size(), false);
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

bool Solver::seed_largest() {
  Symbol chosen;
  int64_t most = 0;
  for (Symbol name : problem_.fragments()) {
    const FragmentState& state = problem_.state_of(name);
    int64_t count = 1;
    for (int64_t extent : state.shape) count *= extent;
    if (!state.layout.known() && count > most) most = count, chosen = name;
  }
  if (!chosen) return false;
  FragmentState& state = problem_.state_of(chosen);
  ThreadRange range =
      state.threads.count() > 0 ? state.threads : ThreadRange{0, problem_.kernel().block};
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
  if (vec == 0) vec = target().vector_bytes * 8 / bits(state.buffer->dtype);
  vec = dividing_width(state.shape.back(), std::max<int64_t>(vec, 1));
  while (vec > 1 && most / vec < threads) vec /= 2;
  state.layout = moved_to(plan_fragment(state.shape, threads, vec), range);
  state.why = "its widest access to memory";
  return true;
}

/// Maps of the decided fragments that a loop could take, best first: of what it writes, of what it
/// reads.
std::vector<Layout> Solver::loop_candidates(const LayoutOp& op) const {
  if (op.layout.known()) return {op.layout};
  std::vector<Layout> result;
  for (bool write : {true, false})
    for (const LoopAccess& access : op.fragments) {
      Layout fragment = problem_.layout_of(access.buffer);
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
Layout Solver::own_map(const LayoutOp& op) const {
  int64_t vec = op.wanted_vec > 0 ? op.wanted_vec : std::max<int64_t>(1, problem_.memory_width(op));
  vec = dividing_width(op.extents.back(), vec);
  int64_t count = 1;
  for (int64_t extent : op.extents) count *= extent;
  const int64_t threads = op.threads.count();
  while (op.wanted_vec == 0 && vec > 1 && count / vec < threads) vec /= 2;
  Layout layout = op.writes_fragment() && !op.one_replica ? plan_fragment(op.extents, threads, vec)
                                                          : plan_loop(op.extents, threads, vec);
  return moved_to(std::move(layout), op.threads);
}

void Solver::decide_loop(LayoutOp& op) {
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
      return fits(op, access, problem_.layout_of(access.buffer), candidate);
    });
  };
  auto found = std::find_if(candidates.begin(), candidates.end(), good);
  op.layout = found != candidates.end() ? *found : candidates[0];
  op.vec = problem_.vector_of(op, op.layout);
}

void Solver::run() {
  decide_strict();
  do {
    while (propagate()) {
    }
  } while (seed_largest());
  for (LayoutOp& op : ops_)
    if (op.what == LayoutOp::What::loop) decide_loop(op);
}

}  // namespace

void solve(LayoutProblem& problem) { Solver(problem).run(); }

}  // namespace tilelab
