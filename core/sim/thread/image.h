// SPDX-License-Identifier: Apache-2.0
// A compiled kernel of thread or flat level: its lane program and the tables to whose entries the
// program refers. It has no references into IR; blocks and workers share one image.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ir/enums.h"
#include "core/ir/intrinsics/intrinsics.h"
#include "core/layout/digits.h"
#include "core/sim/program/program.h"

namespace tilelab::sim {

/// The most lanes of one instruction.
inline constexpr int max_lanes = 128;

/// Calls of the thread level beyond Intrinsic.
inline constexpr int32_t call_role_begin = 256;  // numbers: lo, hi (threads), end position, index
inline constexpr int32_t call_role_end = 257;
inline constexpr int32_t call_record = 258;  // numbers: site
inline constexpr int32_t call_touch = 259;   // operand: slice of a local array that is accessed;
                                             // numbers: 1 = written
inline constexpr int32_t call_log = 260;     // operand: elements of a local array that were stored

/// Indices into CallSite::numbers of an intrinsic.
enum CallNumber : int {
  num_m,
  num_n,
  num_k,
  num_ta,
  num_tb,
  num_zero,
  num_trans,
  num_unit,
  num_order,  // of order_acquires and order_releases
  num_imm,
  num_granule,
  num_all_memory,
  num_row,      // of matrix.def
  num_dtype,    // of the operands of a matmul by descriptors
  num_part,     // flat: 1 + index of a role_sync's barrier in `parts`; 0 without one
  num_id,       // of the barrier that synchronizes a role or group; -1 without one
  num_threads,  // that it synchronizes
  num_relaxed,
  call_numbers
};
inline constexpr int64_t unit_of_barrier = -1, unit_copies = -2;

enum : int64_t { order_acquires = 1, order_releases = 2 };

/// A tensor, a workspace, or a shared buffer.
struct MemoryInfo {
  Symbol name;
  bool shared = false;
  Elem elem = Elem::f32;
  int32_t of = -1;  // a view: the memory that it aliases
  // shared
  int64_t at = 0;  // bytes into the arena
  int64_t bytes = 0;
  Swizzle swizzle;
  Layout layout;               // address digits; empty: row-major
  std::vector<int64_t> shape;  // shared: constant; global: -1 where dynamic
  // global
  bool addressed = false;  // accesses compute its address
  bool written = false;    // by this kernel
  Symbol holds;            // the buffer whose elements these are
  Span declared;
};

struct BarrierInfo {
  Symbol name;
  int64_t first = 0, n = 1;  // indices of its barriers
  int32_t count = 1;
  Unit unit = Unit::warp;
  int64_t id = -1;
  bool named = false;  // by the number `id` that the program gives: not allocated
};

struct RoleInfo {
  Symbol name;
  int32_t lo = 0, hi = 0;
};

/// Element offsets of a box relative to its corner, row-major over the box.
struct BoxTable {
  std::vector<int64_t> extents;
  std::vector<int32_t> offset;
  int64_t run = 1;     // rows consist of runs of this many adjacent elements
  bool dense = false;  // the offsets are a permutation of 0 .. n - 1
};

struct RecordSite {
  std::string message, buffer;
  RecordKind what = RecordKind::print;
  bool is_assert = false;
  Span span;
  int32_t n_index = 0;
};

/// A per-thread array of a traced program.
struct LocalInfo {
  Symbol name;
  Elem elem = Elem::f32;
  int32_t array = 0;
  std::vector<int64_t> shape;
};

struct ThreadImage {
  Symbol name;
  Program program;
  std::vector<MemoryInfo> memories;
  std::vector<BarrierInfo> barriers;
  int64_t barrier_count = 0;
  std::vector<Symbol> maps;
  std::vector<RoleInfo> roles;
  std::vector<int64_t> parts;  // flat: the barriers that synchronize parts of the block
  std::vector<BoxTable> boxes;
  std::vector<RecordSite> records;
  std::vector<LocalInfo> locals;
  std::vector<Symbol> indices;  // names of the block coordinates
  int32_t threads = 128, warp = 32;
  int64_t smem = 0;
  int shared_granule = 16;  // smallest shared access, bytes
  bool addressed = false;   // some memory is
  bool flat = false, proxies = false, init_fence = false, atomics = false;
  bool barriers_by_id = false;      // hardware barriers, from 1; else words of memory, from 0
  bool parts_use_barriers = false;  // parts of a block synchronize at barriers
};

}  // namespace tilelab::sim
