// SPDX-License-Identifier: Apache-2.0
// The ring that kernels write what they print and assert to (device/tl_record.h), seen from the
// host.
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

/// Makes `memory`, of kEventRingBytes, an empty ring.
void open_event_ring(void* memory);

/// A ring behind a launch: its bytes, from its head on, and who can have written to it. Nothing in
/// it is trusted: a kernel that strays writes anywhere, and one that dies leaves slots half done.
struct WrittenRing {
  std::span<const char> bytes;
  std::array<int64_t, 3> grid{1, 1, 1};
  int64_t threads = 1;  // of a block
};
/// How many events lie in a ring with this head, however large it says that it is.
uint32_t stored_events(const EventRing& head);
/// Adds what `kernel` wrote to the result's records, and counts what had no room and what no
/// statement of the kernel writes.
void read_event_ring(const WrittenRing& ring, const RenderedKernel& kernel, sim::RunResult& result);
/// The same, in the order of blocks and threads, with the sites numbered as the simulator numbers
/// those of `func`; an assert that failed is a finding, which counts its blocks.
void read_events(const WrittenRing& ring, const Func& func, const RenderedKernel& kernel,
                 sim::RunResult& result);

}  // namespace tilelab::codegen
