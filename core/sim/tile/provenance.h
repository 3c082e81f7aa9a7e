// SPDX-License-Identifier: Apache-2.0
// Provenance of NaN and infinity in one traced block: events (a statement produces a non-finite
// value or propagates one), and the event of each non-finite element.
#pragma once

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/sim/not_finite.h"
#include "core/sim/origin.h"
#include "core/sim/tile/resolved_box.h"

namespace tilelab::sim {

/// The elements of a source on which a target element of a tile operation depends: a part of a box,
/// [lo, hi) in each of its dimensions.
using BoxPart = std::vector<std::pair<int64_t, int64_t>>;

/// Calls f(position) for each position of a part, row-major, until it returns false.
template <class F> void each_position(const BoxPart& part, F f) {
  std::vector<int64_t> at;
  for (const auto& [lo, hi] : part) {
    if (lo >= hi) return;
    at.push_back(lo);
  }
  while (f(at)) {
    size_t d = part.size();
    while (d > 0 && ++at[d - 1] == part[d - 1].second) --d, at[d] = part[d].first;
    if (d == 0) return;
  }
}
struct ProvenanceSource {
  const ResolvedBox* region = nullptr;
  FunctionRef<BoxPart(const std::vector<int64_t>& at)> part;  // `at`: position in the target's box
};

class NaNProvenance {
 public:
  static constexpr int32_t none = -1;   // finite, or a non-finite input of the kernel
  static constexpr int32_t given = -2;  // of a part: one of its values is such an input

  void begin_block(const std::array<int64_t, 3>& block) { block_ = block, own_.clear(); }

  /// A statement computes `kind` from other values; `parent` if one of those is non-finite too.
  int32_t originate(const Span& span, NumberKind kind, int32_t parent, const std::string& actor,
                    FunctionRef<std::string()> what);
  /// A store copies the value of event `from` to an element; returns its new event.
  int32_t carried(const Span& span, int32_t from, const TileMemory& memory, int64_t offset,
                  const std::string& actor);

  NumberKind kind(int32_t event) const { return events_[size_t(event)].kind; }
  int32_t at(const TileMemory& memory, int64_t offset) const;
  void set(const TileMemory& memory, int64_t offset, int32_t event);

  /// A tile operation has written the box `target` from `sources` and its previous contents;
  /// `overwrites`: without the previous contents.
  void operation(const Span& span, const ResolvedBox& target, bool overwrites,
                 const std::vector<ProvenanceSource>& sources);
  /// The box was filled with one value.
  void filled(const Span& span, const ResolvedBox& target, int32_t event);

  /// The path from the origin to event `event`.
  std::vector<OriginStep> trace(int32_t event) const;

 private:
  struct Event {
    OriginStep step;
    NumberKind kind{};
    int32_t parent = none;
    bool is_origin = false, stored = false;
    Symbol memory;  // to which it was stored
  };
  using Key = std::tuple<uint32_t, uint32_t, uint32_t, int32_t, int32_t, std::string>;
  using Elements = std::unordered_map<int64_t, int32_t>;
  /// Beyond this limit each statement gets a single event.
  bool many() const { return events_.size() > size_t{1} << 16; }
  Elements& elements(const TileMemory& memory);
  int64_t place(const TileMemory& memory, int64_t offset) const;
  std::string element(const TileMemory& memory, int64_t offset) const;
  int32_t found_in(const ProvenanceSource& source, const std::vector<int64_t>& at, NumberKind kind);
  std::string text_of(const std::vector<ProvenanceSource>& sources, const std::vector<int64_t>& at,
                      NumberKind kind) const;
  int32_t element_event(const Span& span, NumberKind kind, int32_t before,
                        const std::vector<ProvenanceSource>& sources,
                        const std::vector<int64_t>& at);

  std::array<int64_t, 3> block_{};
  std::vector<Event> events_;
  std::map<Key, int32_t> known_;
  Elements own_;                        // of the block's memory, by byte
  std::map<int32_t, Elements> global_;  // of the tensors, by memory and byte
  /// Cache: parts of sources scanned for the current operation.
  std::map<std::tuple<const ResolvedBox*, int, BoxPart>, int32_t> scanned_;
};

/// The element of a copy's source that is copied to the element at `at` of its target.
BoxPart same_place(const ResolvedBox& target, const ResolvedBox& source,
                   const std::vector<int64_t>& at);
/// "600.0", "inf", "nan".
std::string value_text(Elem elem, const uint8_t* value);

}  // namespace tilelab::sim
