// SPDX-License-Identifier: Apache-2.0
// infer_layouts: decides which thread holds each element and runs each iteration. Afterwards every
// fragment, T.Parallel, plain copy, fill and atomic has its layout. Workspaces of reductions and
// conversions between incompatible layouts are explicit shared buffers with copies, so that later
// passes see their hazards.
//   for i, j in parallel(2, 512): x[i, j] = x[i, j] / s[i]
//   ->  for i, j in parallel(2, 512, lay=[[r(2, 4)], [t(128, 1), r(4, 1)]], vec=4): ...
#include <algorithm>
#include <unordered_set>

#include "core/layout/text.h"
#include "core/passes/infer_layouts/decide.h"
#include "core/passes/infer_layouts/write.h"
#include "core/passes/pass.h"
#include "core/support/text.h"

namespace tilelab {
namespace {

/// Strip-mines a T.Parallel with dynamic extents: serial loops around a T.Parallel with static
/// extents, whose layout has digits. The innermost dynamic extent is cut into tiles that keep all
/// threads busy.
class DynamicExtents {
 public:
  explicit DynamicExtents(const Kernel& kernel)
      : threads_(kernel.block), taken_(names_in(kernel)) {}

  Stmt visit(const Stmt& stmt) {
    return rewrite_stmts(stmt, [&](const Stmt& s) -> Stmt {
      const Parallel* loop = as<Parallel>(s);
      return !loop ? s : runs(*loop) ? cut(*loop, s) : seq({});
    });
  }

 private:
  /// An empty loop has no layout.
  static bool runs(const Parallel& loop) {
    return std::none_of(loop.extents.begin(), loop.extents.end(),
                        [](const Expr& e) { return int_value(e).value_or(1) < 1; });
  }

  Stmt cut(const Parallel& loop, const Stmt& self) {
    int64_t fixed = 1;
    int last = -1;
    for (size_t d = 0; d < loop.extents.size(); ++d) {
      auto extent = int_value(loop.extents[d]);
      if (extent)
        fixed *= *extent;
      else
        last = int(d);
    }
    if (last < 0) return self;
    Parallel inner(loop);
    Expr extent = loop.extents[last];
    DType dtype = extent->type.dtype;
    int64_t piece = std::max<int64_t>(1, threads_ / std::max<int64_t>(1, fixed));
    Symbol round = fresh_name(loop.vars[last].str() + "_round", taken_);
    Symbol part = fresh_name(loop.vars[last].str() + "_part", taken_);
    Expr index =
        add(mul(name_ref(round, {dtype}), int_const(piece, dtype)), name_ref(part, {dtype}));
    inner.body =
        if_then(lt(index, extent), substitute(loop.body, Substitution{{loop.vars[last], index}}));
    inner.vars[last] = part;
    inner.extents[last] = int_const(piece, dtype);
    Expr rounds = floordiv(add(extent, int_const(piece - 1, dtype)), int_const(piece, dtype));
    Stmt out = for_loop(round, int_const(0, dtype), rounds,
                        make_inner(std::move(inner), last, self->span));
    return at(self->span, out);
  }

  /// The remaining dynamic extents become serial loops around.
  Stmt make_inner(Parallel inner, int done, Span span) {
    std::vector<std::pair<Symbol, Expr>> outer;
    for (size_t d = inner.extents.size(); d-- > 0;) {
      if (int(d) == done || int_value(inner.extents[d])) continue;
      outer.emplace_back(inner.vars[d], inner.extents[d]);
      inner.vars.erase(inner.vars.begin() + d);
      inner.extents.erase(inner.extents.begin() + d);
      if (int(d) < done) --done;
    }
    Stmt out = at(span, make(std::move(inner)));
    for (auto& [var, extent] : outer)
      out = for_loop(var, int_const(0, extent->type.dtype), extent, out);
    return out;
  }

  int64_t threads_;
  std::unordered_map<Symbol, int> taken_;
};

/// Clones statements that the tree shares, since decisions are looked up by node.
class DistinctStatements {
 public:
  Stmt visit(const Stmt& stmt) {
    Stmt out = map_stmts(stmt, [&](const Stmt& s) { return visit(s); });
    if (seen_.insert(out.get()).second) return out;
    return tilelab::visit(*out, [&](const auto& node) -> Stmt {
      using T = std::remove_cvref_t<decltype(node)>;
      if constexpr (std::is_same_v<typename T::NodeBase, StmtNode>)
        return keep(make(T(node)));
      else
        UNREACHABLE("an expression among statements");
    });
  }

 private:
  Stmt keep(Stmt copy) {
    seen_.insert(copy.get());
    return copy;
  }
  std::unordered_set<const Node*> seen_;
};

std::string decided_line(LayoutProblem& problem) {
  std::vector<std::string> parts;
  for (const LayoutOp& op : problem.ops())
    if (const Gemm* gemm = as<Gemm>(op.node); gemm && gemm->warps.size() == 2)
      parts.push_back(to<Region>(gemm->c).buffer.str() + ": " + std::to_string(gemm->warps[0]) +
                      "x" + std::to_string(gemm->warps[1]) + " warps");
  if (!problem.fragments().empty())
    parts.push_back(plural(int64_t(problem.fragments().size()), "fragment"));
  return join(parts, ", ");
}

}  // namespace

Kernel apply_layouts(LayoutProblem& problem, std::unordered_map<Symbol, int>& taken) {
  LayoutRewriter rewriter(problem, taken);
  Kernel kernel(problem.kernel());
  kernel.body = rewriter.kernel_body();
  return kernel;
}

FuncRef infer_layouts(const FuncRef& func, PassContext& context) {
  std::unordered_map<Symbol, int> taken = names_in(*func);
  return rewrite_kernels(func, [&](const Kernel& original) {
    Kernel kernel(original);
    kernel.body = as_rows(*func, kernel, taken);
    kernel.body = DistinctStatements().visit(DynamicExtents(kernel).visit(kernel.body));
    const auto best = decide(*func, kernel, context);
    LayoutProblem& problem = *best->problem;
    for (const BufferSwizzle& each : best->swizzles) context.reasons.push_back(each.reason);
    std::string line = decided_line(problem);
    if (!line.empty()) context.decide(line);
    for (Symbol name : problem.fragments()) {
      const FragmentState& state = problem.state_of(name);
      context.reasons.push_back(line_prefix(*state.buffer) + name.str() + ": " +
                                to_text(state.layout) + ", because of " + state.why);
    }
    return make(apply_layouts(problem, taken));
  });
}

}  // namespace tilelab
