// SPDX-License-Identifier: Apache-2.0
// Layouts that avoid bank conflicts for given accesses to a shared buffer: exchanges of chunks by
// row (swizzles) and padded rows. The search is exhaustive: each candidate is evaluated on the
// accesses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/layout/banks.h"
#include "core/layout/forward.h"
#include "core/support/function_ref.h"

namespace tilelab {

/// One access by the lanes of a warp: row-major element indices, grouped by lane.
struct ElementAccess {
  struct Lane {
    int64_t lane = 0;
    std::vector<int64_t> elements;
  };
  std::vector<Lane> lanes;
  int64_t times = 1;
  bool whole = false;  // the instruction has a fixed width; otherwise a layout may split the access
};

/// Wavefronts, their minimum without conflicts, and the number of accesses.
struct ConflictCount {
  int64_t ideal = 0, wavefronts = 0, worst = 0, accesses = 0;
  bool free() const { return wavefronts == ideal; }
  void add(const ConflictCount& other, int64_t times = 1);
};
ConflictCount counted(const BankReport& report);

/// Counts conflicts if elements are stored at `place` (row-major index -> offset in elements);
/// nullopt if an access would have to be narrower than its instruction.
std::optional<ConflictCount> count_conflicts(const std::vector<ElementAccess>& accesses,
                                             int64_t element_bytes, const BankModel& model,
                                             FunctionRef<int64_t(int64_t)> place);

struct LayoutSuggestion {
  enum class Kind : uint8_t {
    swizzled,  // make_swizzled_layout
    exchange,  // j -> (j // chunk ^ i // rows % mask) * chunk + j % chunk
    padding,   // `pad` elements after each row
  };
  Kind kind = Kind::padding;
  int64_t chunk = 1, rows = 1, mask = 1, pad = 0;
  int64_t more_bytes = 0;  // added to the buffer
  ConflictCount count;
};

/// The exchange with the fewest wavefronts, then the padding with the fewest, if it is fewer than
/// now. A layout that separates the elements of a lane makes accesses narrower, as compilation for
/// that layout does (although threads may then access other elements). `shape` has at least two
/// dimensions; those before the last two select equal slices.
std::vector<LayoutSuggestion> layout_suggestions(const Index& shape, int64_t element_bytes,
                                                 const std::vector<ElementAccess>& accesses,
                                                 const ConflictCount& now, const BankModel& model);

/// A wavefront costs 1, an access 2.
inline int64_t access_cost(const ConflictCount& count) {
  return count.wavefronts + 2 * count.accesses;
}

/// A swizzle of a row-major buffer, with the cost of its accesses with and without it.
struct BankSwizzle {
  Swizzle swizzle;
  ConflictCount then, now;
};
/// The cheapest swizzle (access_cost) for the accesses to a row-major buffer of `elements`, if it
/// at least halves their cost. An access that must be split costs 4 more per part, because the
/// matching global access is split, too.
std::optional<BankSwizzle> cheapest_swizzle(int64_t elements, int64_t element_bytes,
                                            const std::vector<ElementAccess>& accesses,
                                            const BankModel& model);

/// The layout of the whole buffer under a swizzle or an exchange.
ForwardLayout layout_of(const LayoutSuggestion& suggestion, const Index& shape,
                        int64_t element_bytes);

/// The suggestion as source code: "T.annotate_layout({s: T.Layout((64, 64), lambda i, j: ...)})",
/// "T.alloc_shared((64, 65), ...)". `last` are the last two extents, `leading` those before.
std::string suggestion_text(const LayoutSuggestion& suggestion, const std::string& buffer,
                            const Index& leading, const Index& last, const std::string& dtype);

}  // namespace tilelab
