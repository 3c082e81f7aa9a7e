// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/rewrites/half_bytes.h"

#include <algorithm>
#include <set>

#include "core/elaborate/rewrites/roles.h"
#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/ir/linear.h"
#include "core/ir/traverse.h"

namespace tilelab::elaborate {
namespace {

/// How an index depends on a loop variable.
enum class IndexStep {
  even,       // even step: whole bytes, or none
  neighbour,  // step 1 from an even start: adjacent elements
  other,
};

class Halver {
 public:
  Halver(const Buffers& buffers, const Lets& lets, const Stmt& body)
      : buffers_(buffers), lets_(lets), views_(views_of(*body)), names_(names_in(*body)) {}

  Stmt visit(const Stmt& stmt) {
    if (!stmt) return stmt;
    Stmt out = map_stmts(stmt, [&](const Stmt& s) { return visit(s); });
    if (const Parallel* loop = as<Parallel>(out)) out = halved(*loop, out);
    if (const For* loop = as<For>(out)) out = halved(*loop, out);
    return at(stmt->span, out);
  }

 private:
  bool paired(Symbol name) const {
    auto found = buffers_.find(name);
    return found != buffers_.end() && in_pairs(*found->second);
  }

  IndexStep step_of(const Expr& index, Symbol var) const {
    Linear sum = linear_of(index, [&](Symbol name) -> Expr {
      auto found = lets_.find(name);
      return found == lets_.end() ? nullptr : found->second;
    });
    if (sum.nested(var)) return IndexStep::other;
    const int64_t step = sum.coefficient(var);
    if (step % 2 == 0) return IndexStep::even;
    const bool rest_even = sum.constant % 2 == 0 &&
                           std::all_of(sum.terms.begin(), sum.terms.end(), [&](const auto& t) {
                             const Name* name = as<Name>(t.atom);
                             return (name && name->id == var) || t.coefficient % 2 == 0;
                           });
    return step == 1 && rest_even ? IndexStep::neighbour : IndexStep::other;
  }

  /// Whether iterations store adjacent elements, starting at a byte boundary.
  bool stores_neighbours(const Stmt& body, Symbol var) const {
    bool some = false, all = true;
    for_each(*body, [&](const Store& store) {
      if (!paired(store.buffer) || value_bits(store.value->type.dtype) != 4) return;
      const IndexStep step = step_of(store.dims.back().lo, var);
      some |= step == IndexStep::neighbour, all &= step != IndexStep::other;
    });
    return some && all;
  }

  /// Whether iterations load adjacent elements and fill fragments.
  bool loads_neighbours(const Stmt& body, Symbol var) const {
    const bool loads = any_of(*body, [&](const Load& load) {
      return paired(load.buffer) && step_of(load.index.back(), var) == IndexStep::neighbour;
    });
    return loads && any_of(*body, [&](const Store& store) {
             auto found = buffers_.find(store.buffer);
             return found != buffers_.end() && found->second->scope == Scope::fragment;
           });
  }

  /// For a loop that loads adjacent elements along its last variable: distributes runs of whole
  /// bytes to threads, so that the fragments it fills have the layout that stores need.
  Stmt with_byte_runs(const Parallel& loop, const Stmt& same) const {
    const auto extent = int_value(loop.extents.back());
    if (!extent || *extent % 2 != 0 || find_attr(loop.attrs, "coalesced_width")) return same;
    if (!loads_neighbours(loop.body, loop.vars.back())) return same;
    Parallel out(loop);
    out.attrs.push_back(attr("coalesced_width", *extent % 8 == 0 ? 8 : 2));
    return make(std::move(out));
  }

  Stmt halved(const Parallel& loop, const Stmt& same) {
    if (loop.layout.known()) return same;
    for (size_t i = loop.vars.size(); i-- > 0;) {
      const Symbol var = loop.vars[i];
      if (!stores_neighbours(loop.body, var)) continue;
      Parallel out(loop);
      out.extents[i] = half_up(loop.extents[i]);
      out.body = both_iterations(loop.body, var, loop.extents[i], true);
      return make(std::move(out));
    }
    return with_byte_runs(loop, same);
  }

  Stmt halved(const For& loop, const Stmt& same) {
    const auto first = loop.lo ? int_value(loop.lo) : std::nullopt;
    const bool plain = loop.steps.empty() && loop.stages == 0 && first && *first % 2 == 0 &&
                       (!loop.step || is_int(loop.step, 1));
    if (!plain || !stores_neighbours(loop.body, loop.var)) return same;
    For out(loop);
    out.lo = int_const(*first / 2, loop.lo->type.dtype);
    out.hi = half_up(loop.hi);
    out.vec = 0;
    out.body = both_iterations(loop.body, loop.var, loop.hi, loop.mode == LoopMode::vec);
    return make(std::move(out));
  }

  static Expr half_up(const Expr& extent) {
    if (auto known = int_value(extent)) return int_const((*known + 1) / 2, extent->type.dtype);
    return floordiv(add(extent, int_const(1, extent->type.dtype)),
                    int_const(2, extent->type.dtype));
  }

