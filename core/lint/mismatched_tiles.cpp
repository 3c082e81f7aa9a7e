// SPDX-License-Identifier: Apache-2.0
// Provenance of the rows and columns of tiles. Copies load them from a location in a tensor, a
// matmul has the rows of its first factor and the columns of its second, and elementwise operations
// keep them. Reports a matmul that sums over different indices of its factors, and a tile that is
// stored by a block index on which its rows do not depend: `A[bx * 32, ...]` in place of `A[by *
// 32, ...]`, which a square grid hides.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/analysis/effects.h"
#include "core/analysis/path_conditions.h"
#include "core/diagnostics/usage.h"
#include "core/ir/build.h"
#include "core/ir/text/print.h"
#include "core/ir/traverse.h"
#include "core/lint/lints.h"

namespace tilelab {
namespace {

/// The origin of one dimension of a tile in a tensor.
struct Origin {
  Symbol tensor;
  size_t dim = 0;
  Linear at;
  Span span;
};
using Origins = std::map<size_t, Origin>;  // by the tile's dimension

class OriginWalk {
 public:
  OriginWalk(const Func& func, Diagnostics& diagnostics)
      : buffers_(buffers_of(func)),
        views_(views_of(*func.body)),
        diagnostics_(diagnostics),
        here_(func) {
    visit(func.body);
  }

 private:
  void visit(const Stmt& stmt) {
    if (const Let* let = as<Let>(stmt)) here_.bind(*let);
    if (const Kernel* kernel = as<Kernel>(stmt))
      steps_.insert(kernel->indices.begin(), kernel->indices.end());
    if (const For* loop = as<For>(stmt)) steps_.insert(loop->var);
    does(stmt);
    const Parallel* loop = as<Parallel>(stmt);
    if (loop) across_.insert(loop->vars.begin(), loop->vars.end());
    const bool branches = stmt->kind == Kind::If || stmt->kind == Kind::While;
    conditions_ += branches;
    for_each_stmt(*stmt, [&](const Stmt& s) { visit(s); });
    conditions_ -= branches;
    if (loop) across_.clear();
  }

  void does(const Stmt& stmt) {
    std::map<Symbol, Origins> made;
    if (conditions_ == 0) {
      if (const Copy* copy = as<Copy>(stmt)) made = after(*copy);
      if (const Store* store = as<Store>(stmt)) made = after(*store);
      if (const Gemm* gemm = as<Gemm>(stmt)) check_factors(*gemm), made = after(*gemm);
    }
    for (const Effect& effect : effects(*stmt))
      if (effect.write) origins_.erase(effect.buffer);
    for (auto& [buffer, origins] : made)
      if (!origins.empty()) origins_[buffer] = std::move(origins);
  }

  const Buffer* buffer(Symbol name) const {
    auto found = buffers_.find(name);
    return found == buffers_.end() || views_.count(name) ? nullptr : found->second;
  }

  bool is_tile(const Region& region) const {
    const Buffer* made = buffer(region.buffer);
    if (!made || made->scope == Scope::global) return false;
    return std::all_of(region.dims.begin(), region.dims.end(),
                       [](const RegionDim& dim) { return is_int(dim.lo, 0) && dim.extent > 1; });
  }

  /// Dimensions with more than one element, in order.
  static std::vector<size_t> wide(const Region& region) {
    std::vector<size_t> out;
    for (size_t d = 0; d < region.dims.size(); ++d)
      if (region.dims[d].extent > 1) out.push_back(d);
    return out;
  }

  /// The origin if its location depends on block indices and loop variables only.
  std::optional<Origin> origin(const Region& region, size_t dim) const {
    const Buffer* tensor = buffer(region.buffer);
    if (!tensor || tensor->scope != Scope::global) return std::nullopt;
    Origin out{region.buffer, dim, here_.sum(region.dims[dim].lo), region.span};
    for (const Linear::Term& term : out.at.terms) {
      const Name* name = as<Name>(term.atom);
      if (!name || !steps_.count(name->id)) return std::nullopt;
    }
    return out;
  }

  std::map<Symbol, Origins> after(const Copy& copy) {
    const Region &src = to<Region>(copy.src), &dst = to<Region>(copy.dst);
    const std::vector<size_t> from = wide(src), into = wide(dst);
    if (from.size() != into.size()) return {};
    auto held = origins_.find(src.buffer);
    Origins out;
    for (size_t i = 0; i < from.size(); ++i) {
      if (is_tile(src) && held != origins_.end() && held->second.count(from[i])) {
        const Origin& known = held->second.at(from[i]);
        if (auto place = origin(dst, into[i])) stored(known, *place, src, copy.span);
        out.emplace(into[i], known);
      } else if (auto place = origin(src, from[i])) {
        out.emplace(into[i], *place);
      }
    }
    if (!is_tile(dst)) return {};
    return {{dst.buffer, std::move(out)}};
  }

