// SPDX-License-Identifier: Apache-2.0
// Result dtypes of matrix instructions.
#pragma once

#include "core/ir/dtype.h"

namespace tilelab {

/// The accumulator dtype of an instruction that multiplies this dtype.
inline DType accumulator_of(DType factor) {
  return factor == DType::f64 ? DType::f64 : is_float(factor) ? DType::f32 : DType::i32;
}

}  // namespace tilelab