  /// Iterations 2 v and, if it is below `end`, 2 v + 1. `any_order`: the iterations are
  /// independent.
  Stmt both_iterations(const Stmt& body, Symbol var, const Expr& end, bool any_order) {
    const DType dtype = end->type.dtype;
    const Expr first = mul(name_ref(var, {dtype}), int_const(2, dtype));
    const Expr next = add(first, int_const(1, dtype));
    const Stmt low = substitute(body, Substitution{{var, first}});
    const Stmt high = renamed(substitute(body, Substitution{{var, next}}));
    const Stmt both = any_order || independent(body) ? joined(low, high) : seq({low, high});
    const auto known = int_value(end);
    return known && *known % 2 == 0
               ? both
               : if_then(lt(next, end), both, last_iteration(low, first, known));
  }

  /// The last iteration of an odd count: at the end of a row of a block's memory, the other half of
  /// the last byte is padding and may be overwritten.
  Stmt last_iteration(const Stmt& body, const Expr& iteration, std::optional<int64_t> end) const {
    return rewrite_stmts(body, [&](const Stmt& stmt) -> Stmt {
      const Store* store = as<Store>(stmt);
      if (!store || !paired(store->buffer) || value_bits(store->value->type.dtype) != 4)
        return stmt;
      const BufferInfo& buffer = *buffers_.at(store->buffer);
      const Expr& index = store->dims.back().lo;
      const bool last = end && int_value(buffer.shape.back()) == end;
      if (!last || constant_difference(index, iteration) != 0) return stmt;
      Store out(*store);
      out.dims.back() = point(half_place(index, lets_).byte);
      out.value = code_of(store->value);
      return at(stmt->span, make(std::move(out)));
    });
  }

  /// Renames the local names of the second iteration.
  Stmt renamed(const Stmt& body) {
    std::set<Symbol> bound;
    add_bound_names(body, bound);
    std::unordered_map<Symbol, Symbol> own;
    for (Symbol name : bound) own.emplace(name, fresh_name(name, names_));
    return own.empty() ? body : rename(body, own);
  }

  /// Whether iterations are independent: the body only stores to memory that the loop does not
  /// read.
  bool independent(const Stmt& body) const {
    std::set<Symbol> read, written;
    bool stores_alone = true;
    walk(*body, [&](const Node& node) {
      if (const Load* n = as<Load>(&node)) read.insert(views_.base_of(n->buffer));
      if (const Region* n = as<Region>(&node)) read.insert(views_.base_of(n->buffer));
      if (const Store* n = as<Store>(&node)) written.insert(views_.base_of(n->buffer));
      stores_alone &= group(node.kind) == Group::expr || node.kind == Kind::Store ||
                      node.kind == Kind::Seq || node.kind == Kind::Let;
      return stores_alone;
    });
    return stores_alone && std::none_of(written.begin(), written.end(),
                                        [&](Symbol name) { return read.count(name) != 0; });
  }

  /// Interleaves two iterations by statement, merging the stores to both halves of a byte.
  Stmt joined(const Stmt& low, const Stmt& high) {
    if (const Seq* a = as<Seq>(low), *b = as<Seq>(high); a && b) {
      std::vector<Stmt> all;
      for (size_t i = 0; i < a->stmts.size(); ++i) all.push_back(joined(a->stmts[i], b->stmts[i]));
      return seq(std::move(all));
    }
    if (const Store* a = as<Store>(low), *b = as<Store>(high); a && b && same_byte(*a, *b)) {
      Store out(*a);
      out.dims.back() = point(half_place(a->dims.back().lo, lets_).byte);
      out.value = both_halves(a->value, b->value);
      return at(low->span, make(std::move(out)));
    }
    if (const If* a = as<If>(low), *b = as<If>(high);
        a && b && equal(a->cond, b->cond) && !a->else_ == !b->else_)
      return at(low->span, if_then(a->cond, joined(a->then_, b->then_),
                                   a->else_ ? joined(a->else_, b->else_) : nullptr));
    if (const For* a = as<For>(low), *b = as<For>(high);
        a && b && a->steps == b->steps && same(a->lo, b->lo) && same(a->hi, b->hi)) {
      For out(*a);
      out.body = joined(a->body, b->body);
      return at(low->span, make(std::move(out)));
    }
    return seq({low, high});
  }

  static bool same(const Expr& a, const Expr& b) { return !a || !b ? a.same(b) : equal(a, b); }

  bool same_byte(const Store& a, const Store& b) const {
    if (a.buffer != b.buffer || !paired(a.buffer) || value_bits(a.value->type.dtype) != 4)
      return false;
    for (size_t d = 0; d + 1 < a.dims.size(); ++d)
      if (!equal(a.dims[d].lo, b.dims[d].lo)) return false;
    const Expr &low = a.dims.back().lo, &high = b.dims.back().lo;
    return constant_difference(high, low) == 1 && half_place(low, lets_).half == 0;
  }

  const Buffers& buffers_;
  const Lets& lets_;
  BufferViews views_;
  std::unordered_map<Symbol, int> names_;
};

}  // namespace

Stmt halved_loops(const Stmt& body, const Buffers& buffers, const Lets& lets) {
  return Halver(buffers, lets, body).visit(body);
}

}  // namespace tilelab::elaborate
