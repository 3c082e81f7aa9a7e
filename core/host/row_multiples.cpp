// SPDX-License-Identifier: Apache-2.0
#include "core/host/row_multiples.h"

#include <algorithm>
#include <numeric>

#include "core/ir/build.h"
#include "core/ir/traverse.h"

namespace tilelab::host {
namespace {

constexpr int kRowBits = 128;

/// The names in expressions that a tensor's strides depend on: its strides, or all extents but the
/// outermost.
template <class Found> void for_each_row_name(const Buffer& tensor, Found found) {
  auto names = [&](const Expr& e) { for_each(*e, [&](const Name& name) { found(name.id); }); };
  for (const Expr& stride : tensor.strides) names(stride);
  if (tensor.strides.empty())
    for (size_t d = 1; d < tensor.shape.size(); ++d) names(tensor.shape[d]);
}

}  // namespace

std::vector<RowDim> row_dims(const Func& func) {
  std::vector<RowDim> rows;
  auto add = [&](Symbol name, int64_t multiple) {
    auto is_it = [&](const RowDim& row) { return row.name == name; };
    const auto known = std::find_if(rows.begin(), rows.end(), is_it);
    if (known == rows.end())
      rows.push_back({name, multiple});
    else
      known->multiple = std::max(known->multiple, multiple);
  };
  for (const Stmt& s : func.params)
    if (const Buffer* tensor = as<Buffer>(to<Param>(s).tensor))
      for_each_row_name(
          *tensor, [&](Symbol name) { add(name, std::max(1, kRowBits / bits(tensor->dtype))); });
  std::erase_if(rows, [&](const RowDim& row) {
    return std::none_of(func.dims.begin(), func.dims.end(), [&](const Stmt& s) {
      const Dim& dim = to<Dim>(s);
      return dim.name == row.name && dim.multiple % row.multiple != 0;
    });
  });
  return rows;
}

std::vector<RowDim> aligned_dims(const std::vector<RowDim>& rows, const Signature& signature,
                                 const Dims& dims) {
  std::vector<RowDim> aligned;
  for (const RowDim& row : rows) {
    const auto& names = signature.dims();
    const auto at = size_t(std::find(names.begin(), names.end(), row.name) - names.begin());
    if (at < dims.size() && dims[at] && *dims[at] % row.multiple == 0) aligned.push_back(row);
  }
  return aligned;
}

FuncRef with_multiples(const Func& func, const std::vector<RowDim>& rows) {
  Func out(func);
  for (Stmt& s : out.dims)
    for (const RowDim& row : rows)
      if (to<Dim>(s).name == row.name) {
        Dim dim(to<Dim>(s));
        dim.multiple = std::lcm(dim.multiple, row.multiple);
        s = make(std::move(dim));
      }
  return make(std::move(out));
}

}  // namespace tilelab::host
