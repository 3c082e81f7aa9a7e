// SPDX-License-Identifier: Apache-2.0
// T.print and T.device_assert: events in a ring in global memory, drained after the launch.
// The launcher allocates sizeof(tl_events) + capacity * sizeof(tl_event) bytes and sets capacity.
#pragma once

/// One event. `site` is the statement's index; values are raw bits, widened to 8 bytes.
struct tl_event {
  unsigned site;
  unsigned short kind, count;  // kind 0 print, 1 assert; values used
  unsigned block[3], thread[3];
  tl_u64 value[6];
};
struct tl_events {
  unsigned capacity;   // slots that follow
  unsigned written;    // events seen, stored or not
  unsigned failed;     // assertions that failed
  unsigned reserved;
  TL_FN tl_event* slots() { return (tl_event*)(this + 1); }
};

template <class T>
TL_FN tl_u64 tl_event_bits(T x) {
  tl_u64 r = 0;
  __builtin_memcpy(&r, &x, sizeof(T));
  return r;
}
/// Writes an event if it fits; always counts it.
template <class... T>
TL_FN void tl_record(tl_events* ring, unsigned site, unsigned short kind, T... values) {
  static_assert(sizeof...(T) <= 6, "at most six values an event");
  if (kind == 1) atomicAdd(&ring->failed, 1u);
  const unsigned at = atomicAdd(&ring->written, 1u);
  if (at >= ring->capacity) return;
  const tl_u64 bits[] = {tl_event_bits(values)..., 0};
  tl_event* e = ring->slots() + at;
  e->site = site;
  e->kind = kind;
  e->count = (unsigned short)sizeof...(T);
#ifdef TL_CPU
  e->block[0] = tl_block.x, e->block[1] = tl_block.y, e->block[2] = tl_block.z;
  e->thread[0] = e->thread[1] = e->thread[2] = 0;
#else
  e->block[0] = blockIdx.x, e->block[1] = blockIdx.y, e->block[2] = blockIdx.z;
  e->thread[0] = threadIdx.x, e->thread[1] = threadIdx.y, e->thread[2] = threadIdx.z;
#endif
#pragma unroll
  for (int i = 0; i < (int)sizeof...(T); ++i) e->value[i] = bits[i];
}
