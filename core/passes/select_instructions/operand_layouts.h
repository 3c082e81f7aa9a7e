// SPDX-License-Identifier: Apache-2.0
// Layouts of a matrix instruction's operand in shared memory: a matrix of the last two dimensions
// of a buffer, or of a view of one; all of it, or a part.
#pragma once

#include <string>
#include <vector>

#include "core/passes/shared/hardware_units.h"

namespace tilelab {

/// A stored operand: its two dimensions, in the order of memory.
struct OperandTile {
  const Region* region = nullptr;
  const Buffer* buffer = nullptr;  // that holds the elements, without views
  MatrixOperand kind = MatrixOperand::a;
  int64_t rows = 0, cols = 0;
  bool viewed() const { return region->buffer != buffer->name; }
};

/// The layouts of the operand's buffer with which the instruction, in this shape, can read each
/// part from shared memory, best first. If there is none, `why` is the violated rule.
/// An instruction whose operands are read by threads (not asynchronous) accepts any layout: then
/// these are the efficient ones.
std::vector<SharedForm> forms_of(const OperandTile& operand, const MatrixInstruction& row,
                                 const MatrixShape& inst, const KernelMemory& memory,
                                 const RangeAnalysis& facts, std::string& why);

}  // namespace tilelab
