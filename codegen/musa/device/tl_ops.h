// SPDX-License-Identifier: Apache-2.0
// Operations of several threads: synchronization, shuffles, atomics.
#pragma once

#define TL_FULL_MASK 0xffffffffu

/// Orders shared memory among all threads of the block.
TL_FN void tl_block_sync(TL_AT0) { TL_HERE tlb_block_sync(); }
/// The same, and also orders global memory and new barriers.
TL_FN void tl_block_sync_full(TL_AT0) { TL_HERE __syncthreads(); }
TL_FN void tl_warp_sync(TL_AT0) { TL_HERE __syncwarp(TL_FULL_MASK); }
TL_FN void tl_threadfence() { __threadfence(); }

// ---- shuffles: any type of at most 8 bytes; every lane of the warp participates
#define TL_SHUFFLE(name)                                                     \
  template <class T>                                                         \
  TL_FN T tl_##name(T x, int operand TL_AT) {                                \
    static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes a lane"); \
    TL_HERE                                                                  \
    unsigned word[2] = {0, 0};                                               \
    __builtin_memcpy(word, &x, sizeof(T));                                   \
    word[0] = __##name##_sync(TL_FULL_MASK, word[0], operand, TL_WARP_SIZE); \
    if (sizeof(T) > 4)                                                       \
      word[1] = __##name##_sync(TL_FULL_MASK, word[1], operand, TL_WARP_SIZE); \
    __builtin_memcpy(&x, word, sizeof(T));                                   \
    return x;                                                                \
  }
TL_SHUFFLE(shfl)
TL_SHUFFLE(shfl_xor)
TL_SHUFFLE(shfl_up)
TL_SHUFFLE(shfl_down)
#undef TL_SHUFFLE
TL_FN bool tl_any(bool p TL_AT) { TL_HERE return __any_sync(TL_FULL_MASK, p); }
TL_FN bool tl_all(bool p TL_AT) { TL_HERE return __all_sync(TL_FULL_MASK, p); }
#if TL_WARP_SIZE == 32
TL_FN unsigned tl_ballot(bool p TL_AT) { TL_HERE return __ballot_sync(TL_FULL_MASK, p); }
#endif

// ---- atomics: relaxed, on numbers of 1 to 8 bytes; each returns the old value.
// All are templates: a kernel that calls none does not pay for compiling them.
#define TL_ATOMIC template <int = 0> TL_FN

/// The unsigned integer with that many bytes: classes have no volatile accesses.
template <int Bytes>
struct tl_word;
template <> struct tl_word<1> { typedef tl_u8 type; };
template <> struct tl_word<2> { typedef tl_u16 type; };
template <> struct tl_word<4> { typedef unsigned type; };
template <> struct tl_word<8> { typedef tl_u64 type; };
/// *p = f(*p) without a native instruction: compare and swap of the word that holds *p.
template <class T, class F>
TL_FN T tl_atomic_update(T* p, F f) {
  static_assert(sizeof(T) <= 8, "unsupported width");
  if constexpr (sizeof(T) == 8) {
    tl_u64 seen = *(volatile tl_u64*)p, old;
    do {
      old = seen;
      seen = atomicCAS((tl_u64*)p, old, tl_bitcast<tl_u64>(f(tl_bitcast<T>(old))));
    } while (seen != old);
    return tl_bitcast<T>(old);
  } else if constexpr (sizeof(T) == 4) {
    unsigned seen = *(volatile unsigned*)p, old;
    do {
      old = seen;
      seen = atomicCAS((unsigned*)p, old, tl_bitcast<unsigned>(f(tl_bitcast<T>(old))));
    } while (seen != old);
    return tl_bitcast<T>(old);
  } else {  // 1 or 2 bytes of a word
    constexpr unsigned mask = sizeof(T) == 2 ? 0xffffu : 0xffu;
    unsigned* word = (unsigned*)((tl_u64)p & ~3ull);
    const int shift = (int)((tl_u64)p & 3) * 8;
    unsigned seen = *(volatile unsigned*)word, old;
    T part;
    do {
      old = seen;
      const unsigned bits = old >> shift;
      __builtin_memcpy(&part, &bits, sizeof(T));
      const T next = f(part);
      unsigned stored = 0;
      __builtin_memcpy(&stored, &next, sizeof(T));
      seen = atomicCAS(word, old, (old & ~(mask << shift)) | stored << shift);
    } while (seen != old);
    return part;
  }
}

/// Types of 1 and 2 bytes have no native instruction: `expression` of `old` and `x`. `whole`: those
/// of 4 and 8 bytes.
#define TL_ATOMIC_NARROW(name, expression, whole)                           \
  template <class T>                                                        \
  struct tl_##name##_of {                                                   \
    T x;                                                                    \
    TL_FN T operator()([[maybe_unused]] T old) const { return expression; } \
  };                                                                        \
  template <class T>                                                        \
  TL_FN T tl_atomic_##name(T* p, T x) {                                     \
    if constexpr (sizeof(T) < 4)                                            \
      return tl_atomic_update(p, tl_##name##_of<T>{x});                     \
    else                                                                    \
      whole                                                                 \
  }
/// An operation on bits, by the native instruction for an unsigned word.
#define TL_ATOMIC_BITS(name, native, expression)                                       \
  TL_ATOMIC_NARROW(name, expression,                                                   \
                   if constexpr (sizeof(T) == 4)                                       \
                     return tl_bitcast<T>(native((unsigned*)p, tl_bitcast<unsigned>(x))); \
                   else return tl_bitcast<T>(native((tl_u64*)p, tl_bitcast<tl_u64>(x)));)
