// SPDX-License-Identifier: Apache-2.0
#include "core/layout/suggestions.h"

#include <algorithm>

#include "core/layout/recognize.h"
#include "core/support/extents.h"
#include "core/support/text.h"

namespace tilelab {
namespace {

/// How many elements each lane can access in one instruction: adjacent and naturally aligned.
int64_t vector_width(const std::vector<std::vector<int64_t>>& places) {
  auto n = int64_t(places[0].size());
  auto fits = [&](const std::vector<int64_t>& lane) {
    for (size_t k = 0; k < lane.size(); ++k)
      if (lane[k] != lane[k - k % size_t(n)] + int64_t(k) % n || (lane[k] - int64_t(k) % n) % n)
        return false;
    return true;
  };
  while (n > 1 && !std::all_of(places.begin(), places.end(), fits)) n /= 2;
  return std::max<int64_t>(n, 1);
}

constexpr int64_t kLongestLine = 4096;  // bytes

using AddressOf = FunctionRef<int64_t(int64_t row, int64_t col)>;  // in elements, of one slice

/// Evaluates maps of the last two dimensions on accesses.
class Trial {
 public:
  Trial(const Index& shape, int64_t element_bytes, const std::vector<ElementAccess>& accesses,
        const BankModel& model)
      : rows(shape[shape.size() - 2]),
        cols(shape.back()),
        bytes(element_bytes),
        accesses_(accesses),
        model_(model) {
    for (size_t d = 0; d + 2 < shape.size(); ++d) parts *= shape[d];
    for (const ElementAccess& access : accesses)
      for (const auto& lane : access.lanes) width = std::max(width, int64_t(lane.elements.size()));
  }

  std::optional<ConflictCount> count(int64_t part_size, AddressOf address_of) const {
    return count_conflicts(accesses_, bytes, model_, [&](int64_t element) {
      const int64_t inside = element % (rows * cols);
      return element / (rows * cols) * part_size + address_of(inside / cols, inside % cols);
    });
  }

  int64_t rows, cols, bytes, parts = 1, width = 1;

