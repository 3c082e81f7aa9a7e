// SPDX-License-Identifier: Apache-2.0
// Lowest layer for Moore Threads GPUs. The stub and the emulation include this file as well.
#pragma once

#include "tl_mcc.h"

#ifndef TL_FN
#define TL_FN __device__ __forceinline__
#define TLB_SHARED(p) ((__attribute__((address_space(3))) void*)(p))
#define TLB_GLOBAL(p) ((const __attribute__((address_space(1))) void*)(p))
#endif
#ifndef TL_AT  // only the emulation uses the line of a call
#define TL_AT
#define TL_AT0
#define TL_HERE
#define TLB_CHECK_ACCESS(p, align)
#endif

#define TL_ARCH __MUSA_ARCH__
#define TL_MUSA 1
#if TL_ARCH >= 310
#define TL_WARP_SIZE 32
#else
#define TL_WARP_SIZE 128
#endif

#define tl_grid_constant __attribute__((grid_constant))
typedef MUtensorDescriptor tl_map;

TL_FN unsigned short tlb_f16_from_f32(float x) { return __half_as_ushort(__float2half_rn(x)); }
TL_FN float tlb_f16_to_f32(unsigned short bits) { return __half2float(__ushort_as_half(bits)); }
TL_FN void tlb_block_sync() { __syncthreads_lm(); }
