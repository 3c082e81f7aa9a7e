// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/rewrites/rewrites.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "core/analysis/effects.h"
#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/ir/linear.h"
#include "core/ir/traverse.h"
#include "core/support/text.h"

namespace tilelab::elaborate {
namespace {

/// The fragments of a kernel, with their views.
struct Fragments {
  std::unordered_map<Symbol, const Buffer*> buffers;
  BufferViews views;

  explicit Fragments(const Stmt& body) : views(views_of(*body)) {
    for_each(*body, [&](const Buffer& buffer) {
      if (buffer.scope == Scope::fragment) buffers.emplace(buffer.name, &buffer);
    });
  }
  bool has(Symbol name) const { return buffers.count(views.base_of(name)) != 0; }
};

// ---- accumulations

/// Whether the store adds to the element that it replaces.
bool accumulates(const Store& store) {
  return any_of(*store.value, [&](const Load& load) {
    if (load.buffer != store.buffer || load.index.size() != store.dims.size()) return false;
    for (size_t d = 0; d < load.index.size(); ++d)
      if (!store.dims[d].point || !equal(load.index[d], store.dims[d].lo)) return false;
    return true;
  });
}

/// The variables of the loop that no index of an accumulation mentions; empty if another store to a
/// fragment lacks one as well.
std::set<Symbol> serial_variables(const Parallel& loop, const Fragments& fragments) {
  std::set<Symbol> out;
  bool all_accumulate = true;
  Substitution lets;
  walk(*loop.body, [&](const Node& node) {
    if (const Let* let = as<Let>(&node)) lets[let->name] = substitute(let->value, lets);
    const Store* store = as<Store>(&node);
    if (!store || !fragments.has(store->buffer)) return group(node.kind) != Group::expr;
    for (size_t v = 0; v < loop.vars.size(); ++v) {
      const bool used = std::any_of(
          store->dims.begin(), store->dims.end(),
          [&](const RegionDim& dim) { return mentions(substitute(dim.lo, lets), loop.vars[v]); });
      if (used || is_int(loop.extents[v], 1)) continue;
      out.insert(loop.vars[v]);
      all_accumulate = all_accumulate && accumulates(*store);
    }
    return true;
  });
  return all_accumulate && out.size() < loop.vars.size() ? out : std::set<Symbol>();
}

Stmt serialized(const Parallel& loop, const std::set<Symbol>& serial) {
  Parallel out(loop);
  out.vars.clear(), out.extents.clear();
  Stmt body = loop.body;
  for (size_t v = loop.vars.size(); v-- > 0;)
    if (serial.count(loop.vars[v]))
      body = at(loop.span, for_loop(loop.vars[v], int_const(0, loop.extents[v]->type.dtype),
                                    loop.extents[v], body));
  for (size_t v = 0; v < loop.vars.size(); ++v)
    if (!serial.count(loop.vars[v]))
      out.vars.push_back(loop.vars[v]), out.extents.push_back(loop.extents[v]);
  out.body = body;
  return at(loop.span, make(std::move(out)));
}

// ---- elements beyond a fragment's extents

/// The elements that loops use, by fragment.
class ElementUses {
 public:
  explicit ElementUses(const Fragments& fragments) : fragments_(fragments) {}

  void visit(const Stmt& stmt) {
    if (!stmt) return;
    const Parallel* loop = as<Parallel>(stmt);
    const For* serial = as<For>(stmt);
    if (loop) {
      ++parallel_;
      for (size_t v = 0; v < loop->vars.size(); ++v) bind(loop->vars[v], loop->extents[v], true);
    }
    if (serial)
      bind(serial->var, serial->hi,
           is_int(serial->step, 1) && int_value(serial->lo).value_or(-1) >= 0);
    const bool condition = as<If>(stmt) || as<While>(stmt);
    for_each_expr(*stmt, [&](const Expr& e) { visit(*e); });
    if (const Store* store = as<Store>(stmt)) {
      std::vector<Expr> index;
      for (const RegionDim& dim : store->dims) index.push_back(dim.point ? dim.lo : nullptr);
      element(store->buffer, index, store->span);
    }
    if (const View* view = as<View>(stmt)) other(view->buffer);
    guarded_ += condition;
    for_each_stmt(*stmt, [&](const Stmt& s) { visit(s); });
    guarded_ -= condition;
    parallel_ -= loop != nullptr;
  }

