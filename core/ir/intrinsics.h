// SPDX-License-Identifier: Apache-2.0
// What one thread (or a warp, a group, a block together) can do beyond arithmetic: one table
// (intrinsics.def). codegen keeps its spellings, the simulator its functions, by this enum.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tilelab {

enum class Intrinsic : uint8_t {
#define INTRINSIC(id, ...) id,
#include "core/ir/intrinsics.def"
#undef INTRINSIC
};
inline constexpr int kIntrinsicCount = 0
#define INTRINSIC(...) +1
#include "core/ir/intrinsics.def"
#undef INTRINSIC
    ;

enum class CollectiveScope : uint8_t { none, lane, warp, group, role, block, unit };

struct IntrinsicInfo {
  const char* name;
  const char* operands;  // letters as explained in intrinsics.def
  CollectiveScope scope;
  const char* uniform;
  const char* effects;
  const char* async_class;  // "-", "cp", "bulk", "mma", "tx"
  const char* targets;

  bool pure() const { return effects[0] == '-' && async_class[0] == '-'; }
};

const IntrinsicInfo& info(Intrinsic intrinsic);
inline const char* name(Intrinsic intrinsic) { return info(intrinsic).name; }
std::optional<Intrinsic> intrinsic_from_name(std::string_view name);

}  // namespace tilelab
