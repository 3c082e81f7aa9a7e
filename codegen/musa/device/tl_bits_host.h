// SPDX-License-Identifier: Apache-2.0
// Bits of numbers as the lowest layers of the CPU spell them: of kernels for the host's cores, and
// of the emulator.
#pragma once

inline unsigned __float_as_uint(float x) {
  unsigned bits;
  __builtin_memcpy(&bits, &x, 4);
  return bits;
}
inline float __uint_as_float(unsigned bits) {
  float x;
  __builtin_memcpy(&x, &bits, 4);
  return x;
}
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
