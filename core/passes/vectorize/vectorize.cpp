// SPDX-License-Identifier: Apache-2.0
// vectorize: the innermost loop of a T.Parallel or a copy, marked by lower_tile_ops with the width
// that infer_layouts chose, becomes vector accesses if addresses are contiguous and aligned:
//   for v in unroll(4): C[i + v] = A[i + v] + B[i + v]   ->   C[i:i + 4] = A[i:i + 4] + B[i:i + 4]
// Predicates that may differ between lanes split the code into a vector version for all lanes, and
// a scalar one; uniform ones (lane_body.h) guard the vector. Operations without a vector form are
// computed element by element between vector loads and a vector store.
//   for v in unroll(4):                          x_v[0:4] = A[i:i + 4]
//       x = A[i + v]                        ->   C[i:i + 4] = x_v[0:4] * x_v[0:4]
//       C[i + v] = x * x
#include <algorithm>
#include <deque>

#include "core/analysis/effects.h"
#include "core/analysis/scoped_visitor.h"
#include "core/analysis/statements.h"
#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/passes/pass.h"
#include "core/passes/vectorize/vectorize.h"
#include "core/support/text.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

/// The effect at the end of nested branches and statement lists.
std::optional<VectorEffect> last_effect(const Stmt& stmt) {
  if (const If* s = as<If>(stmt)) return s->else_ ? std::nullopt : last_effect(s->then_);
  const Seq* list = as<Seq>(stmt);
  if (!list) return vector_effect(stmt);
  return list->stmts.empty() ? std::nullopt : last_effect(list->stmts.back());
}

class Vectorizer : ScopedVisitor {
 public:
  Vectorizer(const Func& func, VectorContext context)
      : ScopedVisitor(func), func_(func), context_(std::move(context)) {}
  int made = 0, refused = 0;

  Stmt visit(const Stmt& stmt) {
    const For* loop = as<For>(stmt);
    if (loop && loop->vec) return marked(*loop);
    if (loop && loop->mode == LoopMode::vec)
      if (const int64_t width = width_of(*loop); width > 1) {
        For wide(*loop);
        wide.vec = width;
        return at(stmt->span, marked(wide));
      }
    return map_inside(stmt, [&](const Stmt& s) { return visit(s); });
  }

 private:
  /// Vectorizes with the marked width; sums are split into parts of the target's atomic width.
  Stmt marked(const For& wide) {
    if (context_.taken.empty()) context_.taken = names_in(func_);
    For loop(wide);
    const auto effect = last_effect(loop.body);
    const int64_t sums =
        effect && effect->is_sum() ? context_.target.widest_sum(effect->value->type.dtype) : 1;
    if (sums > 1) loop.vec = std::min(loop.vec, sums);
    const int64_t width = loop.vec, n = *int_value(loop.hi);
    if (width > 1 && n > width && n % width == 0) return split(loop, width);
    if (n == width)
      if (Stmt vector = vector_loop(loop, facts_, context_)) {
        ++made;
        return at(loop.span, vector);
      }
    ++refused;
    For plain(loop);
    plain.vec = 0;
    return make(std::move(plain));
  }

  /// Bits of the widest element that a value reads, except in indices and in conditions that are
  /// uniform for all lanes.
  static int64_t widest_load(const Node& value, Symbol var) {
    int64_t out = 0;
    walk(value, [&](const Node& node) {
      if (const Load* l = as<Load>(&node)) {
        out = std::max<int64_t>(out, bits(l->type.dtype));
        return false;
      }
      const Select* s = as<Select>(&node);
      if (!s || mentions(s->cond, var)) return true;
      out = std::max({out, widest_load(*s->a, var), widest_load(*s->b, var)});
      return false;
    });
    return out;
  }

  /// For T.vectorized: elements of the widest access that its types allow; 1 if vector execution
  /// would change the result. A loop that iterations may leave stays one loop, whose iterations end
  /// in order.
  int64_t width_of(const For& loop) const {
    if (contains<Break>(*loop.body)) return 1;
    const auto effect = last_effect(loop.body);
    const bool counts = loop.steps.empty() && is_int(loop.lo, 0) && is_int(loop.step, 1);
    if (!effect || !counts || !int_value(loop.hi)) return 1;
    int64_t widest = bits(effect->value->type.dtype);
    if (any_of(*loop.body, [&](const Load& l) {
          return context_.views.base_of(l.buffer) == context_.views.base_of(effect->buffer);
        }))
      return 1;
    walk(*loop.body, [&](const Node& node) {
      const Store* store = as<Store>(&node);
      if (store) widest = std::max(widest, widest_load(*store->value, loop.var));
      const bool expr = group(node.kind) == Group::expr;
      if (expr) widest = std::max(widest, widest_load(node, loop.var));
      return !store && !expr;
    });
    int64_t most = context_.target.widest_access(widest);
    if (effect->is_sum())
      most = std::min(most, context_.target.widest_sum(effect->value->type.dtype));
    return dividing_width(*int_value(loop.hi), most);
  }

  /// Strip-mines a loop longer than a vector.
  Stmt split(const For& loop, int64_t width) {
    Symbol round = fresh_name(loop.var, context_.taken),
           lane = fresh_name(loop.var, context_.taken);
    Expr value = add(mul(name_ref(round), int_const(width)), name_ref(lane));
    For inner(loop);
    inner.var = lane;
    inner.hi = int_const(width);
    inner.body = substitute(loop.body, {{loop.var, value}});
    For outer(loop);
    outer.attrs.clear(), outer.vec = 0;
    outer.var = round;
    outer.hi = int_const(*int_value(loop.hi) / width);
    return scoped([&] {
      enter(outer);
      outer.body = marked(inner);
      return make(std::move(outer));
    });
  }

  const Func& func_;
  VectorContext context_;
};

/// The buffers, and the views of memory that have a layout as separate buffers.
BufferTable with_views(const Func& func, std::deque<Buffer>& viewed) {
  BufferTable table = buffers_of(func);
  const BufferViews views = views_of(*func.body);
  for (const auto& [name, view] : views) {
    const auto found = table.find(views.base_of(name));
    if (found == table.end()) continue;
    const Buffer& base = *found->second;
    if (base.scope != Scope::global && base.scope != Scope::shared) continue;
    if (auto made = view_as_buffer(base, *view)) viewed.push_back(std::move(*made));
  }
  for (const Buffer& made : viewed) table[made.name] = &made;
  return table;
}

}  // namespace

FuncRef vectorize(const FuncRef& func, PassContext& context) {
  std::deque<Buffer> viewed;
  Vectorizer vectorizer(*func,
                        {context.target, with_views(*func, viewed), views_of(*func->body), {}});
  Stmt body = vectorizer.visit(func->body);
  if (vectorizer.made) context.decide(plural(vectorizer.made, "loop") + " as vectors");
  if (vectorizer.refused)
    context.decide(plural(vectorizer.refused, "loop") + " element by element");
  return with_body(func, body);
}

}  // namespace tilelab
