// SPDX-License-Identifier: Apache-2.0
#include "core/host/row_multiples.h"

#include <algorithm>
#include <numeric>

#include "core/ir/build.h"
#include "core/ir/traverse.h"

namespace tilelab::host {
namespace {

/// The names in expressions that a tensor's strides depend on: its strides, or all extents but the
/// outermost.
template <class Found> void for_each_row_name(const Buffer& tensor, Found found) {
  auto names = [&](const Expr& e) {
    walk(*e, [&](const Node& node) {
      if (const Name* name = as<Name>(&node)) found(name->id);
      return true;
    });
  };
  for (const Expr& stride : tensor.strides) names(stride);
  if (tensor.strides.empty())
    for (size_t d = 1; d < tensor.shape.size(); ++d) names(tensor.shape[d]);
}

}  // namespace

std::vector<Symbol> row_dims(const Func& func) {
  std::vector<Symbol> rows;
  auto add = [&](Symbol name) {
    auto is_open = [&](const Stmt& s) {
      const Dim& dim = to<Dim>(s);
      return dim.name == name && dim.multiple % kRowMultiple != 0;
    };
    if (std::any_of(func.dims.begin(), func.dims.end(), is_open) &&
        std::find(rows.begin(), rows.end(), name) == rows.end())
      rows.push_back(name);
  };
  for (const Stmt& s : func.params)
    if (const Buffer* tensor = as<Buffer>(to<Param>(s).tensor)) for_each_row_name(*tensor, add);
  return rows;
}

std::vector<Symbol> aligned_dims(const std::vector<Symbol>& rows, const Signature& signature,
                                 const Dims& dims) {
  std::vector<Symbol> aligned;
  for (size_t i = 0; i < dims.size(); ++i) {
    const Symbol name = signature.dims()[i];
    if (dims[i] && *dims[i] % kRowMultiple == 0 &&
        std::find(rows.begin(), rows.end(), name) != rows.end())
      aligned.push_back(name);
  }
  return aligned;
}

FuncRef with_multiples(const Func& func, const std::vector<Symbol>& names, int64_t multiple) {
  Func out(func);
  for (Stmt& s : out.dims) {
    Dim dim(to<Dim>(s));
    if (std::find(names.begin(), names.end(), dim.name) == names.end()) continue;
    dim.multiple = std::lcm(dim.multiple, multiple);
    s = make(std::move(dim));
  }
  return make(std::move(out));
}

}  // namespace tilelab::host
