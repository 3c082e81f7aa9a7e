// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/signature.h"

#include <algorithm>

#include "core/elaborate/rewrites/half_bytes.h"
#include "core/ir/linear.h"
#include "core/ir/traverse.h"

namespace tilelab::elaborate {

Stmt buffer_stmt(const BufferInfo& info) {
  Buffer buffer;
  buffer.name = info.name;
  buffer.scope = info.scope;
  buffer.dtype = info.dtype;
  buffer.shape = info.shape;
  buffer.strides = info.strides;
  buffer.safe = info.safe;
  buffer.pointers = info.pointers;
  buffer.address = info.address;
  buffer.aliased = info.aliased;
  buffer.evict_first = info.evict_first;
  buffer.span = info.span;
  if (in_pairs(info)) {
    buffer.dtype = byte_type(info.dtype);
    buffer.pairs = *parse_Pairs(name(info.dtype));
    buffer.shape = shape_in_bytes(info.shape);
    for (size_t i = 0; i + 1 < info.strides.size(); ++i)
      buffer.strides[i] = bytes_for(info.strides[i]);
    const Const* safe = as<Const>(info.safe);
    if (safe) buffer.safe = int_const(int64_t((safe->bits & 15) * 0x11), buffer.dtype);
  }
  return make(std::move(buffer));
}

const Signature::Parameter* Signature::find(Symbol name) const {
  auto found = std::find_if(parameters_.begin(), parameters_.end(),
                            [&](const Parameter& p) { return p.name == name; });
  return found == parameters_.end() ? nullptr : &*found;
}

void Signature::add(Parameter parameter, Symbol pointer) {
  auto found = std::find_if(parameters_.begin(), parameters_.end(),
                            [&](const Parameter& p) { return p.name == pointer && !p.tensor; });
  if (found == parameters_.end())
    parameters_.push_back(std::move(parameter));
  else
    *found = std::move(parameter);
}

void Signature::arrange(const std::vector<Symbol>& names) {
  std::vector<std::pair<size_t, Parameter>> placed;
  size_t last = 0;
  for (Parameter& parameter : parameters_) {
    const auto found = std::find(names.begin(), names.end(), parameter.name);
    if (found != names.end()) last = static_cast<size_t>(found - names.begin());
    const bool output = parameter.tensor && parameter.tensor->output;
    placed.emplace_back(output ? names.size() : last, std::move(parameter));
  }
  std::stable_sort(placed.begin(), placed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < placed.size(); ++i) parameters_[i] = std::move(placed[i].second);
}

void Signature::use_extents(const std::vector<Expr>& exprs, Emitter& ir) {
  for (const Expr& expr : exprs)
    for_each(*expr, [&](const Name& name) {
      if (find(name.id) || !dims_.emplace(name.id, name.type.dtype).second) return;
      order_.push_back(name.id);
      ir.reserve(name.id);
    });
}

bool Signature::computes(const Expr& expr) const {
  return !contains<Load, Region>(*expr) &&
         !any_of(*expr, [&](const Name& name) { return !has(name.id); });
}

/// Computes `dim` from an extent or stride of one tensor; `itself`: not from a multiple.
static Stmt bind_dim_in(const Signature::Parameter& parameter, Symbol dim, bool itself,
                        bool stride) {
  const auto& sizes = stride ? parameter.tensor->strides : parameter.tensor->shape;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const Linear size = linear_of(sizes[i]);
    const Name* name = size.terms.size() == 1 ? as<Name>(size.terms[0].atom) : nullptr;
    if (!name || name->id != dim) continue;
    const int64_t times = size.terms[0].coefficient;
    if (itself && (times != 1 || size.constant != 0)) continue;
    Bind bind;
    bind.name = dim;
    bind.buffer = parameter.name;
    bind.dim = static_cast<int64_t>(i);
    bind.stride = stride;
    bind.times = times;
    bind.plus = size.constant;
    const bool last = i + 1 == sizes.size();
    if (in_pairs(*parameter.tensor) && last != stride) bind.per = 2;
    return make(std::move(bind));
  }
  return nullptr;
}

/// The source of a dimension at a call: a tensor that the kernel accesses before one that may be
/// None, an extent before a stride, the name itself before a multiple of it. Null if no argument
/// determines it.
Stmt Signature::bind_dim(Symbol dim, const Touched& used) const {
  for (bool needed : {true, false})
    for (bool itself : {true, false})
      for (bool stride : {false, true})
        for (const Parameter& parameter : parameters_) {
          if (!parameter.tensor || parameter.tensor->output) continue;
          if (needed && !used.read.count(parameter.name) && !used.written.count(parameter.name))
            continue;
          if (Stmt bind = bind_dim_in(parameter, dim, itself, stride)) return bind;
        }
  return nullptr;
}

/// A check that dynamic rows and strides are whole bytes; null if not needed.
static Stmt whole_bytes(const BufferInfo& tensor) {
  if (!in_pairs(tensor) || tensor.shape.empty()) return nullptr;
  std::vector<Expr> sizes(tensor.strides.begin(), tensor.strides.end());
  if (!sizes.empty()) sizes.pop_back();
  sizes.push_back(tensor.shape.back());
  Expr all;
  for (const Expr& size : sizes)
    if (!always_even(size, {}))
      all = land(
          all, eq(floormod(size, int_const(2, size->type.dtype)), int_const(0, size->type.dtype)));
  if (!all) return nullptr;
  Check check;
  check.cond = all;
  check.message = tensor.name.str() + " packs two elements of " + tilelang_name(tensor.dtype) +
                  " in a byte: its rows and strides need an "
                  "even number of them";
  return make(std::move(check));
}

std::vector<Stmt> Signature::host_section(const Stmt& body, Span function) const {
  std::vector<Stmt> host;
  const Touched used = touched(*body);
  for (Symbol dim : order_) {
    if (constants_.count(dim)) continue;  // its value is supplied by the caller
    if (Stmt bind = bind_dim(dim, used)) {
      host.push_back(bind);
      continue;
    }
    reporter_.report(Diag::dim_unbound, function, dim)
        .help("use `" + dim.str() + "`, or a multiple like `" + dim.str() +
              " * 4`, as an extent or a stride");
  }
  for (const Parameter& parameter : parameters_) {
    if (!parameter.tensor) continue;
    CheckTensor check;
    check.buffer = parameter.name;
    check.write = used.written.count(parameter.name) > 0;
    host.push_back(at(parameter.span, Stmt(make(std::move(check)))));
    if (Stmt even = whole_bytes(*parameter.tensor)) host.push_back(at(parameter.span, even));
  }
  return host;
}

void Signature::declare_in(Func& func) const {
  for (const Parameter& parameter : parameters_) {
    Param param;
    param.name = parameter.name;
    param.dtype = parameter.dtype;
    param.span = parameter.span;
    if (parameter.tensor) param.tensor = buffer_stmt(*parameter.tensor);
    if (param.tensor) param.dtype = to<Buffer>(param.tensor).dtype;
    func.params.push_back(make(std::move(param)));
  }
  for (Symbol name : order_) {
    if (constants_.count(name)) continue;
    Dim dim;
    dim.name = name;
    dim.dtype = dims_.at(name);
    func.dims.push_back(make(std::move(dim)));
  }
}

}  // namespace tilelab::elaborate
