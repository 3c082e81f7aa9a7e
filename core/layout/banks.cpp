// SPDX-License-Identifier: Apache-2.0
#include "core/layout/banks.h"

#include <algorithm>

#include "core/layout/recognize.h"

namespace tilelab {
namespace {

/// Counts the distinct words of each bank for lanes [first, last). `words` is scratch space.
void words_per_bank(const std::vector<LaneAccess>& lanes, size_t first, size_t last,
                    const BankModel& model, std::vector<int64_t>& words,
                    std::vector<int64_t>& load) {
  words.clear();
  for (size_t i = first; i < last; ++i)
    for (int64_t b = lanes[i].byte_address / model.bank_bytes;
         b <= (lanes[i].byte_address + lanes[i].bytes - 1) / model.bank_bytes; ++b)
      words.push_back(b);
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  load.assign(size_t(model.banks), 0);
  for (int64_t word : words) ++load[size_t(word % model.banks)];
}

}  // namespace

BankReport count_bank_conflicts(const std::vector<LaneAccess>& lanes, const BankModel& model) {
  BankReport report;
  const int64_t line = model.banks * model.bank_bytes;
  std::vector<int64_t> words, load;
  for (size_t first = 0; first < lanes.size();) {
    int64_t per_lane = std::max(lanes[first].bytes, model.bank_bytes);
    int64_t window = std::max<int64_t>(1, line / per_lane);
    int64_t group = lanes[first].lane / window;  // lane IDs, not positions: inactive lanes count
    size_t last = first;
    while (last < lanes.size() && lanes[last].lane / window == group) ++last;
    words_per_bank(lanes, first, last, model, words, load);
    int64_t fullest = *std::max_element(load.begin(), load.end());
    ++report.transactions;
    report.cycles += fullest;
    if (fullest > report.worst) {
      report.worst = fullest;
      report.words_per_bank = load;
    }
    first = last;
  }
  return report;
}

std::vector<LaneAccess> lane_accesses(const Layout& who, int64_t first_thread, int64_t lanes,
                                      int64_t reg, int64_t vec, const Layout& where,
                                      const Swizzle& swizzle, int64_t element_bytes,
                                      int64_t offset) {
  std::vector<LaneAccess> result;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    std::vector<Index> elements = elements_at(who, first_thread + lane, reg);
    if (elements.empty()) continue;
    int64_t byte = place_of(where, elements[0]).address * element_bytes + offset;
    result.push_back({lane, swizzled(swizzle, byte), vec * element_bytes});
  }
  return result;
}

}  // namespace tilelab
