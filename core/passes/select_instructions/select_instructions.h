// SPDX-License-Identifier: Apache-2.0
// The steps of select_instructions that are in separate files.
#pragma once

#include <string>
#include <vector>

#include "core/ir/stmt.h"
#include "core/ir/traverse.h"
#include "core/passes/shared/hardware_units.h"
#include "core/targets/target.h"

namespace tilelab {

// Privatizes tiles of shared memory that threads need not share (select_instructions).

/// The shared buffers of a kernel that can be fragments: they are filled, copied and iterated over
/// by T.Parallel only as a whole, element by element, so that each element can be in one thread;
/// and no matmul, reduction or pipelined loop constrains which one. Limited to a few registers, in
/// the order of the declarations.
std::vector<const Buffer*> find_private_tiles(const Kernel& kernel, const KernelMemory& memory);

// T.cumsum and T.cummax as loops over shared memory.

/// Expands the scan into tile operations that later passes support. With at least as many lines as
/// threads, each line is one sequential chain in one thread, in the order of the tile operation, so
/// its bits are the same; otherwise long lines are scanned in parts. Operands outside of shared
/// memory are copied through a buffer of the kernel. Adds new names to `taken`.
Stmt expand_scan(const Scan& scan, const BufferTable& buffers, const BufferViews& views,
                 int64_t threads, std::unordered_map<Symbol, int>& taken);

/// Whether there are too few lines, so that it scans in parts.
bool scans_in_parts(const Scan& scan, int64_t threads);

// The stages of T.Pipelined loops whose num_stages is 0: as many as shared memory has space for, if
// the loop copies operands of matmuls and no fewer blocks then fit on a processor.

/// Marks a loop of T.Pipelined with num_stages=0, and also if the compiler has chosen its stages.
constexpr const char* kAutoStages = "auto_stages";

/// The kernel's body with stages chosen; other marked loops lose the mark.
Stmt with_chosen_stages(const Func& func, const Kernel& kernel, const Target& target,
                        std::vector<std::string>& reasons);

// Matmuls with explicit waits (T.wgmma_gemm, T.wait_wgmma): they stay in flight if the matrix unit
// can count them, and complete with their statement otherwise.

/// Makes every matmul complete with its statement and removes the waits.
Stmt with_synchronous_matmuls(const Stmt& body);

/// The same for a kernel whose matmuls have no instruction yet.
Stmt with_synchronous_source_matmuls(const Stmt& body);

/// Removes waits in a role, or in a block, that leaves no matmul in flight.
Stmt without_idle_waits(const Stmt& kernel_body);

// Layouts of a matrix instruction's operand in shared memory: a matrix of the last two dimensions
// of a buffer, or of a view of one; all of it, or a part.

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
