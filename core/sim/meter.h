// SPDX-License-Identifier: Apache-2.0
// Counts memory traffic and operations of threads and units per source location, while a function
// runs at thread or flat level:
//
//   Meter meter;
//   options.meter = &meter, options.threads = 1;
//
// Of a large grid only some blocks run (`most_blocks`); each represents its neighbours, and counts
// are scaled. Without a meter there is no overhead.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ir/dtype.h"
#include "core/layout/banks.h"
#include "core/layout/digits.h"
#include "core/layout/suggestions.h"
#include "core/sim/lanes/lanes.h"
#include "core/support/span.h"
#include "core/support/symbol.h"

namespace tilelab::sim {

/// Who moves the bytes.
enum class Mover : uint8_t {
  threads,     // loads and stores
  async,       // copies of single threads that complete later
  row_loads,   // ldmatrix
  row_stores,  // stmatrix
  atomic,
  engine,  // the tensor copy engine
  matrix,  // a matrix unit that reads shared memory itself
};
const char* mover_name(Mover mover);

/// A distinct access pattern of a warp: the byte in the arena for each active lane.
struct WarpPattern {
  std::vector<LaneAccess> lanes;
  int64_t times = 0;
};

/// What one source location does to one buffer, with accesses of one width.
struct MeteredSite {
  Span span;
  Symbol buffer;
  int32_t memory = 0;  // its index in the kernel; -1: unknown
  int64_t launch = 0;
  DType dtype = DType::f32;
  bool shared = false, write = false;
  Mover mover = Mover::threads;
  int32_t bytes = 0;            // per lane; 0: a unit's access
  int64_t runs = 0;             // warp instructions; boxes and operands of units
  int64_t lanes = 0, idle = 0;  // active and masked
  int64_t requested = 0;        // bytes requested, summed over lanes
  int64_t transferred = 0;      // global memory: bytes of whole sectors
  ConflictCount served;         // shared memory accesses of threads
  std::vector<WarpPattern> patterns;
  bool all_kept = true;  // false: there were more patterns
};

/// Floating-point operations of one kind.
struct MeteredWork {
  Span span;
  bool matrix = false,
       special = false;      // by a matrix unit; square roots, exponentials and similar
  DType dtype = DType::f32;  // of the operands
  int64_t operations = 0;    // a multiply-add is two
  int64_t lanes = 0, idle = 0;
};

/// A shared buffer, which maps addresses back to elements.
struct MeteredBuffer {
  Symbol name;
  int32_t memory = 0;
  int64_t launch = 0, at = 0, bytes = 0;
  DType dtype = DType::f32;
  std::vector<int64_t> shape;
  Layout layout;
  Swizzle swizzle;
};

/// A tensor, or a workspace, of a launch.
struct MeteredTensor {
  Symbol name;
  int64_t launch = 0, bytes = 0;
};

/// One instruction of a warp: for each lane a byte offset in the arena (swizzled) or in a tensor,
/// -1 where it is masked.
struct WarpAccess {
  uint32_t place = 0;
  const Span& span;
  Symbol buffer;
  int32_t memory = 0;
  DType dtype = DType::f32;
  bool shared = false, write = false;
  Mover mover = Mover::threads;
  int32_t bytes = 0;
  const int64_t* address = nullptr;
  int lanes = 0, live = 0;
};

class Meter {
 public:
  static constexpr int64_t sector = 32;  // bytes: the granularity of global memory
  static constexpr size_t most_patterns = 1024;

  // ---- options
  int64_t most_blocks = 0;  // per launch; 0: all

  // ---- results
  BankModel banks;
  std::vector<MeteredSite> sites;
  std::vector<MeteredWork> work;
  std::vector<MeteredBuffer> buffers;
  std::vector<MeteredTensor> tensors;
  int64_t launches = 0;
  std::vector<std::pair<int64_t, int64_t>> blocks;  // of each launch: total and executed

  struct Chosen {
    int64_t block = 0, weight = 1;  // its index, and how many it represents
  };
  /// Selects the blocks to run. The last blocks of each dimension contain the tails: they represent
  /// each other, and the middle ones represent the rest. Empty: all blocks run.
  std::vector<Chosen> choose(const std::array<int64_t, 3>& grid) const;

  // ---- events
  /// `together`: all blocks run, because some wait for others.
  void begin_launch(const BankModel& model, const std::array<int64_t, 3>& grid,
                    bool together = false);
  void begin_block(int64_t number);
  int64_t launch() const { return launches - 1; }
  void access(const WarpAccess& access);
  /// A unit requests `requested` bytes, for which memory transfers `transferred`.
  void unit(const WarpAccess& access, int64_t requested, int64_t transferred);
  /// `fn` computes a result in `lanes` lanes, `live` of them active.
  void computed(uint32_t place, const Span& span, LaneFn fn, int lanes, int live);
  void multiplied(uint32_t place, const Span& span, DType dtype, int64_t operations);

 private:
  std::vector<Chosen> chosen_;
  int64_t weight_ = 1;
  MeteredSite& site_of(const WarpAccess& access);
  MeteredWork& work_of(uint32_t place, const Span& span, uint32_t kind);
  void keep_pattern(const WarpAccess& access, MeteredSite& site);

  std::unordered_map<uint64_t, size_t> site_of_, work_of_;  // of this launch
  /// By site: patterns, keyed by their addresses.
  std::vector<std::unordered_map<std::string, std::pair<size_t, ConflictCount>>> pattern_of_;
};

/// Layouts that remove the bank conflicts of threads in a buffer, tried on recorded accesses. Empty
/// if there are no conflicts, or if a unit accesses the buffer and requires its layout.
struct LayoutSuggestions {
  ConflictCount now;                 // of the accesses that were tried
  bool units = false, whole = true;  // a unit requires its layout; all accesses were tried
  std::vector<LayoutSuggestion> suggestions;
};
LayoutSuggestions suggest_layouts(const Meter& meter, const MeteredBuffer& buffer);

}  // namespace tilelab::sim
