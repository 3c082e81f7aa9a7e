// SPDX-License-Identifier: Apache-2.0
#include "core/sim/tile/block_sums.h"

#include <cmath>
#include <cstring>

#include "core/ir/build.h"

namespace tilelab::sim {

void BlockSums::add(const Span& span, int32_t memory, int64_t offset, int64_t block, DType dtype,
                    const uint8_t* value) {
  if (!is_float(dtype)) return;
  Addend now{block, 0};
  std::memcpy(&now.bits, value, size_t(bytes(dtype)));
  const Place place{span.file, span.line, span.col, memory};
  auto known = first_.find({place, offset});
  if (known == first_.end()) {
    if (first_.size() < most) first_.emplace(std::pair(place, offset), now);
    return;
  }
  if (known->second.block == block) return;
  Seen& seen = places_[place];
  const double number = number_value(constant({dtype}, now.bits)).value_or(0);
  if (known->second.bits != now.bits || number == std::floor(number)) {
    seen.different = true;
    return;
  }
  if (!seen.equal) seen.example = {span, memory, offset, known->second.block, block};
  seen.equal = true;
}

std::vector<BlockSums::Redundant> BlockSums::redundant() const {
  std::vector<Redundant> out;
  for (const auto& [place, seen] : places_)
    if (seen.equal && !seen.different) out.push_back(seen.example);
  return out;
}

}  // namespace tilelab::sim
