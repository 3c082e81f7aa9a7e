// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/rewrites/roles.h"

#include "core/analysis/effects.h"
#include "core/ir/build.h"
#include "core/ir/regions.h"
#include "core/ir/traverse.h"

namespace tilelab::elaborate {
namespace {

struct Rows {
  int64_t first = 0, count = 0;
};

/// The workers' share of `extent` rows; nullopt if a row would be divided.
std::optional<Rows> rows_of(int64_t extent, const Workers& w) {
  if (extent * w.lo % w.all != 0 || extent * w.hi % w.all != 0) return std::nullopt;
  const int64_t first = extent * w.lo / w.all, count = extent * w.hi / w.all - first;
  // One row has no extent in a box, whose dimensions would then be others.
  return count > 1 ? std::optional(Rows{first, count}) : std::nullopt;
}

Stmt part_of(const Parallel& loop, const Workers& workers) {
  if (loop.layout.known()) return nullptr;
  for (size_t d = 0; d < loop.vars.size(); ++d) {
    const auto extent = int_value(loop.extents[d]);
    const auto rows = extent ? rows_of(*extent, workers) : std::nullopt;
    if (!rows) continue;
    Parallel out(loop);
    const DType dtype = loop.extents[d]->type.dtype;
    const Expr var = name_ref(loop.vars[d], {dtype});
    out.extents[d] = int_const(rows->count, dtype);
    out.body = substitute(loop.body,
                          Substitution{{loop.vars[d], add(var, int_const(rows->first, dtype))}});
    return make(std::move(out));
  }
  return nullptr;
}

/// The rows of a box along its dimension `d`.
Expr with_rows(const Region& box, size_t d, const Rows& rows) {
  std::vector<RegionDim> dims = box.dims;
  dims[d].lo = add(dims[d].lo, int_const(rows.first, dims[d].lo->type.dtype));
  dims[d].extent = rows.count;
  return at(box.span, region(box.buffer, box.type.dtype, std::move(dims)));
}

Stmt part_of(const Copy& copy, const Workers& workers) {
  const Region &src = to<Region>(copy.src), &dst = to<Region>(copy.dst);
  const std::vector<size_t> from = long_dims(src), into = long_dims(dst);
  if (copy.barrier || copy.layout.known() || from.size() != into.size()) return nullptr;
  for (size_t k = 0; k < from.size(); ++k) {
    const auto rows = rows_of(src.dims[from[k]].extent, workers);
    if (!rows || dst.dims[into[k]].extent != src.dims[from[k]].extent) continue;
    Copy out(copy);
    out.src = with_rows(src, from[k], *rows), out.dst = with_rows(dst, into[k], *rows);
    return make(std::move(out));
  }
  return nullptr;
}

Stmt part_of(const Fill& fill, const Workers& workers) {
  const Region& dst = to<Region>(fill.dst);
  for (size_t d : long_dims(dst)) {
    const auto rows = rows_of(dst.dims[d].extent, workers);
    if (!rows) continue;
    Fill out(fill);
    out.dst = with_rows(dst, d, *rows);
    return make(std::move(out));
  }
  return nullptr;
}

}  // namespace

Workers workers_of(const std::vector<ThreadRange>& roles, const std::vector<bool>& here,
                   size_t role) {
  Workers out;
  for (size_t r = 0; r < roles.size(); ++r) {
    if (!here[r]) continue;
    if (r == role) out.lo = out.all, out.hi = out.all + roles[r].count();
    out.all += roles[r].count();
  }
  return out;
}

Stmt part_of(const Stmt& stmt, const Workers& workers,
             FunctionRef<std::optional<Scope>(Symbol)> scope_of) {
  bool divisible = true;
  for_each(*stmt, [&](const StmtNode& node) {
    for (const Effect& effect : effects(node)) {
      const auto scope = scope_of(effect.buffer);
      divisible &= !scope || (effect.write && scope == Scope::shared);
    }
  });
  if (!divisible) return nullptr;
  Stmt out;
  if (const Parallel* loop = as<Parallel>(stmt)) out = part_of(*loop, workers);
  if (const Copy* copy = as<Copy>(stmt)) out = part_of(*copy, workers);
  if (const Fill* fill = as<Fill>(stmt)) out = part_of(*fill, workers);
  return out ? at(stmt->span, out) : nullptr;
}

void add_bound_names(const Stmt& stmt, std::set<Symbol>& out) {
  for_each(
      *stmt, [&](const Let& let) { out.insert(let.name); },
      [&](const Var& var) { out.insert(var.name); },
      [&](const Buffer& buffer) { out.insert(buffer.name); },
      [&](const View& view) { out.insert(view.name); });
}

}  // namespace tilelab::elaborate
