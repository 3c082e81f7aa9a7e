// SPDX-License-Identifier: Apache-2.0
// Decides the layout of every fragment, once each, in this order:
//   1. annotate_layout, elements that every thread needs, operands of matrix instructions;
//   2. propagation: a loop with a decided fragment takes its layout and passes it on to the others,
//      a reduction's result takes its source's layout without the reduced digits;
//   3. seeding: the largest undecided fragment gets a layout by its widest memory access; then 2.
// Then every loop takes a layout: the first candidate that holds all elements it accesses.
#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "core/analysis/statements.h"
#include "core/passes/infer_layouts/problem.h"
#include "core/support/extents.h"
#include "core/support/interrupt.h"
#include "core/targets/partition.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

constexpr int64_t kMaxSerialRegisters = 64;

/// The user's name of the statement.
std::string statement_name(const Node& node) {
  if (node.kind == Kind::Parallel) return "T.Parallel";
  const std::string tile = tile_name(node);
  return tile.empty() ? "a statement that every thread executes" : tile;
}

bool one_element(const Index& shape) {
  return std::all_of(shape.begin(), shape.end(), [](int64_t extent) { return extent == 1; });
}

class Solver {
 public:
  explicit Solver(LayoutProblem& problem);
  void run();

 private:
  void decide_strict();
  void propagate();
  /// Propagates to operations on the fragment.
  void decided(Symbol fragment);
  const std::vector<size_t>& ops_on(Symbol fragment) const;
  void propagate_loop(LayoutOp& op);
  void propagate_reduce(const LayoutOp& op);
  bool seed_largest();
  void keep_views_whole(FragmentState& state, const ThreadRange& range, int64_t vec) const;
  int64_t seed_width(Symbol fragment) const;
  /// Dimensions of a fragment that some loop indexes by something other than its variables.
  std::vector<bool> indexed_from_outside(Symbol fragment) const;
  void decide_everywhere(const LayoutOp& op);
  void decide_operands(const LayoutOp& op, const Gemm& gemm);
  void decide_loop(LayoutOp& op);
  std::vector<Layout> loop_candidates(const LayoutOp& op) const;
  Layout separate_layout(const LayoutOp& op) const;
  const Target& target() const { return problem_.context().target; }

  LayoutProblem& problem_;
  std::vector<LayoutOp>& ops_;
  std::unordered_map<Symbol, std::vector<size_t>> ops_on_;  // by fragment
  std::unordered_set<Symbol> reduced_;                      // results of reductions
  std::vector<Symbol> by_size_;                             // fragments, the smallest first
  // Worklists of operations: after the current one, and for the next sweep.
  std::set<size_t> open_, again_;
  size_t now_ = 0;
};

Solver::Solver(LayoutProblem& problem) : problem_(problem), ops_(problem.ops()) {
  for (size_t i = 0; i < ops_.size(); ++i) {
    auto note = [&](Symbol fragment) {
      std::vector<size_t>& list = ops_on_[problem.base_of(fragment)];
      if (list.empty() || list.back() != i) list.push_back(i);
    };
    for (const BufferAccess& access : ops_[i].fragments) note(access.buffer);
    const Reduce* reduce = as<Reduce>(ops_[i].node);
    if (reduce) reduced_.insert(problem.base_of(to<Region>(reduce->dst).buffer));
    again_.insert(i);
  }
  // Of equal ones, those that vectors of memory fill decide the layout.
  std::vector<std::pair<std::pair<int64_t, bool>, Symbol>> sizes;
  for (auto it = problem.fragments().rbegin(); it != problem.fragments().rend(); ++it)
    sizes.push_back({{volume(problem.state_of(*it).shape), seed_width(*it) > 1}, *it});
  std::stable_sort(sizes.begin(), sizes.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [size, name] : sizes) by_size_.push_back(name);
}

const std::vector<size_t>& Solver::ops_on(Symbol fragment) const {
  static const std::vector<size_t> none;
  auto it = ops_on_.find(problem_.base_of(fragment));
  return it == ops_on_.end() ? none : it->second;
}

void Solver::decided(Symbol fragment) {
  for (size_t op : ops_on(fragment)) (op > now_ ? open_ : again_).insert(op);
}

