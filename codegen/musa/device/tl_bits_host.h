// SPDX-License-Identifier: Apache-2.0
// Shared by the two lowest layers that run on the CPU, for kernels on the host's cores and for the
// emulation: bits of numbers, fast functions, atomics.
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
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }

// ---- IEEE binary16 by the compiler's type
inline unsigned short tlb_f16_bits(float x) {
  const _Float16 half = (_Float16)x;
  unsigned short bits;
  __builtin_memcpy(&bits, &half, 2);
  return bits;
}
inline float tlb_f16_value(unsigned short bits) {
  _Float16 half;
  __builtin_memcpy(&half, &bits, 2);
  return (float)half;
}

// ---- the fast forms of functions equal the exact ones
#define __expf expf
#define __exp10f exp10f
#define __logf logf
#define __log2f log2f
#define __log10f log10f
#define __sinf sinf
#define __cosf cosf
#define __tanf tanf
#define __fdividef(x, y) ((x) / (y))

// ---- atomics: blocks run sequentially, and threads switch only at calls
#define TLB_ATOMIC(name, value)       \
  template <class T>                  \
  inline T atomic##name(T* p, T x) {  \
    const T old = *p;                 \
    *p = (T)(value);                  \
    return old;                       \
  }
TLB_ATOMIC(Add, old + x) TLB_ATOMIC(Max, old < x ? x : old) TLB_ATOMIC(Min, x < old ? x : old)
TLB_ATOMIC(Exch, x) TLB_ATOMIC(And, old & x) TLB_ATOMIC(Or, old | x) TLB_ATOMIC(Xor, old ^ x)
#undef TLB_ATOMIC
template <class T>
inline T atomicCAS(T* p, T expected, T x) {
  const T old = *p;
  if (old == expected) *p = x;
  return old;
}
