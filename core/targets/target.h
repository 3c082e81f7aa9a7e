// SPDX-License-Identifier: Apache-2.0
// GPU capabilities as records (targets.def). Passes query the record, never a target's name.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/dtype.h"
#include "core/ir/enums.h"
#include "core/ir/intrinsics/features.h"
#include "core/ir/verify/verify.h"
#include "core/layout/banks.h"
#include "core/layout/digits.h"
#include "core/layout/matrix.h"
#include "core/targets/partition.h"

namespace tilelab {

enum class Family : uint8_t { musa, cuda, cpu };

/// How many of the most recent copies or matrix groups a wait can leave pending.
enum class Waits : uint8_t {
  none,   // no asynchronous operations
  exact,  // wait(n) leaves up to n groups pending
  all,    // every wait is wait(0)
};

struct Barriers {
  enum class Kind : uint8_t { none, in_shared, by_id };
  Kind kind = Kind::none;
  Unit unit = Unit::warp;             // the unit of hardware arrivals
  int limit = 0;                      // barriers of a block; 0 with in_shared: as many as fit
  int bytes = 0;                      // shared memory of one (in_shared)
  bool arrives_with_bytes = false;    // one instruction arrives and states the expected bytes
  bool arrives_after_copies = false;  // a thread's arrival may wait for its asynchronous copies
};

struct TensorCopies {
  bool exists = false;
  bool box_in_descriptor = false;   // box and swizzle: in the descriptor, else in the instruction
  bool prefetches_maps = false;     // into its cache, before the first copy
  int max_rank = 5, max_box = 256;  // box extent per dimension, elements
  Waits store_waits = Waits::none;
  bool sums = false;  // stores can add to the tensor
};

/// The most adjacent elements of global memory to which a thread adds in one operation, each
/// atomically: by one instruction, or by compare-and-swap of the word that contains them.
struct VectorSums {
  int f32 = 1, f16 = 1, bf16 = 1;
};

struct Target {
  std::string_view name;
  Family family = Family::cuda;
  int column = 0;   // in the family's spelling table (codegen/*/spelling.def)
  char letter = 0;  // in the `targets` column of core/layout/matrix.def
  std::string_view doc;

  int lanes = 32;               // of a warp
  int max_threads = 1024;       // of a block
  int max_grid_yz = INT32_MAX;  // blocks along y, and along z
  int64_t shared_bytes = 0;     // limit per block
  int arena_align = 1024;       // alignment of the shared arena's base
  int vector_bytes = 16;        // widest access of a thread; 1: scalar
  VectorSums sums;
  bool private_tiles = false;     // shared tiles used by single threads are faster in registers
  bool slow_conversions = false;  // of integers to floats: far below the arithmetic rate
  bool half_fma = false;          // multiply-adds of float16 and bfloat16 round once
  BankModel banks;
  int registers = 65536;     // 32-bit, of a block
  int thread_registers = 0;  // limit per thread; 0: not published
  int processors = 0;        // of the most common card; 0: unknown
  int resident_threads = 0;  // limit of a multiprocessor; 0: not published

  std::vector<Swizzle> swizzles;  // for matrix operands: widest spread first
  Waits matrix_waits = Waits::none;

  TensorCopies tensor;
  bool async_copy = false;  // per-thread copies global -> shared
  Waits async_waits = Waits::none;
  bool load_matrix = false, store_matrix = false;  // ldmatrix, stmatrix

  Barriers barriers;
  int named_barriers = 0;          // bar.sync id, n; role and group syncs otherwise take a barrier
  int cluster_blocks = 0;          // the most of a cluster; 0: no clusters
  bool register_handover = false;  // roles can reallocate registers between them
  bool producer_first = false;     // otherwise its threads come after the consumers'
  int role_align = 32;             // threads: roles start and end at multiples of it
  bool init_fence = false;         // copy engines need a fence after barrier initialization
  bool proxy_fence = false;        // copy engines need a fence after plain stores

  /// Registers of a thread before roles reallocate them, a multiple of 8, with so many threads in a
  /// block and blocks on a processor.
  int64_t launched_registers(int64_t threads, int64_t blocks) const {
    return std::min<int64_t>(registers / (threads * blocks), 255) / 8 * 8;
  }
  /// Elements of that many bits in the widest access of a thread.
  int64_t widest_access(int64_t bits) const {
    return std::max<int64_t>(1, vector_bytes * 8 / bits);
  }
  /// Elements of `dtype` in the widest atomic sum of a thread; 1: one by one.
  int64_t widest_sum(DType dtype) const;
  /// Whether it has a feature required by an intrinsic (core/ir/intrinsics/features.def).
  bool has(Feature feature) const;
  /// Whether the target supports that row of core/layout/matrix.def.
  bool has(const MatrixInstruction& row) const {
    return row.targets.find(letter) != std::string_view::npos;
  }
  /// The row of a Gemm's `by` if the target supports it; otherwise null.
  const MatrixInstruction* matrix(GemmBy by) const;
};

/// All records, in the order of the table.
const std::vector<Target>& all_targets();
/// The record of that exact name, or null.
const Target* find_target(std::string_view name);
/// The limits that the verifier checks (those of the first record, for an unknown target).
Limits limits_of(const Func& func);
/// Parses TileLang's and our spellings: "mp_31", "musa", "musa -arch=mp_31", "cuda", "cuda
/// -arch=sm_90", "c", "llvm", "cpu", "auto" (the default target). An architecture between two
/// records gets the lower one of its family. Null if unknown; `problem` then describes the error.
const Target* parse_target(std::string_view spelling, std::string* problem = nullptr);
/// "sm_90a" -> 90; -1 without digits.
int architecture_number(std::string_view arch);

}  // namespace tilelab
