// SPDX-License-Identifier: Apache-2.0
#include "core/passes/schedule_pipelines/filled_buffers.h"

#include "core/ir/build.h"

namespace tilelab {

namespace {

/// The store that ends the body of a loop over `vars`, with the lets before it substituted, as the
/// elements that it fills.
FilledBuffers::Elements filled_by(const std::vector<Symbol>& vars, const std::vector<Expr>& extents,
                                  const Stmt& body) {
  FilledBuffers::Elements out;
  const Seq* list = as<Seq>(body);
  Substitution lets;
  for (size_t i = 0; list && i + 1 < list->stmts.size(); ++i) {
    const Let* let = as<Let>(list->stmts[i]);
    if (!let) return {};
    lets[let->name] = substitute(let->value, lets);
  }
  if (list && list->stmts.empty()) return {};
  const Store* store = as<Store>(list ? list->stmts.back() : body);
  if (!store || store->dims.size() != vars.size()) return {};
  for (size_t d = 0; d < vars.size(); ++d) {
    const Name* var = store->dims[d].point ? as<Name>(store->dims[d].lo) : nullptr;
    const auto extent = int_value(extents[d]);
    if (!var || var->id != vars[d] || !extent) return {};
    out.extents.push_back(*extent);
  }
  out.buffer = store->buffer, out.vars = vars;
  out.value = substitute(store->value, lets);
  return out;
}

Symbol element_var(size_t dimension) { return Symbol("element " + std::to_string(dimension)); }

}  // namespace

Expr FilledBuffers::value_of(const Expr& element) const {
  const Load* load = as<Load>(element);
  const auto found = load ? known_.find(load->buffer) : known_.end();
  if (found == known_.end() || load->index.size() != found->second.vars.size()) return element;
  Substitution index;
  for (size_t d = 0; d < load->index.size(); ++d)
    index[found->second.vars[d]] = cast(DType::i32, load->index[d]);
  return substitute(found->second.value, index);
}

Stmt FilledBuffers::with_values(const Stmt& stmt) const {
  if (known_.empty()) return stmt;
  return rewrite_exprs(stmt, [&](const Expr& e) { return value_of(e); });
}

Expr FilledBuffers::with_values(const Expr& value) const {
  if (known_.empty()) return value;
  return rewrite(value, [&](const Expr& e) { return value_of(e); });
}

FilledBuffers::Elements elements_of(const Parallel& loop) {
  return filled_by(loop.vars, loop.extents, loop.body);
}

FilledBuffers::Elements elements_of(const For& loop) {
  const bool by_one = loop.steps.empty() && (!loop.step || is_int(loop.step, 1));
  if (!by_one || !is_int(loop.lo, 0)) return {};
  return filled_by({loop.var}, {loop.hi}, loop.body);
}

FilledBuffers::Elements elements_of(const Store& store) {
  FilledBuffers::Elements out;
  for (const RegionDim& dim : store.dims) {
    if (!dim.point || !is_int(dim.lo, 0)) return {};
    out.vars.push_back(element_var(out.vars.size())), out.extents.push_back(1);
  }
  out.buffer = store.buffer, out.value = store.value;
  return out;
}

FilledBuffers::Elements elements_of(const Copy& copy) {
  FilledBuffers::Elements out;
  const Region &src = to<Region>(copy.src), &dst = to<Region>(copy.dst);
  if (src.type.dtype != dst.type.dtype) return {};
  std::vector<Expr> along;  // the positions in the long dimensions
  for (const RegionDim& dim : dst.dims) {
    const Symbol var = element_var(out.vars.size());
    if (!is_int(dim.lo, 0)) return {};
    out.vars.push_back(var), out.extents.push_back(dim.extent);
    if (dim.extent > 1) along.push_back(name_ref(var, {DType::i32}));
  }
  std::vector<Expr> index;
  size_t next = 0;
  for (const RegionDim& dim : src.dims) {
    Expr at = dim.lo;
    if (dim.extent > 1) {
      if (next >= along.size()) return {};
      at = add(at, cast(at->type.dtype, along[next++]));
    }
    index.push_back(at);
  }
  if (next != along.size()) return {};
  out.buffer = dst.buffer;
  out.value = load(src.buffer, src.type.dtype, std::move(index));
  return out;
}

}  // namespace tilelab
