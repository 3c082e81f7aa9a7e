// SPDX-License-Identifier: Apache-2.0
#include "core/sim/tile/watch.h"

#include <algorithm>
#include <cstring>

namespace tilelab::sim {

void TileWatch::begin_block(int64_t number, int64_t bytes) {
  block_ = int32_t(number);
  ++epoch_;
  if (uninitialized_) written_.assign(size_t(bytes), 0);
}

void TileWatch::mark_written(int64_t at, int64_t n) {
  if (uninitialized_) std::memset(written_.data() + at, 1, size_t(n));
}

void TileWatch::forget_written(int64_t at, int64_t n) {
  if (uninitialized_) std::memset(written_.data() + at, 0, size_t(n));
}

int64_t TileWatch::first_unwritten(int64_t at, int64_t n) const {
  if (!uninitialized_) return n;
  const uint8_t* from = written_.data() + at;
  const void* hole = std::memchr(from, 0, size_t(n));
  return hole ? static_cast<const uint8_t*>(hole) - from : n;
}

template <class T> T& TileWatch::Pages<T>::at(int32_t memory, int64_t cell) {
  uint64_t key = uint64_t(memory) << 44 | uint64_t(cell / page_cells);
  if (key != last_key) {
    auto& page = pages[key];
    if (!page) page = std::make_unique<T[]>(page_cells);
    last_key = key;
    last = page.get();
  }
  return last[cell % page_cells];
}

uint32_t TileWatch::place(const Span& span) {
  if (last_place_ != 0 && span == last_span_) return last_place_;
  auto it = std::find(places_.begin(), places_.end(), span);
  last_span_ = span;
  last_place_ = uint32_t(it - places_.begin());
  if (it == places_.end()) places_.push_back(span);
  return last_place_;
}

/// Two iterations of one T.Parallel have no order, whatever values they store.
std::optional<Touch> TileWatch::touch_parallel(Cell& c, TouchKind kind, int32_t iteration,
                                               uint32_t place) {
  if (c.epoch != epoch_) {
    c.epoch = epoch_;
    c.writer = c.reader = -1;
  }
  std::optional<Touch> hit;
  if (kind == TouchKind::read) {
    if (c.writer >= 0 && c.writer != iteration)
      hit = Touch{TouchKind::write, places_[c.write_place], c.writer, false};
    if (c.reader == -1)
      c.reader = iteration;
    else if (c.reader != iteration)
      c.reader = -2;
    c.read_place = place;
    return hit;
  }
  if (c.writer >= 0 && c.writer != iteration)
    hit = Touch{TouchKind::write, places_[c.write_place], c.writer, false};
  if (c.reader != -1 && c.reader != iteration)
    hit = Touch{TouchKind::read, places_[c.read_place], c.reader, false};
  c.writer = iteration;
  c.write_place = place;
  return hit;
}

/// Two blocks, on global memory; atomics do not race with atomics.
std::optional<Touch> TileWatch::touch_block(BlockCell& c, TouchKind kind, uint32_t place,
                                            bool same) {
  auto other = [&](int32_t block) { return block >= 0 && block != block_; };
  std::optional<Touch> hit;
  if (other(c.write_block) && !(kind == TouchKind::write && same))
    hit = Touch{TouchKind::write, places_[c.write_place], c.write_block, true};
  if (kind != TouchKind::read && other(c.read_block) && !same)
    hit = Touch{TouchKind::read, places_[c.read_place], c.read_block, true};
  if (kind != TouchKind::atomic && other(c.atomic_block))
    hit = Touch{TouchKind::atomic, places_[c.write_place], c.atomic_block, true};
  if (kind == TouchKind::read)
    c.read_block = block_, c.read_place = place;
  else
    c.write_place = place;
  if (kind == TouchKind::write) c.write_block = block_;
  if (kind == TouchKind::atomic) c.atomic_block = block_;
  return hit;
}

std::optional<std::pair<int64_t, Span>> TileWatch::writer(int32_t memory, int64_t cell) {
  const BlockCell& c = block_cells_.at(memory, cell);
  const int32_t block = std::max(c.write_block, c.atomic_block);
  if (block < 0) return std::nullopt;
  return std::pair(int64_t{block}, places_[c.write_place]);
}

bool TileWatch::touch_run(int32_t memory, int64_t at, int64_t n, TouchKind kind, const Span& span) {
  if (!races_) return true;
  auto other = [&](int32_t block) { return block >= 0 && block != block_; };
  const bool reads = kind == TouchKind::read, adds = kind == TouchKind::atomic;
  for (int64_t i = 0; i < n;) {  // page by page
    const BlockCell* c = &block_cells_.at(memory, at + i);
    const int64_t here = std::min(n - i, page_cells - (at + i) % page_cells);
    bool hit = false;
    for (int64_t k = 0; k < here; ++k)
      hit |= other(c[k].write_block) || (!reads && other(c[k].read_block)) ||
             (!adds && other(c[k].atomic_block));
    if (hit) return false;
    i += here;
  }
  const uint32_t p = place(span);
  for (int64_t i = 0; i < n;) {
    BlockCell* c = &block_cells_.at(memory, at + i);
    const int64_t here = std::min(n - i, page_cells - (at + i) % page_cells);
    for (int64_t k = 0; k < here; ++k) {
      if (reads)
        c[k].read_block = block_, c[k].read_place = p;
      else
        (adds ? c[k].atomic_block : c[k].write_block) = block_, c[k].write_place = p;
    }
    i += here;
  }
  return true;
}

std::optional<Touch> TileWatch::touch(int32_t memory, bool global, int64_t at, TouchKind kind,
                                      int64_t iteration, const Span& span, bool same_value) {
  if (!races_) return std::nullopt;
  uint32_t p = place(span);
  std::optional<Touch> hit;
  if (iteration >= 0 && kind != TouchKind::atomic)
    hit = touch_parallel(cells_.at(memory, at), kind, int32_t(iteration), p);
  if (global) {
    auto between = touch_block(block_cells_.at(memory, at), kind, p, same_value);
    if (between) hit = between;
  }
  return hit;
}

}  // namespace tilelab::sim
