// SPDX-License-Identifier: Apache-2.0
#include "codegen/c_family/spelling.h"

#include <array>

#include "core/support/check.h"

namespace tilelab::codegen {

namespace {

struct Row {
  Intrinsic id;
  const char *newer, *older;  // mp_31 and mp_22; sm_90a and sm_80
};

constexpr Row kMusa[] = {
#define SPELL(id, mp_31, mp_22) {Intrinsic::id, mp_31, mp_22},
#include "codegen/musa/spelling.def"
#undef SPELL
};
constexpr Row kCuda[] = {
#define SPELL(id, sm_90a, sm_80) {Intrinsic::id, sm_90a, sm_80},
#include "codegen/cuda/spelling.def"
#undef SPELL
};

/// Rows stand in the order of intrinsics.def, none left out.
constexpr bool complete(const Row* rows, size_t count) {
  if (count != size_t(kIntrinsicCount)) return false;
  for (size_t i = 0; i < count; ++i)
    if (size_t(rows[i].id) != i) return false;
  return true;
}
static_assert(complete(kMusa, std::size(kMusa)), "codegen/musa/spelling.def misses a row");
static_assert(complete(kCuda, std::size(kCuda)), "codegen/cuda/spelling.def misses a row");

}  // namespace

const char* spelling(Intrinsic intrinsic, const Target& target) {
  const auto i = static_cast<size_t>(intrinsic);
  if (target.family == Family::musa) return target.letter == 'M' ? kMusa[i].newer : kMusa[i].older;
  if (target.family == Family::cuda) return target.letter == 'H' ? kCuda[i].newer : kCuda[i].older;
  return nullptr;
}

}  // namespace tilelab::codegen
