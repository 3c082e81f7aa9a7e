// SPDX-License-Identifier: Apache-2.0
// NaN and infinity in one traced block: events (a statement makes one of numbers, or carries one
// from place to place) and which event each element that is no number comes of.
#pragma once

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/sim/birth.h"
#include "core/sim/not_finite.h"
#include "core/sim/tile/spot.h"

namespace tilelab::sim {

/// What an element of the target of a tile operation comes of: a part of a box, [lo, hi) in each
/// of its dimensions.
using BoxPart = std::vector<std::pair<int64_t, int64_t>>;

/// Calls f(position) for each position of a part, row-major, until it says false.
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
struct BirthSource {
  const ResolvedBox* spot = nullptr;
  FunctionRef<BoxPart(const std::vector<int64_t>& at)> part;  // `at`: position in the target's box
};

class NaNProvenance {
 public:
  static constexpr int32_t none = -1;   // a number, or what the kernel was given
  static constexpr int32_t given = -2;  // of a part: one of its values was given

  void begin_block(const std::array<int64_t, 3>& block) { block_ = block, own_.clear(); }

  /// A statement makes `kind` of other values; `parent` if one of those is no number either.
  int32_t born(const Span& span, NumberKind kind, int32_t parent, const std::string& actor,
               FunctionRef<std::string()> what);
  /// A store brings the value of event `from` to an element; the event that it is from then on.
  int32_t carried(const Span& span, int32_t from, const TileMemory& memory, int64_t offset,
                  const std::string& actor);

  NumberKind kind(int32_t event) const { return events_[size_t(event)].kind; }
  int32_t at(const TileMemory& memory, int64_t offset) const;
  void set(const TileMemory& memory, int64_t offset, int32_t event);

  /// A tile operation has written the box `target` of what `sources` hold, and of what it held;
  /// `anew`: whatever it held.
  void operation(const Span& span, const ResolvedBox& target, bool anew,
                 const std::vector<BirthSource>& sources);
  /// It has filled the box with one value.
  void filled(const Span& span, const ResolvedBox& target, int32_t event);

  /// The way from its birth to what event `event` is.
  std::vector<BirthStep> way(int32_t event) const;

 private:
  struct Event {
    BirthStep step;
    NumberKind kind{};
    int32_t parent = none;
    bool birth = false, stored = false;
    Symbol memory;  // that it was stored to
  };
  using Key = std::tuple<uint32_t, uint32_t, uint32_t, int32_t, int32_t, std::string>;
  using Elements = std::unordered_map<int64_t, int32_t>;
  /// Of very many, those of a statement are one.
  bool many() const { return events_.size() > size_t{1} << 16; }
  Elements& elements(const TileMemory& memory);
  int64_t place(const TileMemory& memory, int64_t offset) const;
  std::string element(const TileMemory& memory, int64_t offset) const;
  int32_t found_in(const BirthSource& source, const std::vector<int64_t>& at, NumberKind kind);
  std::string text_of(const std::vector<BirthSource>& sources, const std::vector<int64_t>& at,
                      NumberKind kind) const;
  int32_t element_event(const Span& span, NumberKind kind, int32_t before,
                        const std::vector<BirthSource>& sources, const std::vector<int64_t>& at);

  std::array<int64_t, 3> block_{};
  std::vector<Event> events_;
  std::map<Key, int32_t> known_;
  Elements own_;                        // of the block's memory, by byte
  std::map<int32_t, Elements> global_;  // of the tensors, by number and byte
  /// Parts of sources that the operation at hand has looked through.
  std::map<std::tuple<const ResolvedBox*, int, BoxPart>, int32_t> looked_;
};

/// The element of a copy's source that goes to the element at `at` of its target.
BoxPart same_place(const ResolvedBox& target, const ResolvedBox& source,
                   const std::vector<int64_t>& at);
/// "600.0", "inf", "nan".
std::string value_text(Elem elem, const uint8_t* value);

}  // namespace tilelab::sim
