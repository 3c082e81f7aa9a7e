// SPDX-License-Identifier: Apache-2.0
// What the user's source (T.import_source) finds before it: the names of types that TileLang's
// headers define, and conversions of the arguments and results of its functions.
#pragma once

#if defined(TL_EMU) || defined(TL_STUB) || defined(TL_CPU)
#include <stdint.h>
#ifdef TL_CPU
#include <math.h>
#define __device__
#define __host__
#define __constant__ const
#define __noinline__
#ifndef __forceinline__
#define __forceinline__ inline
#endif
#endif
typedef tl_f16 half_t;
typedef tl_bf16 bfloat16_t;
#include "tl_foreign_host.h"
#elif defined(__MUSACC__) || defined(__MUSA__)
#include <stdint.h>
#if __has_include(<musa_bf16.h>)
#include <musa_bf16.h>
#define TL_FOREIGN_BF16 __mt_bfloat16
#endif
#define TL_FOREIGN_F16 __half
#else
#if __has_include(<cuda_fp16.h>)
#include <cuda_fp16.h>
#define TL_FOREIGN_F16 __half
#endif
#if __has_include(<cuda_bf16.h>)
#include <cuda_bf16.h>
#define TL_FOREIGN_BF16 __nv_bfloat16
#endif
#ifdef __CUDACC_RTC__
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
#else
#include <stdint.h>
#endif
#endif

typedef unsigned uint;
typedef unsigned short ushort;
typedef unsigned char uchar;
#define TL_DEVICE __device__ __forceinline__

/// The platform's type of an element type.
template <class T> struct tl_foreign_type { typedef T type; };
#ifdef TL_FOREIGN_F16
typedef TL_FOREIGN_F16 half_t;
template <> struct tl_foreign_type<tl_f16> { typedef TL_FOREIGN_F16 type; };
#elif !defined(TL_EMU) && !defined(TL_STUB) && !defined(TL_CPU)
typedef tl_f16 half_t, half;
#endif
#ifdef TL_FOREIGN_BF16
typedef TL_FOREIGN_BF16 bfloat16_t;
template <> struct tl_foreign_type<tl_bf16> { typedef TL_FOREIGN_BF16 type; };
#elif !defined(TL_EMU) && !defined(TL_STUB) && !defined(TL_CPU)
typedef tl_bf16 bfloat16_t;
#endif

template <class T> TL_FN typename tl_foreign_type<T>::type* tl_to_foreign(T* p) {
  return (typename tl_foreign_type<T>::type*)p;
}
template <class T> TL_FN typename tl_foreign_type<T>::type* tl_to_foreign(const T* p) {
  return (typename tl_foreign_type<T>::type*)p;
}
template <class T> TL_FN typename tl_foreign_type<T>::type tl_to_foreign(T x) {
  return tl_bitcast<typename tl_foreign_type<T>::type>(x);
}

/// The same bits where only the name of the type differs; otherwise a conversion.
template <class R, class T> struct tl_foreign_result {
  TL_FN static R of(T x) { return (R)x; }
};
#ifdef TL_FOREIGN_F16
template <> struct tl_foreign_result<tl_f16, TL_FOREIGN_F16> {
  TL_FN static tl_f16 of(TL_FOREIGN_F16 x) { return tl_bitcast<tl_f16>(x); }
};
#endif
#ifdef TL_FOREIGN_BF16
template <> struct tl_foreign_result<tl_bf16, TL_FOREIGN_BF16> {
  TL_FN static tl_bf16 of(TL_FOREIGN_BF16 x) { return tl_bitcast<tl_bf16>(x); }
};
#endif
template <class R, class T> TL_FN R tl_from_foreign(T x) { return tl_foreign_result<R, T>::of(x); }

// ---- helpers that TileLang's header gives to source
/// Two values of 16 bits in a word, the first one in its lower half.
template <class T> TL_FN unsigned tl_pair_of(T low, T high) {
  return tl_bitcast<tl_u16>(low) | (unsigned)tl_bitcast<tl_u16>(high) << 16;
}
TL_FN unsigned __pack_half2(half_t low, half_t high) { return tl_pair_of(low, high); }
TL_FN unsigned __pack_nv_bfloat162(bfloat16_t low, bfloat16_t high) { return tl_pair_of(low, high); }
