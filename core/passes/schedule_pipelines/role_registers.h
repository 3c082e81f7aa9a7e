// SPDX-License-Identifier: Apache-2.0
// Registers of a producer and consumers on targets whose roles can reallocate them, and the number
// of blocks that a processor then runs at once.
#pragma once

#include <string>

#include "core/ir/stmt.h"
#include "core/support/function_ref.h"
#include "core/targets/target.h"

namespace tilelab {

/// Registers of a consumer's thread beside its fragments: addresses, values of rows, temporaries.
constexpr int64_t kReservedRegisters = 32;

class RoleRegisters {
 public:
  /// `kernel`: without its roles. The producer is a further group of four warps.
  RoleRegisters(const Kernel& kernel, const Target& target);

  /// Chooses the blocks that a processor runs at once: those that the program asks for, or as many
  /// as leave each consumer the registers of its fragments, if these are at least twice those that
  /// run without reallocation. `processors`: of the card, 0 if unknown; `fits`: whether so many
  /// blocks fit the shared memory of a processor.
  void choose_blocks(int64_t processors, FunctionRef<bool(int64_t)> fits);
  int64_t blocks() const { return blocks_; }
  /// Why roles cannot run so many blocks at once; "" if they can.
  std::string refused() const;

  /// Registers that a thread of the role keeps or gets; 0: as launched.
  int64_t of_producer() const;
  int64_t of_consumers() const;

 private:
  int64_t launched(int64_t blocks) const { return target_.launched_registers(threads_, blocks); }
  int64_t left(int64_t given, int64_t blocks) const;
  bool suffice(int64_t blocks) const;
  bool launches(int64_t blocks) const;
  int64_t resident(int64_t most, int64_t processors) const;

  const Kernel& kernel_;
  const Target& target_;
  int64_t group_;          // threads of four warps
  int64_t threads_;        // of the block with its producer
  int64_t fragments_ = 0;  // of a consumer's thread if it held all at once, none of them twice
  int64_t blocks_ = 1;
};

}  // namespace tilelab
