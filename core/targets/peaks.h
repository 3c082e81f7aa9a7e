// SPDX-License-Identifier: Apache-2.0
// Peak performance of the reference card of each target (peaks.def): the basis of %roof.
#pragma once

#include <string_view>
#include <vector>

#include "core/ir/dtype.h"

namespace tilelab {

enum class PeakKind : uint8_t {
  memory,      // bytes per second of the card's memory
  shared,      // ... of shared memory, all processors combined
  special,     // square roots, exponentials and similar operations per second
  arithmetic,  // operations per second on numbers of `dtype`; a multiply-add counts as two
  matrix,      // ... of the matrix units, without sparsity
};
const char* peak_name(PeakKind kind);

struct Peak {
  std::string_view target, card;
  PeakKind kind = PeakKind::memory;
  DType dtype = DType::f32;  // arithmetic and matrix: of the operands
  double value = 0;          // per second
  std::string_view source;
};

/// The published figures of a target.
std::vector<Peak> peaks_of(std::string_view target);

}  // namespace tilelab
