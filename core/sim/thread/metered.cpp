// SPDX-License-Identifier: Apache-2.0
// Reports of a block of threads to a meter.
#include <algorithm>

#include "core/ir/intrinsics/intrinsics.h"
#include "core/layout/matrix.h"
#include "core/sim/meter.h"
#include "core/sim/thread/block.h"

namespace tilelab::sim {

WarpAccess ThreadWarp::metered(const Touched& t, const int64_t* address) const {
  const MemoryInfo& m = block_.image.memories[size_t(t.memory)];
  return {place(),  span(),  m.name,  t.memory, m.elem,  m.shared,
          t.writes, t.mover, t.bytes, address,  t.lanes, std::min(t.lanes, live_.count())};
}

void ThreadWarp::traced(const Instr& instr) {
  if (instr.counted && instr.fn)
    block_.launch.meter->computed(instr.place, span(), instr.fn, active(), live_.count());
  compute(instr);
}

void ThreadWarp::meter_box(const Operand& shared, const MapView& map, const Coords& coords,
                           const Coords& box, bool load) {
  Meter& meter = *block_.launch.meter;
  const int64_t bytes = box_bytes(map, box);
  constexpr auto reads = AccessKind::read, writes = AccessKind::write;
  int64_t requested = 0, sectors = 0;
  for_each_run(map, coords, box, [&](int64_t, int64_t global, int64_t n) {
    if (global < 0) return;
    requested += n;
    sectors += (global + n - 1) / Meter::sector - global / Meter::sector + 1;
  });
  if (map.memory >= 0)
    meter.unit(metered({map.memory, load ? reads : writes, Mover::engine}, nullptr), requested,
               sectors * Meter::sector);
  if (shared.form == Operand::Form::region)
    meter.unit(metered({shared.memory, load ? writes : reads, Mover::engine}, nullptr), bytes,
               bytes);
}

/// A matmul of `shape` by a matrix unit; operands that it reads from shared memory itself.
void ThreadWarp::meter_matmul(const CallSite& call, DType dtype) {
  Meter& meter = *block_.launch.meter;
  const int64_t m = call.numbers[num_m], n = call.numbers[num_n], k = call.numbers[num_k];
  meter.multiplied(place(), span(), dtype, 2 * m * n * k);
  for (size_t i : {size_t{1}, size_t{2}}) {
    const Operand& o = call.operands[i];
    if (o.form != Operand::Form::region) continue;
    const int64_t bytes = (i == 1 ? m : n) * k * elem_bytes(o.elem);
    meter.unit(metered({o.memory, AccessKind::read, Mover::matrix}, nullptr), bytes, bytes);
  }
}

/// Shared buffers and tensors of a launch that has run.
void describe_memories(const ThreadImage& image, const LaunchContext& context, Meter& meter) {
  for (size_t i = 0; i < image.memories.size(); ++i) {
    const MemoryInfo& m = image.memories[i];
    if (m.shared)
      meter.buffers.push_back({m.name, int32_t(i), meter.launch(), m.at, m.bytes, m.elem, m.shape,
                               m.layout, m.swizzle});
    else if (m.of < 0)
      meter.tensors.push_back({m.name, meter.launch(), context.memories[i].bytes});
  }
}

}  // namespace tilelab::sim
