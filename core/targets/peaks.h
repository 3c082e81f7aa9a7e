// SPDX-License-Identifier: Apache-2.0
// Peak figures of the card that stands for a target (peaks.def): what %roof measures kernels by.
#pragma once

#include <string_view>
#include <vector>

#include "core/ir/dtype.h"

namespace tilelab {

enum class PeakKind : uint8_t {
  memory,      // bytes a second of the card's memory
  shared,      // ... of shared memory, all processors together
  special,     // square roots, exponentials and the like a second
  arithmetic,  // operations a second on numbers of `dtype`, a multiply-add being two
  matrix,      // ... by matrix units, dense
};
const char* peak_name(PeakKind kind);

struct Peak {
  std::string_view target, card;
  PeakKind kind = PeakKind::memory;
  DType dtype = DType::f32;  // arithmetic and matrix: of the operands
  double value = 0;          // a second
  std::string_view source;
};

/// What is known of a target; figures that nobody has published are absent.
std::vector<Peak> peaks_of(std::string_view target);

}  // namespace tilelab
