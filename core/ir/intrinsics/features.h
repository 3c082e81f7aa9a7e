// SPDX-License-Identifier: Apache-2.0
// Optional target features that intrinsics require, and sets of them.
#pragma once

#include <cstdint>

namespace tilelab {

enum class Feature : uint8_t {
  any,  // supported by every target
#define FEATURE(id, without) id,
#include "core/ir/intrinsics/features.def"
#undef FEATURE
};
inline constexpr int kFeatureCount = 1
#define FEATURE(...) +1
#include "core/ir/intrinsics/features.def"
#undef FEATURE
    ;

/// Why a target without it rejects the kernel: "it has no tensor engine".
const char* reason_without(Feature feature);

class Features {
 public:
  constexpr Features() = default;
  constexpr void add(Feature f) { bits_ |= 1u << uint8_t(f); }
  constexpr bool has(Feature f) const { return f == Feature::any || bits_ >> uint8_t(f) & 1; }

 private:
  uint32_t bits_ = 0;
};
static_assert(kFeatureCount <= 32);

}  // namespace tilelab
