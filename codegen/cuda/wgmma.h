// SPDX-License-Identifier: Apache-2.0
// The functions that issue wgmma. PTX names every register of an instruction, so there is one
// function per shape and type; a kernel includes those that it uses.
#pragma once

#include <string>

#include "core/ir/dtype.h"
#include "core/layout/matrix.h"

namespace tilelab::codegen {

/// ".f32.f16.f16" and so on: accumulator and operands in PTX syntax.
std::string wgmma_types(DType dtype);

struct Wgmma {
  MatrixShape shape;
  DType dtype = DType::f16;  // of A and B
  bool a_in_registers = false;

  /// "tl_wgmma_m64n128k16_f16_ss"
  std::string name() const;
  /// template <accumulate, tA (A in shared memory), tB> void name(C, A, B): C += A B, or = A B.
  std::string text() const;
  /// 16-bit operands may be M- or N-major; the others are K-major.
  bool has_major() const { return bits(dtype) == 16; }
};

}  // namespace tilelab::codegen
