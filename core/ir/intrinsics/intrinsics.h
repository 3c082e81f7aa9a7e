// SPDX-License-Identifier: Apache-2.0
// Operations of a thread (or of a warp, a group, a block collectively) beyond arithmetic: one table
// (intrinsics.def). codegen and the simulator index their tables by this enum; other code uses the
// columns, not the names.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/ir/dtype.h"
#include "core/ir/intrinsics/features.h"

namespace tilelab {

enum class Intrinsic : uint8_t {
#define INTRINSIC(id, ...) id,
#include "core/ir/intrinsics/intrinsics.def"
#undef INTRINSIC
};
inline constexpr int kIntrinsicCount = 0
#define INTRINSIC(...) +1
#include "core/ir/intrinsics/intrinsics.def"
#undef INTRINSIC
    ;

// The columns, defined in intrinsics.def.

enum class OperandKind : char {
  value = 'e',
  values = 'v',
  numbers = 'x',
  floats = 'f',
  wholes = 'w',
  integer = 'n',
  immediate = 'i',
  place = 'r',
  global = 'g',
  shared = 's',
  matrix = 'd',
  local = 'l',
  barrier = 'b',
  map = 'm',
  coordinates = 'c',
  any = 'a',
};
enum class Access : uint8_t { none, read, write, update };
enum class CallResult : uint8_t { nothing, first, second, element, truth, i32, u32, stated };
enum class CollectiveScope : uint8_t { none, lane, warp, group, role, block, unit };
enum class Async : uint8_t { none, cp, bulk, mma, tx };
enum class Step : uint8_t {
  none,
  issue,
  commit,
  arrive,
  wait,
  sync,
  fence,
  atomic,
  setup,
  foreign
};

struct OperandInfo {
  OperandKind kind = OperandKind::value;
  Access access = Access::none;
  bool optional = false, repeats = false;
  bool uniform = false;  // equal over the scope

  /// A value that may be a vector.
  constexpr bool vector() const {
    return kind == OperandKind::values || kind == OperandKind::numbers ||
           kind == OperandKind::floats || kind == OperandKind::wholes;
  }
  bool reads() const { return access == Access::read || access == Access::update; }
  bool writes() const { return access == Access::write || access == Access::update; }
  /// A part of a buffer, or its equivalent at flat level; otherwise a value.
  bool is_place() const {
    return kind == OperandKind::place || kind == OperandKind::global ||
           kind == OperandKind::shared || kind == OperandKind::matrix ||
           kind == OperandKind::local || kind == OperandKind::barrier;
  }
};

struct IntrinsicInfo {
  const char* name;
  std::array<OperandInfo, 4> operands;
  uint8_t operand_count;
  CallResult result;
  CollectiveScope scope;
  Async async;
  Step step;
  Feature needs;

  /// Depends only on operand values: allowed in any expression.
  constexpr bool pure() const {
    for (const OperandInfo& operand : operands)
      if (operand.access != Access::none) return false;
    return step == Step::none && async == Async::none;
  }
  /// Orders other operations and has no value.
  constexpr bool orders() const {
    return step != Step::none && step != Step::issue && step != Step::atomic &&
           step != Step::foreign;
  }
};

const IntrinsicInfo& info(Intrinsic intrinsic);
inline const char* name(Intrinsic intrinsic) { return info(intrinsic).name; }
/// Issues a row of core/layout/matrix.def.
inline bool is_matmul(Intrinsic i) {
  return i == Intrinsic::mma || i == Intrinsic::wgmma || i == Intrinsic::sqmma;
}
/// Uses a barrier with an explicit ID (bar.arrive and bar.sync of PTX).
inline bool is_named_barrier(Intrinsic i) {
  return i == Intrinsic::named_arrive || i == Intrinsic::named_sync;
}
/// Synchronizes a part of the block at a barrier that the compiler assigns.
inline bool is_part_barrier(Intrinsic i) {
  return i == Intrinsic::role_sync || i == Intrinsic::group_sync || i == Intrinsic::range_sync;
}
/// Orders only accesses of the threads that execute it, whichever role of whole warps they are.
inline bool orders_in_place(Intrinsic i) {
  return i == Intrinsic::warp_sync || i == Intrinsic::block_sync || i == Intrinsic::fence_proxy;
}
/// A barrier of the blocks of a cluster, or a half of one.
inline bool is_cluster_barrier(Intrinsic i) {
  return i >= Intrinsic::cluster_sync && i <= Intrinsic::cluster_wait;
}
/// A shuffle or a vote: lanes of a warp exchange values.
inline bool is_shuffle(Intrinsic i) {
  return i >= Intrinsic::shfl_xor && i <= Intrinsic::activemask;
}
/// Transfers matrices of eight 16-byte rows between a warp's registers and memory.
inline bool moves_matrices(Intrinsic i) {
  return i == Intrinsic::ldmatrix || i == Intrinsic::stmatrix;
}
/// Whether an atomic is defined for elements of a dtype: bitwise ones for integers and booleans,
/// loads and stores for all, the others for numbers.
bool has_atomic(Intrinsic atomic, DType dtype);
std::optional<Intrinsic> intrinsic_from_name(std::string_view name);

/// Operand `i` of a call; the last one repeats if the table says so; null if out of range.
const OperandInfo* operand_info(Intrinsic intrinsic, size_t i);
/// Minimum and maximum number of operands; -1: unlimited.
struct OperandCount {
  int least = 0, most = 0;
};
OperandCount operand_count(Intrinsic intrinsic);

}  // namespace tilelab
