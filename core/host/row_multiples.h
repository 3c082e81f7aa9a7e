// SPDX-License-Identifier: Apache-2.0
// Variants of a function for calls whose rows are aligned. Copy engines, vectors and asynchronous
// copies need rows that start at multiples of 16 bytes. With dynamic extents only a call can know
// that, so a function has a variant for calls in which these extents are such multiples.
#pragma once

#include <vector>

#include "core/host/signature.h"

namespace tilelab::host {

/// A dim on which the strides of tensors depend. `multiple`: of it rows start at multiples of 16
/// bytes, whatever the dtype of these tensors.
struct RowDim {
  Symbol name;
  int64_t multiple = 1;
};

/// Those of a function whose facts do not say that they are multiples already.
std::vector<RowDim> row_dims(const Func& func);

/// Those of `rows` that are multiples in a call.
std::vector<RowDim> aligned_dims(const std::vector<RowDim>& rows, const Signature& signature,
                                 const Dims& dims);

/// The function for calls in which these dims are multiples; its host section checks it.
FuncRef with_multiples(const Func& func, const std::vector<RowDim>& rows);

}  // namespace tilelab::host