TL_ATOMIC_BITS(exchange, atomicExch, x)
TL_ATOMIC_BITS(and, atomicAnd, (T)(old & x))
TL_ATOMIC_BITS(or, atomicOr, (T)(old | x))
TL_ATOMIC_BITS(xor, atomicXor, (T)(old ^ x))
TL_ATOMIC_NARROW(add, (T)(old + x), return atomicAdd(p, x);)
#undef TL_ATOMIC_BITS
TL_ATOMIC tl_i64 tl_atomic_add(tl_i64* p, tl_i64 x) {
  return (tl_i64)atomicAdd((tl_u64*)p, (tl_u64)x);
}

/// Compares and swaps bits.
template <class T>
struct tl_cas_of {
  T expected, x;
  TL_FN T operator()(T old) const {
    typedef typename tl_word<sizeof(T)>::type word;
    return tl_bitcast<word>(old) == tl_bitcast<word>(expected) ? x : old;
  }
};
template <class T>
TL_FN T tl_atomic_cas(T* p, T expected, T x) {
  if constexpr (sizeof(T) < 4) {
    return tl_atomic_update(p, tl_cas_of<T>{expected, x});
  } else {
    typedef typename tl_word<sizeof(T)>::type word;
    return tl_bitcast<T>(atomicCAS((word*)p, tl_bitcast<word>(expected), tl_bitcast<word>(x)));
  }
}

#define TL_ATOMIC_BY_CAS(name, T, expression)                                       \
  struct tl_##name##_##T {                                                          \
    T x;                                                                            \
    TL_FN T operator()(T old) const { return expression; }                          \
  };                                                                                \
  TL_ATOMIC T tl_atomic_##name(T* p, T x) {                                         \
    return tl_atomic_update(p, tl_##name##_##T{x});                                 \
  }
TL_ATOMIC_BY_CAS(add, tl_f16, old + x)
TL_ATOMIC_BY_CAS(add, tl_bf16, old + x)
#ifndef TLB_F64_ATOMIC_ADD
TL_ATOMIC_BY_CAS(add, double, old + x)
#endif
/// To N adjacent elements, each with a separate atomic.
template <class T, int N>
TL_FN void tl_atomic_add(T* p, const tl_vec<T, N>& x) {
#pragma unroll
  for (int i = 0; i < N; ++i) tl_atomic_add(p + i, x[i]);
}
#ifdef TLB_F32_SUMS
TL_FN void tl_atomic_add(float* p, const tl_vec<float, 2>& x) { tlb_sum(p, x[0], x[1]); }
TL_FN void tl_atomic_add(float* p, const tl_vec<float, 4>& x) {
  tlb_sum(p, x[0], x[1], x[2], x[3]);
}
#endif
#define TL_ATOMIC_PAIRS(type)                                          \
  template <int N>                                                     \
  TL_FN void tl_atomic_add(tl_##type* p, const tl_vec<tl_##type, N>& x) { \
    unsigned words[N / 2];                                             \
    __builtin_memcpy(words, &x, sizeof(words));                        \
    tlb_##type##_sum<N>(p, words);                                     \
  }
/// A word holds two.
#define TL_ATOMIC_PAIR_BY_CAS(type)                                                  \
  struct tl_add_##type##x2 {                                                         \
    tl_vec<tl_##type, 2> x;                                                          \
    TL_FN tl_vec<tl_##type, 2> operator()(const tl_vec<tl_##type, 2>& old) const {   \
      return {{old[0] + x[0], old[1] + x[1]}};                                       \
    }                                                                                \
  };                                                                                 \
  TL_FN void tl_atomic_add(tl_##type* p, const tl_vec<tl_##type, 2>& x) {            \
    tl_atomic_update((tl_vec<tl_##type, 2>*)p, tl_add_##type##x2{x});                \
  }
#ifdef TLB_F16_SUMS
TL_ATOMIC_PAIRS(f16)
#else
TL_ATOMIC_PAIR_BY_CAS(f16)
#endif
#ifdef TLB_BF16_SUMS
TL_ATOMIC_PAIRS(bf16)
#else
TL_ATOMIC_PAIR_BY_CAS(bf16)
#endif
#undef TL_ATOMIC_PAIR_BY_CAS
#undef TL_ATOMIC_PAIRS
#define TL_ATOMIC_CHOOSE(name, native, expression)                                      \
  TL_ATOMIC_NARROW(name, expression, return native(p, x);)                              \
  TL_ATOMIC_BY_CAS(name, tl_f16, tl_##name(old, x))                                     \
  TL_ATOMIC_BY_CAS(name, tl_bf16, tl_##name(old, x))                                    \
  TL_ATOMIC_BY_CAS(name, float, tl_##name(old, x))                                      \
  TL_ATOMIC_BY_CAS(name, double, tl_##name(old, x))                                     \
  TL_ATOMIC_BY_CAS(name, tl_i64, tl_##name(old, x))
TL_ATOMIC_CHOOSE(max, atomicMax, old < x ? x : old)
TL_ATOMIC_CHOOSE(min, atomicMin, x < old ? x : old)
#undef TL_ATOMIC_CHOOSE
#undef TL_ATOMIC_NARROW
#undef TL_ATOMIC_BY_CAS
#undef TL_ATOMIC
template <class T>
TL_FN T tl_atomic_load(const T* p) {
  const typename tl_word<sizeof(T)>::type word = *(const volatile typename tl_word<sizeof(T)>::type*)p;
  return tl_bitcast<T>(word);
}
template <class T>
TL_FN void tl_atomic_store(T* p, T x) {
  typedef typename tl_word<sizeof(T)>::type word;
  *(volatile word*)p = tl_bitcast<word>(x);
}
