// SPDX-License-Identifier: Apache-2.0
// What matrix instructions make of the dtypes of their factors.
#pragma once

#include "core/ir/dtype.h"

namespace tilelab {

/// What an instruction that multiplies this dtype sums in.
inline DType sums_of(DType factor) {
  return factor == DType::f64 ? DType::f64 : is_float(factor) ? DType::f32 : DType::i32;
}

}  // namespace tilelab