  /// `x[i, j] = ...` of elements at [i, j] of one tile; an update of itself keeps its origin.
  std::map<Symbol, Origins> after(const Store& store) const {
    std::vector<Symbol> index;
    for (const RegionDim& dim : store.dims) {
      const Name* name = as<Name>(dim.lo);
      if (!name || !across_.count(name->id)) return {};
      index.push_back(name->id);
    }
    std::set<Symbol> alike;
    for_each(*store.value, [&](const Load& load) {
      if (!origins_.count(load.buffer) && load.buffer != store.buffer) return;
      const auto is_index = [](const Expr& e, Symbol var) {
        const Name* name = as<Name>(e);
        return name && name->id == var;
      };
      if (std::equal(load.index.begin(), load.index.end(), index.begin(), index.end(), is_index))
        alike.insert(load.buffer);
    });
    if (alike.count(store.buffer)) alike = {store.buffer};
    if (alike.size() != 1 || !origins_.count(*alike.begin())) return {};
    return {{store.buffer, origins_.at(*alike.begin())}};
  }

  std::map<Symbol, Origins> after(const Gemm& gemm) const {
    const Region &a = to<Region>(gemm.a), &b = to<Region>(gemm.b), &c = to<Region>(gemm.c);
    if (!is_tile(c)) return {};
    Origins out;
    if (const Origin* rows = of(a, gemm.trans_a ? 1 : 0)) out.emplace(0, *rows);
    if (const Origin* columns = of(b, gemm.trans_b ? 0 : 1)) out.emplace(1, *columns);
    return {{c.buffer, std::move(out)}};
  }

  const Origin* of(const Region& tile, size_t dim) const {
    auto held = origins_.find(tile.buffer);
    if (held == origins_.end() || tile.dims.size() != 2 || !is_tile(tile)) return nullptr;
    auto found = held->second.find(dim);
    return found == held->second.end() ? nullptr : &found->second;
  }

  static std::set<Symbol> names(const Origin& origin) {
    std::set<Symbol> out;
    for (const Linear::Term& term : origin.at.terms) out.insert(to<Name>(term.atom).id);
    return out;
  }

  /// Whether both move, but by different names.
  static bool are_unrelated(const Origin& a, const Origin& b) {
    const std::set<Symbol> one = names(a), other = names(b);
    return !one.empty() && !other.empty() &&
           std::none_of(one.begin(), one.end(), [&](Symbol name) { return other.count(name); });
  }

  static bool has_other_step(const Origin& a, const Origin& b) {
    for (Symbol name : names(a))
      if (b.at.coefficient(name) != 0 && b.at.coefficient(name) != a.at.coefficient(name))
        return true;
    return false;
  }

  void check_factors(const Gemm& gemm) {
    const Origin* a = of(to<Region>(gemm.a), gemm.trans_a ? 0 : 1);
    const Origin* b = of(to<Region>(gemm.b), gemm.trans_b ? 1 : 0);
    if (!a || !b || !(are_unrelated(*a, *b) || has_other_step(*a, *b))) return;
    report(*a, "is summed with", *b, gemm.span)
        .label(b->span, "")
        .help("load both operands by the same index along the dimension that is summed over");
  }

  void stored(const Origin& from, const Origin& into, const Region& tile, Span span) {
    if (!are_unrelated(from, into)) return;
    report(from, "goes to", into, span)
        .help("an element of `" + tile.buffer.str() +
              "` belongs to the row and the column it was computed from: load and store it by one "
              "index, or transpose the tile in between");
  }

  Diagnostic& report(const Origin& a, const char* what, const Origin& b, Span span) {
    auto text = [](const Origin& one) { return print(expr_of(one.at, DType::i32)); };
    return diagnostics_
        .report(usage::mismatched_tile_index, span, std::to_string(a.dim), a.tensor, text(a), what,
                std::to_string(b.dim), b.tensor, text(b))
        .label(a.span, "");
  }

  BufferTable buffers_;
  BufferViews views_;
  Diagnostics& diagnostics_;
  FactContext here_;
  std::set<Symbol> steps_, across_;
  std::map<Symbol, Origins> origins_;
  int conditions_ = 0;
};

}  // namespace

void warn_of_mismatched_tiles(const Func& func, Diagnostics& diagnostics) {
  if (contains<Gemm, Copy>(*func.body)) OriginWalk(func, diagnostics);
}

}  // namespace tilelab
