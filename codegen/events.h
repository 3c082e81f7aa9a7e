// SPDX-License-Identifier: Apache-2.0
// Host side of the ring to which kernels write prints and asserts (device/tl_record.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "codegen/codegen.h"
#include "core/sim/sim.h"

namespace tilelab::codegen {

/// One slot; `kind` 1 is an assertion.
struct Event {
  uint32_t site;
  uint16_t kind, count;
  uint32_t block[3], thread[3];
  uint64_t value[kEventValues];
};
struct EventRing {
  uint32_t capacity, written, failed, reserved;
};
static_assert(sizeof(Event) == 80 && sizeof(EventRing) == 16, "as tl_record.h has them");

inline constexpr uint32_t kEvents = 1 << 16;
inline constexpr size_t kEventRingBytes = sizeof(EventRing) + kEvents * sizeof(Event);

/// Initializes `memory`, of kEventRingBytes, as an empty ring.
void open_event_ring(void* memory);

/// A ring after a launch: its bytes from its head on, and the possible writers. Its contents are
/// untrusted: a kernel may write out of bounds, and one that is killed leaves incomplete slots.
struct WrittenRing {
  std::span<const char> bytes;
  std::array<int64_t, 3> grid{1, 1, 1};
  int64_t threads = 1;  // per block
};
/// The number of events in a ring with this head, limited to its capacity.
uint32_t stored_events(const EventRing& head);
/// Adds the kernel's events to the result's records; counts events that did not fit and slots that
/// no statement of the kernel can have written.
void read_event_ring(const WrittenRing& ring, const RenderedKernel& kernel, sim::RunResult& result);
/// The same, ordered by block and thread, with the site indices that the simulator uses for `func`;
/// a failed assert is a finding, which counts its blocks.
void read_events(const WrittenRing& ring, const Func& func, const RenderedKernel& kernel,
                 sim::RunResult& result);

}  // namespace tilelab::codegen
