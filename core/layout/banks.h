// SPDX-License-Identifier: Apache-2.0
// Bank conflicts of one access by the lanes of a warp to shared memory.
#pragma once

#include <cstdint>
#include <vector>

#include "core/layout/layout.h"

namespace tilelab {

struct BankModel {
  int64_t banks = 32, bank_bytes = 4;
};

struct LaneAccess {
  int64_t lane = 0, byte_address = 0, bytes = 4;
};

/// A warp's access is split into transactions of at most banks * bank_bytes bytes: consecutive
/// lanes share one as long as their widths fit (32 lanes of 4 bytes, 8 lanes of 16). Within a
/// transaction each bank delivers one word per cycle; lanes that access the same word share it.
struct BankReport {
  int64_t transactions = 0;  // cycles without conflicts
  int64_t cycles = 0;        // with conflicts: per transaction, the most distinct words of a bank
  int64_t worst = 0;         // the most words of a bank in any transaction (1: conflict-free)
  std::vector<int64_t> words_per_bank;  // of the worst transaction
  bool conflict_free() const { return cycles == transactions; }
};
BankReport count_bank_conflicts(const std::vector<LaneAccess>& lanes, const BankModel& model = {});

/// The byte addresses that lanes [first_thread, first_thread + lanes) of loop map `who` access in
/// iteration `reg` (the register index of the loop map), with `vec` consecutive elements per lane.
/// The buffer has layout `where` and `swizzle` and starts at `offset` bytes. Both maps have the
/// same domain; lanes without an element do not access.
std::vector<LaneAccess> lane_accesses(const Layout& who, int64_t first_thread, int64_t lanes,
                                      int64_t reg, int64_t vec, const Layout& where,
                                      const Swizzle& swizzle, int64_t element_bytes,
                                      int64_t offset = 0);

}  // namespace tilelab
