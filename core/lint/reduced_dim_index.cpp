// SPDX-License-Identifier: Apache-2.0
// A reduction has one result per remaining index: `T.reduce_sum(x, rows, dim=1)` one per row. If
// `x[i, j]` is combined with `rows[j]`, and with no `rows[i]`, the extents happen to be equal and
// the result is of another row.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/diagnostics/usage.h"
#include "core/ir/regions.h"
#include "core/ir/traverse.h"
#include "core/lint/lints.h"

namespace tilelab {
namespace {

using Names = std::vector<Symbol>;  // of an index that consists of names only

std::optional<Names> names_of(const std::vector<Expr>& index) {
  Names out;
  for (const Expr& i : index) {
    const Name* name = as<Name>(i);
    if (!name) return std::nullopt;
    out.push_back(name->id);
  }
  return out;
}

Symbol buffer_of(const Expr& region) { return to<Region>(region).buffer; }

/// Vectors that are written only by reductions along one dimension of one buffer, and by loops that
/// update their elements in place.
class Vectors {
 public:
  explicit Vectors(const Func& func) {
    for_each(*func.body, [&](const Reduce& reduce) { add(reduce); });
    if (empty()) return;
    walk(*func.body, [&](const Node& node) {
      if (group(node.kind) == Group::expr || node.kind == Kind::Reduce) return false;
      const Store* store = as<Store>(&node);
      for (const Operand& operand : operands_of(node)) {
        const Symbol name = operand.region ? operand.region->buffer : operand.buffer;
        const bool in_place = store && reads(*store->value, name);
        if (operand.written && !in_place && node.kind != Kind::Fill) foreign_.insert(name);
      }
      return true;
    });
  }

  bool empty() const { return by_.empty(); }

  /// The reduction that fills the vector, if nothing else writes it.
  const Reduce* find(Symbol name) const {
    auto it = by_.find(name);
    return it == by_.end() || foreign_.count(name) ? nullptr : it->second;
  }

 private:
  void add(const Reduce& reduce) {
    const Region &from = to<Region>(reduce.src), &into = to<Region>(reduce.dst);
    const auto [it, fresh] = by_.emplace(into.buffer, &reduce);
    const Reduce& first = *it->second;
    const bool same = buffer_of(first.src) == from.buffer && first.dims == reduce.dims;
    if (!same || reduce.dims.size() != 1 || into.dims.size() + 1 != from.dims.size())
      foreign_.insert(into.buffer);
  }

  std::map<Symbol, const Reduce*> by_;
  std::set<Symbol> foreign_;
};

/// The accesses of one T.Parallel.
struct Accesses {
  std::map<Symbol, std::set<Names>> all;  // by buffer
  std::vector<const Load*> loads;

  explicit Accesses(const Parallel& loop) {
    auto add = [&](Symbol buffer, const std::vector<Expr>& index) {
      if (auto names = names_of(index)) all[buffer].insert(*names);
    };
    for_each(
        *loop.body, [&](const Load& load) { loads.push_back(&load), add(load.buffer, load.index); },
        [&](const Store& store) { add(store.buffer, lows(store.dims)); });
  }
};

/// Whether `index` is that of an element of `whole`, including the reduced dimension, and the
/// correct index of the vector does not occur.
bool is_reduced_index(const Names& index, const std::set<Names>& occur, const Names& whole,
                      size_t reduced) {
  Names kept = whole;
  kept.erase(kept.begin() + static_cast<ptrdiff_t>(reduced));
  const std::set<Symbol> distinct(whole.begin(), whole.end());
  return distinct.size() == whole.size() && !occur.count(kept) &&
         std::find(index.begin(), index.end(), whole[reduced]) != index.end();
}

void check_loop(const Parallel& loop, const Vectors& vectors, Diagnostics& diagnostics) {
  const Accesses accesses(loop);
  for (const Load* load : accesses.loads) {
    const Reduce* reduce = vectors.find(load->buffer);
    const auto index = names_of(load->index);
    if (!reduce || !index) continue;
    const Symbol source = buffer_of(reduce->src);
    const auto whole = accesses.all.find(source);
    if (whole == accesses.all.end() || whole->second.size() != 1) continue;
    const Names& element = *whole->second.begin();
    const size_t dim = static_cast<size_t>(reduce->dims[0]);
    if (!is_reduced_index(*index, accesses.all.at(load->buffer), element, dim)) continue;
    diagnostics.report(usage::reduced_index, load->span, load->buffer, element[dim], source)
        .label(reduce->span,
               "dimension " + std::to_string(dim) + " of " + source.str() + " is reduced here")
        .help("an element of `" + load->buffer.str() + "` belongs to the index that remained" +
              (element.size() == 2 ? ": " + load->buffer.str() + "[" + element[1 - dim].str() + "]"
                                   : ""));
  }
}

}  // namespace

void warn_of_reduced_index(const Func& func, Diagnostics& diagnostics) {
  const Vectors vectors(func);
  if (vectors.empty()) return;
  for_each(*func.body, [&](const Parallel& loop) { check_loop(loop, vectors, diagnostics); });
}

}  // namespace tilelab
