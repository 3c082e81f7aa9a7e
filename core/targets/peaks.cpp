// SPDX-License-Identifier: Apache-2.0
#include "core/targets/peaks.h"

#include <array>

namespace tilelab {
namespace {

std::vector<Peak> all_peaks() {
  std::vector<Peak> out;
  std::string_view target, name, source;
#define CARD(of, card, from) target = of, name = card, source = from;
#define PEAK(kind, dtype, value) \
  out.push_back({target, name, PeakKind::kind, DType::dtype, value, source});
#include "core/targets/peaks.def"
#undef CARD
#undef PEAK
  return out;
}

}  // namespace

const char* peak_name(PeakKind kind) {
  static constexpr std::array names{"memory", "shared", "special", "arithmetic", "matrix"};
  return names[static_cast<size_t>(kind)];
}

std::vector<Peak> peaks_of(std::string_view target) {
  static const std::vector<Peak> all = all_peaks();
  std::vector<Peak> out;
  for (const Peak& peak : all)
    if (peak.target == target) out.push_back(peak);
  return out;
}

}  // namespace tilelab
