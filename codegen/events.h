// SPDX-License-Identifier: Apache-2.0
// The ring that kernels write what they print and assert to (device/tl_record.h), seen from the
// host.
#pragma once

#include <cstddef>
#include <cstdint>

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
/// Adds what `kernel` wrote to the result's records, and counts what had no room.
void read_event_ring(const void* memory, const RenderedKernel& kernel, sim::RunResult& result);
/// The same, in the order of blocks and threads, with the sites numbered as the simulator numbers
/// those of `func`; an assert that failed is a finding, which counts its blocks.
void read_events(const void* memory, const Func& func, const RenderedKernel& kernel,
                 sim::RunResult& result);

}  // namespace tilelab::codegen
