// SPDX-License-Identifier: Apache-2.0
// Where an operand of a matrix instruction lies in shared memory: a matrix of the last two
// dimensions of a buffer, or of a view of one; all of it, or a part.
#pragma once

#include <string>
#include <vector>

#include "core/passes/shared/hardware_units.h"

namespace tilelab {

/// A stored operand: its two dimensions, in the order of memory.
struct OperandTile {
  const Region* region = nullptr;
  const Buffer* buffer = nullptr;  // that has the elements, behind views
  MatrixOperand kind = MatrixOperand::a;
  int64_t rows = 0, cols = 0;
  bool viewed() const { return region->buffer != buffer->name; }
};

/// The ways in which all of the operand's buffer can lie, so that the instruction, of this shape,
/// reads each of its parts from shared memory; the best first. If there is none, `why` is the rule
/// that refused it.
/// One that threads read (not asynchronous) takes it however it lies: then they are what suits it.
std::vector<SharedForm> forms_of(const OperandTile& operand, const MatrixInstruction& row,
                                 const MatrixShape& inst, const KernelMemory& memory,
                                 const RangeAnalysis& facts, std::string& why);

}  // namespace tilelab