  struct Use {
    std::vector<int64_t> most;  // by dimension: the last index
    Span span;
    bool other = false;  // a use as a whole, or outside of T.Parallel
  };
  std::map<Symbol, Use> uses;

 private:
  /// A loop variable, whose name an earlier loop may have had.
  void bind(Symbol var, const Expr& end, bool counts) {
    const auto last = counts ? int_value(end) : std::nullopt;
    if (last)
      most_[var] = *last - 1;
    else
      most_.erase(var);
  }

  void other(Symbol name) { uses[fragments_.views.base_of(name)].other = true; }

  void visit(const Node& expr) {
    if (const Region* region = as<Region>(&expr)) other(region->buffer);
    if (const Load* load = as<Load>(&expr)) element(load->buffer, load->index, load->span);
    const Bin* bin = as<Bin>(&expr);
    const bool condition = as<Select>(&expr) || (bin && is_logical(bin->op));
    guarded_ += condition;
    for_each_expr(expr, [&](const Expr& e) { visit(*e); });
    guarded_ -= condition;
  }

  void element(Symbol name, const std::vector<Expr>& index, Span span) {
    const auto found = fragments_.buffers.find(name);
    if (found == fragments_.buffers.end()) return;
    const Buffer& fragment = *found->second;
    Use& use = uses[name];
    if (parallel_ == 0 || index.size() != fragment.shape.size()) use.other = true;
    if (use.other || guarded_ > 0) return;
    use.most.resize(index.size(), 0);
    for (size_t d = 0; d < index.size(); ++d) {
      const auto last = index[d] ? last_of(index[d]) : std::nullopt;
      if (!last || *last <= use.most[d]) continue;
      use.most[d] = *last;
      if (*last >= int_value(fragment.shape[d]).value_or(0) && !use.span.known()) use.span = span;
    }
  }

  /// The last value of a constant, or of a loop variable plus a constant.
  std::optional<int64_t> last_of(const Expr& index) const {
    const Linear sum = linear_of(index);
    if (sum.is_constant()) return sum.constant;
    const Name* var = sum.terms.size() == 1 ? as<Name>(sum.terms[0].atom) : nullptr;
    const auto found = var ? most_.find(var->id) : most_.end();
    if (found == most_.end() || sum.terms[0].coefficient != 1 || sum.constant < 0)
      return std::nullopt;
    return found->second + sum.constant;
  }

  const Fragments& fragments_;
  std::unordered_map<Symbol, int64_t> most_;  // the last value of a loop variable
  int parallel_ = 0, guarded_ = 0;
};

}  // namespace

Stmt with_serial_accumulations(const Kernel& kernel) {
  const Fragments fragments(kernel.body);
  if (fragments.buffers.empty()) return kernel.body;
  return rewrite_stmts(kernel.body, [&](const Stmt& s) -> Stmt {
    const Parallel* loop = as<Parallel>(s);
    if (!loop || loop->layout.known() || loop->vars.size() < 2) return s;
    const std::set<Symbol> serial = serial_variables(*loop, fragments);
    return serial.empty() ? s : serialized(*loop, serial);
  });
}

Stmt with_extended_fragments(const Kernel& kernel, Diagnostics& diagnostics) {
  const Fragments fragments(kernel.body);
  if (fragments.buffers.empty()) return kernel.body;
  ElementUses found(fragments);
  found.visit(kernel.body);
  std::erase_if(found.uses,
                [](const auto& use) { return use.second.other || !use.second.span.known(); });
  if (found.uses.empty()) return kernel.body;
  return rewrite_stmts(kernel.body, [&](const Stmt& s) -> Stmt {
    const Buffer* buffer = as<Buffer>(s);
    const auto use = buffer ? found.uses.find(buffer->name) : found.uses.end();
    if (use == found.uses.end() || buffer->layout.known() || buffer->where.known()) return s;
    Buffer out(*buffer);
    for (size_t d = 0; d < out.shape.size(); ++d) {
      const int64_t needed = use->second.most[d] + 1, extent = int_value(out.shape[d]).value_or(0);
      if (needed <= extent) continue;
      out.shape[d] = int_const(needed);
      diagnostics
          .report(Diag::fragment_extended, use->second.span, buffer->name,
                  plural(extent, "element"), d, needed)
          .label(buffer->span, "allocated here")
          .help("allocate " + std::to_string(needed) +
                " elements; T.allow(\"fragment-extended\") says that this is meant");
    }
    return at(s->span, make(std::move(out)));
  });
}

}  // namespace tilelab::elaborate