 private:
  const std::vector<ElementAccess>& accesses_;
  const BankModel& model_;
};

int64_t exchanged(const LayoutSuggestion& c, int64_t cols, int64_t i, int64_t j) {
  return i * cols + ((j / c.chunk) ^ (i / c.rows % c.mask)) * c.chunk + j % c.chunk;
}

/// Whether the exchange can be written in the language: as digits and a swizzle.
bool writable(const LayoutSuggestion& c, const Trial& trial) {
  return layout_of(c, {trial.rows, trial.cols}, trial.bytes).ok();
}

void keep_better(std::optional<LayoutSuggestion>& best, LayoutSuggestion candidate,
                 const std::optional<ConflictCount>& count, const ConflictCount& now) {
  if (!count || count->wavefronts >= now.wavefronts) return;
  if (best && best->count.wavefronts <= count->wavefronts) return;
  candidate.count = *count;
  best = candidate;
}

void try_swizzled(const Trial& t, const ConflictCount& now, std::optional<LayoutSuggestion>& best) {
  const ForwardMap map = widest_bank_swizzle({t.rows, t.cols}, t.bytes, false);
  const Index out = output_shape(map);
  std::vector<int64_t> places;
  for (const Index& at : map.coordinates) places.push_back(row_major_number(at, out));
  auto address = [&](int64_t i, int64_t j) { return places[size_t(i * t.cols + j)]; };
  LayoutSuggestion suggestion;
  suggestion.kind = LayoutSuggestion::Kind::swizzled;
  keep_better(best, suggestion, t.count(t.rows * t.cols, address), now);
}

/// Chunk sizes, starting with the width of the widest access, which must not be split.
std::vector<int64_t> chunks_of(const Trial& t) {
  std::vector<int64_t> out;
  for (int64_t chunk = t.width; chunk <= std::max<int64_t>(t.width, 16 / t.bytes); chunk *= 2)
    out.push_back(chunk);
  for (int64_t chunk = t.width / 2; chunk >= 1; chunk /= 2) out.push_back(chunk);
  return out;
}

/// The candidate exchanges for the shape.
std::vector<LayoutSuggestion> exchanges_of(const Trial& t) {
  std::vector<LayoutSuggestion> out;
  for (int64_t chunk : chunks_of(t))
    for (int64_t rows = 1; rows <= 8; rows *= 2)
      for (int64_t mask = 32; mask >= 2; mask /= 2) {
        if (t.cols % chunk || t.cols / chunk % mask || t.rows < 2 * rows) continue;
        LayoutSuggestion& suggestion = out.emplace_back();
        suggestion.kind = LayoutSuggestion::Kind::exchange;
        suggestion.chunk = chunk, suggestion.rows = rows, suggestion.mask = mask;
      }
  return out;
}

std::optional<ConflictCount> count_of(const Trial& t, const LayoutSuggestion& exchange) {
  return t.count(t.rows * t.cols,
                 [&](int64_t i, int64_t j) { return exchanged(exchange, t.cols, i, j); });
}

void try_exchanges(const Trial& t, const ConflictCount& now,
                   std::optional<LayoutSuggestion>& best) {
  for (const LayoutSuggestion& suggestion : exchanges_of(t)) {
    if (best && best->count.free()) return;
    std::optional<LayoutSuggestion> better = best;
    keep_better(better, suggestion, count_of(t, suggestion), now);
    const bool changed = better && (!best || better->count.wavefronts < best->count.wavefronts);
    if (changed && writable(suggestion, t)) best = better;
  }
}

void try_paddings(const Trial& t, const ConflictCount& now, const BankModel& model,
                  std::optional<LayoutSuggestion>& best) {
  const int64_t line = model.banks * model.bank_bytes;
  std::vector<int64_t> pads;  // those that preserve access widths first
  for (int64_t pad = t.width; pad * t.bytes <= line; pad += t.width) pads.push_back(pad);
  for (int64_t pad = 1; pad * t.bytes <= line; ++pad)
    if (pad % t.width) pads.push_back(pad);
  for (int64_t pad : pads) {
    if (best && best->count.free()) return;
    const int64_t pitch = t.cols + pad;
    auto address = [&](int64_t i, int64_t j) { return i * pitch + j; };
    LayoutSuggestion suggestion;
    suggestion.pad = pad;
    suggestion.more_bytes = t.parts * t.rows * pad * t.bytes;
    keep_better(best, suggestion, t.count(t.rows * pitch, address), now);
  }
}

/// "(j // 4 ^ i // 2 % 8) * 4 + j % 4"
std::string exchange_text(const LayoutSuggestion& c) {
  const std::string row = (c.rows > 1 ? "i // " + std::to_string(c.rows) : std::string("i")) +
                          " % " + std::to_string(c.mask);
  if (c.chunk == 1) return "j ^ (" + row + ")";
  const std::string chunk = std::to_string(c.chunk);
  return "(j // " + chunk + " ^ " + row + ") * " + chunk + " + j % " + chunk;
}

std::string tuple_of(const Index& extents) { return "(" + join(extents, ", ") + ")"; }

}  // namespace

void ConflictCount::add(const ConflictCount& other, int64_t times) {
  ideal += other.ideal * times;
  wavefronts += other.wavefronts * times;
  worst = std::max(worst, other.worst);
  accesses += other.accesses * times;
}

std::optional<ConflictCount> count_conflicts(const std::vector<ElementAccess>& accesses,
                                             int64_t element_bytes, const BankModel& model,
                                             FunctionRef<int64_t(int64_t)> place) {
  ConflictCount out;
  std::vector<std::vector<int64_t>> places;
  for (const ElementAccess& access : accesses) {
    places.clear();
    for (const auto& lane : access.lanes) {
      places.emplace_back();
      for (int64_t element : lane.elements) places.back().push_back(place(element));
    }
    const int64_t n = vector_width(places);
    if (access.whole && n != int64_t(places[0].size())) return std::nullopt;
    for (size_t part = 0; part < places[0].size(); part += size_t(n)) {
      std::vector<LaneAccess> lanes;
      lanes.reserve(places.size());
      for (size_t l = 0; l < places.size(); ++l)
        lanes.push_back({access.lanes[l].lane, places[l][part] * element_bytes, n * element_bytes});
      out.add(counted(count_bank_conflicts(lanes, model)), access.times);
    }
  }
  return out;
}

ForwardLayout layout_of(const LayoutSuggestion& suggestion, const Index& shape,
                        int64_t element_bytes) {
  const Index last(shape.end() - 2, shape.end());
  ForwardMap map{last, {}, 0, {}};
  if (suggestion.kind == LayoutSuggestion::Kind::swizzled)
    map = widest_bank_swizzle(last, element_bytes, false);
  else
    for (int64_t i = 0; i < last[0]; ++i)
      for (int64_t j = 0; j < last[1]; ++j)
        map.coordinates.push_back({exchanged(suggestion, last[1], i, j)});
  return layout_of(with_leading(map, Index(shape.begin(), shape.end() - 2)), element_bytes);
}

ConflictCount counted(const BankReport& report) {
  return {report.transactions, report.cycles, report.worst, 1};
}

std::vector<LayoutSuggestion> layout_suggestions(const Index& shape, int64_t element_bytes,
                                                 const std::vector<ElementAccess>& accesses,
                                                 const ConflictCount& now, const BankModel& model) {
  if (shape.size() < 2 || accesses.empty()) return {};
  const Trial trial(shape, element_bytes, accesses, model);
  std::optional<LayoutSuggestion> swizzle, padding;
  try_swizzled(trial, now, swizzle);
  try_exchanges(trial, now, swizzle);
  try_paddings(trial, now, model, padding);
  std::vector<LayoutSuggestion> out;
  for (const auto& suggestion : {swizzle, padding})
    if (suggestion) out.push_back(*suggestion);
  return out;
}

std::optional<BankSwizzle> cheapest_swizzle(int64_t elements, int64_t element_bytes,
                                            const std::vector<ElementAccess>& accesses,
                                            const BankModel& model) {
  if (accesses.empty()) return std::nullopt;
  const auto count = [&](const Swizzle& swizzle) {
    return count_conflicts(accesses, element_bytes, model, [&](int64_t element) {
      return swizzled(swizzle, element * element_bytes) / element_bytes;
    });
  };
  const ConflictCount now = *count({});  // each access unchanged
  if (now.free()) return std::nullopt;
  const auto cost = [&](const ConflictCount& then) {
    return access_cost(then) + 4 * (then.accesses - now.accesses);
  };
  const int64_t size = elements * element_bytes, all = model.banks * model.bank_bytes;
  std::optional<BankSwizzle> best;
  for (int64_t granule = 16; granule >= std::max<int64_t>(element_bytes, model.bank_bytes);
       granule /= 2)
    for (int64_t span : {all, all / 2})  // permutes the pieces of each span
      for (int64_t line = span; line <= kLongestLine && size % line == 0; line *= 2) {
        const Swizzle tried{int32_t(granule), int32_t(line), int32_t(span / granule - 1)};
        const auto then = count(tried);
        if (!then || 2 * cost(*then) > cost(now)) continue;
        if (!best || cost(*then) < cost(best->then)) best = {tried, *then, now};
        if (then->free() && then->accesses == now.accesses) return best;
      }
  return best;
}

std::string suggestion_text(const LayoutSuggestion& suggestion, const std::string& buffer,
                            const Index& leading, const Index& last, const std::string& dtype) {
  if (suggestion.kind == LayoutSuggestion::Kind::swizzled)
    return "T.annotate_layout({" + buffer + ": tilelang.layout.make_swizzled_layout(" + buffer +
           ")})";
  if (suggestion.kind == LayoutSuggestion::Kind::exchange)
    return "T.annotate_layout({" + buffer + ": T.Layout(" + tuple_of(last) + ", lambda i, j: (i, " +
           exchange_text(suggestion) + "))})";
  Index padded = leading;
  padded.push_back(last[0]);
  padded.push_back(last[1] + suggestion.pad);
  return buffer + " = T.alloc_shared(" + tuple_of(padded) + ", \"" + dtype + "\")";
}

}  // namespace tilelab
