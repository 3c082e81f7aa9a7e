// SPDX-License-Identifier: Apache-2.0
#include "core/sim/tile/dead_stores.h"

#include <algorithm>
#include <cstring>

namespace tilelab::sim {

void DeadStores::begin_block(int64_t bytes) {
  own_.assign(size_t(bytes), 0);
  pages_.clear();
  last_key_ = ~uint64_t{0};
  for (auto& [key, pair] : pairs_) pair.witnesses.clear();
}

void DeadStores::end_block() {
  for (auto& [key, pair] : pairs_)
    for (const Witness& w : pair.witnesses)
      pair.changed |= std::memcmp(w.memory, w.bytes.data(), w.n) != 0;
}

DeadStores::Cell DeadStores::place(const Span& span) {
  Cell& recent = recent_[(span.line * 31 + span.col) % recent_.size()];
  if (recent != 0 && span == places_[recent].span) return recent;
  auto it = std::find_if(places_.begin() + 1, places_.end(),
                         [&](const Place& p) { return p.span == span; });
  if (it == places_.end() && places_.size() == place_bits) return 0;
  if (it == places_.end()) it = places_.insert(it, Place{span});
  return recent = Cell(it - places_.begin());
}

DeadStores::Cell* DeadStores::page(uint64_t key) {
  if (key == last_key_) return last_page_;
  auto& page = pages_[key];
  if (!page) page = std::make_unique<Cell[]>(page_cells);
  last_key_ = key;
  return last_page_ = page.get();
}

template <class F> void DeadStores::each_stretch(int32_t global, int64_t at, int64_t n, F f) {
  if (global < 0) return f(own_.data() + at, 0, n);
  for (int64_t i = 0; i < n;) {
    const int64_t from = (at + i) % page_cells, here = std::min(n - i, page_cells - from);
    f(page(uint64_t(global) << 44 | uint64_t((at + i) / page_cells)) + from, i, here);
    i += here;
  }
}

/// The end of the equal cells from `i` on. Most long ranges are uniform, which memcmp finds
/// quickly.
static int64_t run_end(const uint16_t* cells, int64_t i, int64_t count) {
  if (count - i > 16 &&
      std::memcmp(cells + i, cells + i + 1, size_t(count - i - 1) * sizeof *cells) == 0)
    return count;
  int64_t end = i + 1;
  while (end < count && cells[end] == cells[i]) ++end;
  return end;
}

void DeadStores::read(int32_t global, int64_t at, int64_t n, const Span& span) {
  const Cell by = place(span);
  each_stretch(global, at, n, [&](Cell* cells, int64_t, int64_t count) {
    for (int64_t i = 0; i < count;) {
      const Cell before = cells[i];
      const int64_t end = run_end(cells, i, count);
      const Cell last = before & place_bits;
      const Cell now = last == 0 ? 0 : before | (last == by ? read_by_itself : read_by_other);
      if (now & read_by_other) places_[last].read = true;
      if (now != before) std::fill(cells + i, cells + end, now);
      i = end;
    }
  });
}

void DeadStores::store(int32_t global, int64_t at, int64_t n, const Span& span, int32_t number,
                       const uint8_t* memory) {
  const Cell by = place(span);
  each_stretch(global, at, n, [&](Cell* cells, int64_t first, int64_t count) {
    for (int64_t i = 0; i < count;) {
      const Cell before = cells[i];
      const int64_t end = run_end(cells, i, count);
      if (before & place_bits) overwrite(before, by, number, memory + first + i, end - i);
      i = end;
    }
    std::fill(cells, cells + count, by);
  });
}

void DeadStores::overwrite(Cell before, Cell by, int32_t number, const uint8_t* memory, int64_t n) {
  const Cell dead = before & place_bits;
  if (before & read_by_other) places_[dead].used = true;
  if (before & (read_by_other | read_by_itself) && (before & read_by_other || dead == by)) return;
  Overwritten& pair = pairs_[{dead, by}];
  pair.memory = number;
  if (pair.changed) return;
  Witness now{memory, std::min<size_t>(size_t(n), 16)};
  std::memcpy(now.bytes.data(), memory, now.n);
  for (Witness& w : pair.witnesses) {
    if (w.memory != memory || w.n != now.n) continue;
    pair.changed = w.bytes != now.bytes;
    return;
  }
  if (pair.witnesses.size() < most_witnesses) pair.witnesses.push_back(now);
}

std::vector<DeadStores::Pair> DeadStores::pairs() const {
  std::vector<Pair> out;
  for (const auto& [key, pair] : pairs_) {
    const Place &dead = places_[key.first], &by = places_[key.second];
    if (!dead.used) out.push_back({dead.span, by.span, pair.memory, pair.changed, dead.read});
  }
  return out;
}

}  // namespace tilelab::sim