/// Every thread holds the elements that every thread reads.
void Solver::decide_everywhere(const LayoutOp& op) {
  for (const BufferAccess& access : op.fragments) {
    FragmentState& state = problem_.state_of(access.buffer);
    if (state.layout.known()) continue;
    // A reduction's result may be replicated already; then its own layout is as good. For one
    // element, no other layout suits every thread.
    if (!one_element(state.shape) && reduced_.count(state.buffer->name)) continue;
    state.layout = replicated(state.shape, op.threads);
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

void Solver::propagate_loop(LayoutOp& op) {
  bool any_unknown = false, any_known = op.layout.known();
  for (const BufferAccess& access : op.fragments)
    (problem_.layout_of(access.buffer).known() ? any_known : any_unknown) = true;
  if (!any_unknown || !any_known) return;
  std::vector<Layout> candidates = loop_candidates(op);
  if (candidates.empty()) return;
  for (const BufferAccess& access : op.fragments) {
    if (problem_.layout_of(access.buffer).known()) continue;
    const Index shape = problem_.shape_of(access.buffer);
    std::optional<Layout> layout = one_element(shape)
                                       ? replicated(shape, op.threads)
                                       : problem_.fragment_for(op, access, candidates[0]);
    if (layout && injective(*layout) &&
        problem_.set_layout(access.buffer, *layout, statement_name(*op.node), op.node->span))
      decided(access.buffer);
  }
}

void Solver::propagate_reduce(const LayoutOp& op) {
  const Reduce& reduce = static_cast<const Reduce&>(*op.node);
  Symbol src = to<Region>(reduce.src).buffer, dst = to<Region>(reduce.dst).buffer;
  if (!problem_.is_fragment(src) || !problem_.is_fragment(dst) || problem_.layout_of(dst).known())
    return;
  if (!is_whole(to<Region>(reduce.src), problem_.shape_of(src)) ||
      !is_whole(to<Region>(reduce.dst), problem_.shape_of(dst)))
    return;
  const Layout source = problem_.layout_of(src);
  if (!source.known()) return;
  const Layout layout =
      reduced_layout(source, reduce.dims, problem_.shape_of(dst).size() == source.shape.size());
  if (layout.shape == problem_.shape_of(dst) &&
      problem_.set_layout(dst, layout, statement_name(reduce), reduce.span))
    decided(dst);
}

/// Worklist iteration to a fixpoint: visits the operations whose fragments have changed, in program
/// order.
void Solver::propagate() {
  for (; !again_.empty(); open_.clear()) {
    std::swap(open_, again_);
    while (!open_.empty()) {
      poll_interrupt();
      now_ = *open_.begin();
      open_.erase(open_.begin());
      LayoutOp& op = ops_[now_];
      if (op.what == LayoutOp::What::reduce) propagate_reduce(op);
      if (op.what == LayoutOp::What::loop) propagate_loop(op);
    }
  }
}

/// The widest memory access in loops that access the fragment along its last dimension.
int64_t Solver::seed_width(Symbol fragment) const {
  int64_t widest = 0;
  for (size_t i : ops_on(fragment)) {
    const LayoutOp& op = ops_[i];
    if (op.what != LayoutOp::What::loop || op.vars.empty()) continue;
    for (const BufferAccess& access : op.fragments)
      if (problem_.base_of(access.buffer) == fragment && !access.index.empty() &&
          mentions(access.index.back(), op.vars.back()))
        widest = std::max(widest, op.wanted_vec > 0 ? op.wanted_vec : problem_.memory_width(op));
  }
  return widest;
}

std::vector<bool> Solver::indexed_from_outside(Symbol fragment) const {
  std::vector<bool> outside(problem_.state_of(fragment).shape.size(), false);
  for (size_t i : ops_on(fragment)) {
    const LayoutOp& op = ops_[i];
    for (const BufferAccess& access : op.fragments) {
      if (op.what != LayoutOp::What::loop || access.buffer != fragment) continue;
      for (size_t d = 0; d < access.index.size(); ++d) {
        bool inside = false;
        for (Symbol var : op.vars) inside = inside || mentions(access.index[d], var);
        if (!inside && outside.size() > 1) outside[d] = true;
      }
    }
  }
  return outside;
}

bool Solver::seed_largest() {
  while (!by_size_.empty() && problem_.state_of(by_size_.back()).layout.known())
    by_size_.pop_back();
  if (by_size_.empty()) return false;
  const Symbol chosen = by_size_.back();
  FragmentState& state = problem_.state_of(chosen);
  const int64_t most = volume(state.shape);
  if (most == 0) return false;
  now_ = ops_.size();
  decided(chosen);
  const ThreadRange range = state.threads.count() > 0 ? state.threads : state.home;
  int64_t threads = range.count();
  state.span = state.buffer->span;
  // x[i, k] and x[i, 0] in a loop over i: each thread needs all of the second dimension.
  std::vector<bool> outside = indexed_from_outside(chosen);
  int64_t whole = 1;
  for (size_t d = 0; d < outside.size(); ++d)
    if (outside[d]) whole *= state.shape[d];
  if (whole > 1 && whole <= kMaxSerialRegisters) {
    int64_t vec = outside.back() ? 1 : std::max<int64_t>(seed_width(chosen), 1);
    vec = dividing_width(state.shape.back(), vec);
    while (vec > 1 && most / whole / vec < threads) vec /= 2;
    state.layout = rebased(plan_fragment(state.shape, threads, outside, vec), range);
    state.why = "indices that T.Parallel does not iterate over";
    keep_views_whole(state, range, vec);
    return true;
  }
  int64_t vec = seed_width(chosen);
  if (vec == 0) vec = target().widest_access(bits(state.buffer->dtype));
  vec = dividing_width(state.shape.back(), std::max<int64_t>(vec, 1));
  while (vec > 1 && most / vec < threads) vec /= 2;
  state.layout = rebased(plan_fragment(state.shape, threads, vec), range);
  state.why = "its widest access to memory";
  keep_views_whole(state, range, vec);
  return true;
}

/// If a view would split a thread's elements: distributes them by linear index, or replicates all
/// of them in each thread, which no view can split.
void Solver::keep_views_whole(FragmentState& state, const ThreadRange& range, int64_t vec) const {
  if (problem_.suits_views(state, state.layout)) return;
  for (int64_t run : {vec, int64_t{1}}) {
    const auto dealt =
        reshape(plan_fragment({volume(state.shape)}, range.count(), run), state.shape);
    if (!dealt || !problem_.suits_views(state, *dealt)) continue;
    state.layout = rebased(*dealt, range);
    return;
  }
  state.layout = replicated(state.shape, range);
  state.why = "views with other shapes";
}

/// Layouts of decided fragments that a loop could take, best first: those it writes, then those it
/// reads.
std::vector<Layout> Solver::loop_candidates(const LayoutOp& op) const {
  if (op.layout.known()) return {op.layout};
  std::vector<Layout> result;
  for (bool write : {true, false})
    for (const BufferAccess& access : op.fragments) {
      Layout fragment = problem_.layout_of(access.buffer);
      if (access.write != write || !fragment.known() || !covers(op, access)) continue;
      std::optional<Layout> map = access_map(op, access, fragment);
      if (!map) continue;
      Layout loop = compacted(trimmed(*map));
      if (op.one_replica) loop.rep.clear();
      if (injective(loop) && decoding(loop, 't') && is_within(loop, op.threads))
        result.push_back(std::move(loop));
    }
  return result;
}

/// A separate layout for the loop, by its memory accesses. A loop that fills fragments runs in
/// every replica; one that only reads them, or changes memory that it reads, in one.
Layout Solver::separate_layout(const LayoutOp& op) const {
  int64_t vec = op.wanted_vec > 0 ? op.wanted_vec : std::max<int64_t>(1, problem_.memory_width(op));
  vec = dividing_width(op.extents.back(), vec);
  int64_t count = 1;
  for (int64_t extent : op.extents) count *= extent;
  const int64_t threads = op.threads.count();
  while (op.wanted_vec == 0 && vec > op.least_vec && count / vec < threads) vec /= 2;
  Layout layout = op.writes_fragment() && !op.one_replica ? plan_fragment(op.extents, threads, vec)
                                                          : plan_loop(op.extents, threads, vec);
  return rebased(std::move(layout), op.threads);
}

void Solver::decide_loop(LayoutOp& op) {
  if (op.extents.empty()) return;
  bool given = op.layout.known();
  std::vector<Layout> candidates = loop_candidates(op);
  if (!given) {
    // Read-only replicas would idle, so a separate layout takes precedence over those.
    auto place = candidates.end();
    if (!op.writes_fragment())
      place = std::find_if(candidates.begin(), candidates.end(),
                           [](const Layout& layout) { return !layout.rep.empty(); });
    candidates.insert(place, separate_layout(op));
  }
  auto good = [&](const Layout& candidate) {
    return std::all_of(op.fragments.begin(), op.fragments.end(), [&](const BufferAccess& access) {
      return fits(op, access, problem_.layout_of(access.buffer), candidate);
    });
  };
  auto found = std::find_if(candidates.begin(), candidates.end(), good);
  op.layout = found != candidates.end() ? *found : candidates[0];
  op.vec = problem_.vector_of(op, op.layout);
}

void Solver::run() {
  decide_strict();
  do propagate();
  while (seed_largest());
  for (LayoutOp& op : ops_)
    if (op.what == LayoutOp::What::loop) decide_loop(op);
}

}  // namespace

void solve(LayoutProblem& problem) { Solver(problem).run(); }

}  // namespace tilelab
