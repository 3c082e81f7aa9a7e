// SPDX-License-Identifier: Apache-2.0
// The files of this directory are compiled once per instruction set (core/CMakeLists.txt), in a
// namespace of its name. Only the tables may have external linkage: the linker could pick the
// AVX-512 version of a shared inline function on a machine without AVX-512.
#pragma once

#include "core/sim/lanes/lanes.h"

namespace tilelab::sim {

/// The kernels of one instruction set; the public functions of lanes/lanes.h and lanes/gemm.h
/// forward to it.
struct LaneTable {
  LaneFn op[lane_op_count][elem_count];
  LaneFn cast[elem_count][elem_count];  // [to][from]
  LaneFn select[4];                     // by log2 of the lane size
  void (*broadcast)(void*, const void*, int, size_t);
  void (*iota)(void*, Elem, int64_t, int64_t, size_t);
  void (*gather)(void*, const void*, const int64_t*, int, size_t);
  void (*scatter)(void*, const void*, const int64_t*, const uint8_t*, int, size_t);
  void (*copy_rows)(void*, int64_t, const void*, int64_t, int64_t, int64_t);
  void (*put_step)(void*, const void*, int64_t, int, size_t);
  bool (*any_magnitude)(const void*, int, uint64_t, size_t);
};

}  // namespace tilelab::sim

#ifdef TILELAB_ISA
#define TILELAB_JOIN2(a, b) a##b
#define TILELAB_JOIN(a, b) TILELAB_JOIN2(a, b)
/// Appends the instruction set to a name: ISA_NAME(fill_ops_) = fill_ops_avx2.
#define ISA_NAME(name) TILELAB_JOIN(name, TILELAB_ISA)

#ifdef TILELAB_SCALAR_LANES
#define LANE_LOOP
#elif defined(__clang__)
#define LANE_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define LANE_LOOP _Pragma("GCC ivdep")
#endif
#endif
