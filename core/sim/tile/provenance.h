// SPDX-License-Identifier: Apache-2.0
// Provenance of NaN and infinity in a block: events (a statement produces a non-finite value or
// propagates one), and the event of each non-finite element. Numbers that exceed their type are
// reported where finite operands give the first infinity.
#pragma once

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/sim/not_finite.h"
#include "core/sim/origin.h"
#include "core/sim/tile/observer.h"
#include "core/sim/tile/resolved_box.h"

namespace tilelab::sim {

struct Computation;  // of a lane kernel

class NaNProvenance : public TileObserver {
 public:
  /// `brief`: of a watched run. One event per statement, without the values that a line has read;
  /// nothing is recorded before the first event.
  NaNProvenance(TileBlock& block, bool brief) : block_(block), brief_(brief) {}

  /// The path from the origin of an element's value to the element.
  std::vector<OriginStep> trace(const TileMemory& memory, int64_t offset) const;
  /// The origins of values in tensors, one for each tensor and kind.
  std::vector<NotFiniteOrigin> origins() const;

  void begin_block() override;
  void begin_parallel(TileRunner& lanes, TileRunner& outer, const CallSite& site) override;
  void end_parallel(TileRunner& lanes, TileRunner& outer) override;
  bool accessed_as_run(const LaneAccess&, int64_t) override { return brief_ && events_.empty(); }
  void accessed(const LaneAccess& a) override;
  void updated(const LaneAccess& a, int lane) override;
  void stored(const LaneAccess& a) override;
  bool watches_values() const override { return true; }
  void computing(TileRunner& runner, const Instr& instr) override;
  void computed(TileRunner& runner, const Instr& instr) override;
  void before(const BoxOperation& op) override;
  void after(const BoxOperation& op) override;

 private:
  static constexpr int32_t none = -1;   // finite, or a non-finite input of the kernel
  static constexpr int32_t given = -2;  // of a part: one of its values is such an input
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
  bool many() const { return brief_ || events_.size() > size_t{1} << 16; }
  Elements& elements(const TileMemory& memory);
  int64_t place(const TileMemory& memory, int64_t offset) const;
  std::string element(const TileMemory& memory, int64_t offset) const;
  std::vector<OriginStep> trace(int32_t event) const;
  NumberKind kind(int32_t event) const { return events_[size_t(event)].kind; }
  int32_t at(const TileMemory& memory, int64_t offset) const;
  void set(const TileMemory& memory, int64_t offset, int32_t event);
  using Text = FunctionRef<std::string()>;
  /// A statement computes `kind` from other values; `parent` if one of those is non-finite too.
  int32_t originate(const Span& span, NumberKind kind, int32_t parent, Text actor, Text what);
  /// A store copies the value of event `from` to an element; returns its new event.
  int32_t carried(const Span& span, int32_t from, const TileMemory& memory, int64_t offset,
                  Text actor);
  int32_t found_in(const BoxSource& source, const Position& at, NumberKind kind);
  std::string text_of(const BoxOperation& op, const Position& at, NumberKind kind) const;
  int32_t element_event(const BoxOperation& op, NumberKind kind, int32_t before,
                        const Position& at);

  // provenance_lanes.cpp
  /// The events of a program's registers, and its latest loads.
  struct Loaded {
    Span span;
    const TileMemory* memory = nullptr;
    std::vector<int64_t> offsets;  // -1: the lane did not load
    std::vector<uint8_t> values;
  };
  struct Lanes {
    std::unordered_map<Reg, std::vector<int32_t>> events;
    std::map<int64_t, Loaded> loaded;
  };
  /// An instruction before it runs: its result may overwrite an operand.
  struct Before {
    const Computation* what = nullptr;
    bool traced = false;  // there are events
    int operands = 0;
    std::array<std::vector<uint8_t>, 3> values;
    std::array<std::vector<int32_t>, 3> events;
    std::vector<int64_t> index;  // of elements of a local array
  };
  std::vector<int32_t>& events_of(TileRunner& runner, Reg reg);
  int32_t event_of(TileRunner& runner, Reg reg, int64_t lane);
  void computed_number(TileRunner& runner, const Instr& i);
  /// Reports that finite numbers give a value that `elem` cannot represent.
  void overflows(const Span& span, Elem elem, Text actor, Text text);
  std::string loads_text(TileRunner& runner, int lane);
  void store_element(const LaneAccess& a, int64_t lane, bool adds);

  TileBlock& block_;
  bool brief_;
  std::vector<Span> overflowed_;      // statements that are reported
  bool accumulates_special_ = false;  // onto a box that holds NaN or infinity
  std::unordered_map<const TileRunner*, Lanes> lanes_;
  Before before_;
  std::vector<Event> events_;
  std::map<Key, int32_t> known_;
  Elements own_;                        // of the block's memory, by byte
  std::map<int32_t, Elements> global_;  // of the tensors, by memory and byte
  /// Cache: parts of sources scanned for the current operation.
  std::map<std::tuple<const ResolvedBox*, int, BoxPart>, int32_t> scanned_;
};

/// "600.0", "inf", "nan".
std::string value_text(Elem elem, const uint8_t* value);

}  // namespace tilelab::sim
