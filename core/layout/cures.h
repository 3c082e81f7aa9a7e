// SPDX-License-Identifier: Apache-2.0
// Layouts that spread given accesses of a shared buffer over the banks: exchanges of chunks by row
// (swizzles) and padded rows. Each candidate is tried on the accesses; nothing is guessed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/layout/banks.h"
#include "core/layout/forward.h"
#include "core/support/function_ref.h"

namespace tilelab {

/// What the lanes of a warp touch at once: row-major numbers of elements, those of a lane together.
struct ElementAccess {
  struct Lane {
    int64_t lane = 0;
    std::vector<int64_t> elements;
  };
  std::vector<Lane> lanes;
  int64_t times = 1;
  bool whole = false;  // the instruction has that width; else a layout may make several of it
};

/// Wavefronts of accesses, how many there would be without conflicts, and how many accesses.
struct ConflictCount {
  int64_t ideal = 0, wavefronts = 0, worst = 0, accesses = 0;
  bool free() const { return wavefronts == ideal; }
  void add(const ConflictCount& other, int64_t times = 1);
};
ConflictCount counted(const BankReport& report);

/// Of accesses to elements that lie at `place` (a row-major number -> elements from the start);
/// nullopt where one would have to be narrower than its instruction.
std::optional<ConflictCount> count_conflicts(const std::vector<ElementAccess>& accesses,
                                             int64_t element_bytes, const BankModel& model,
                                             FunctionRef<int64_t(int64_t)> place);

struct BankCure {
  enum class Kind : uint8_t {
    swizzled,  // make_swizzled_layout
    exchange,  // j -> (j // chunk ^ i // rows % mask) * chunk + j % chunk
    padding,   // `pad` elements behind each row
  };
  Kind kind = Kind::padding;
  int64_t chunk = 1, rows = 1, mask = 1, pad = 0;
  int64_t more_bytes = 0;  // of the buffer
  ConflictCount count;
};

/// The exchange with the fewest wavefronts, then the padding with the fewest, each only where it
/// has fewer than now. A layout that parts the elements of a lane makes accesses narrower, as it
/// does when a kernel is compiled for it (where threads may then take others). `shape` has two
/// dimensions or more; those before the last two choose among equal parts.
std::vector<BankCure> bank_cures(const Index& shape, int64_t element_bytes,
                                 const std::vector<ElementAccess>& accesses,
                                 const ConflictCount& now, const BankModel& model);

/// A wavefront costs 1, an access 2.
inline int64_t access_cost(const ConflictCount& count) {
  return count.wavefronts + 2 * count.accesses;
}

/// A swizzle of a row-major buffer, what its accesses come to with it, and without.
struct BankSwizzle {
  Swizzle swizzle;
  ConflictCount then, now;
};
/// The swizzle with which the accesses of a row-major buffer of that many elements cost least,
/// where they cost half of what they do now or less (access_cost). An access that has to be parted
/// costs 4 more for each part, since what it exchanges with memory is parted, too.
std::optional<BankSwizzle> cheapest_swizzle(int64_t elements, int64_t element_bytes,
                                            const std::vector<ElementAccess>& accesses,
                                            const BankModel& model);

/// The layout that a swizzle or an exchange gives the whole buffer.
ForwardLayout layout_of(const BankCure& cure, const Index& shape, int64_t element_bytes);

/// As a user writes it for a buffer: "T.annotate_layout({s: T.Layout((64, 64), lambda i, j:
/// ...)})", "T.alloc_shared((64, 65), ...)". `last` are the last two extents, `leading` those
/// before.
std::string cure_text(const BankCure& cure, const std::string& buffer, const Index& leading,
                      const Index& last, const std::string& dtype);

}  // namespace tilelab
