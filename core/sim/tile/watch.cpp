// SPDX-License-Identifier: Apache-2.0
#include "core/sim/tile/watch.h"

#include <algorithm>
#include <cstring>

namespace tilelab::sim {

void TileWatch::begin_block(int64_t number, int64_t bytes) {
  block_ = int32_t(number);
  first_ = int32_t(block_of_.size());
  block_of_.push_back(block_);
  known_ = {};
  ++epoch_;
  stores.begin_block(bytes);
  if (uninitialized_) written_.assign(size_t(bytes), 0);
}

void TileWatch::suspend(Suspended& into) {
  into.block = block_;
  into.known = std::move(known_);
  into.written.swap(written_);
  stores.exchange(into.stores);
}

void TileWatch::resume(Suspended& from) {
  block_ = from.block;
  known_ = std::move(from.known);
  written_.swap(from.written);
  stores.exchange(from.stores);
  first_ = int32_t(block_of_.size());
  known_.raise(uint32_t(block_), uint32_t(first_));  // what it did before
  block_of_.push_back(block_);
  ++epoch_;
}

void TileWatch::mark_written(int64_t at, int64_t n) {
  if (uninitialized_) std::memset(written_.data() + at, 1, size_t(n));
}

void TileWatch::forget_written(int64_t at, int64_t n) {
  if (uninitialized_) std::memset(written_.data() + at, 0, size_t(n));
}

void TileWatch::copy_written(int64_t to, int64_t from, int64_t n) {
  if (uninitialized_) std::memcpy(written_.data() + to, written_.data() + from, size_t(n));
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

/// Iterations of one T.Parallel are unordered. Stores of equal values do not race (a flag), unless
/// both have read the element before (a count).
std::optional<Touch> TileWatch::touch_parallel(Cell& c, TouchKind kind, int32_t iteration,
                                               uint32_t place, uint64_t value) {
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
  const bool update = c.reader != -1 && c.read_place == place;
  const bool again = c.writer >= 0 && c.writer != iteration && (update || c.value != value);
  if (again) hit = Touch{TouchKind::write, places_[c.write_place], c.writer, false};
  if (c.reader != -1 && c.reader != iteration)
    hit = Touch{TouchKind::read, places_[c.read_place], c.reader, false};
  if (again) hit->update = update;
  c.writer = iteration;
  c.write_place = place;
  c.value = value;
  return hit;
}

void TileWatch::order(int32_t memory, int64_t cell, bool acquires, bool releases, bool continues) {
  if (!races_) return;
  Clock& released = released_[{memory, cell}];
  if (acquires) known_.join(released);
  if (!continues) released = {};
  if (!releases) return;
  released.join(known_);
  released.raise(uint32_t(block_), uint32_t(block_of_.size()));
  block_of_.push_back(block_);  // later accesses are not released
}

/// Two blocks, on global memory; atomics do not race with atomics.
std::optional<Touch> TileWatch::touch_block(BlockCell& c, TouchKind kind, uint32_t place,
                                            bool same) {
  const auto touched = [&](TouchKind by, uint32_t at, int32_t stretch) {
    return Touch{by, places_[at], block_of_[size_t(stretch)], true};
  };
  std::optional<Touch> hit;
  if (other(c.write) && !(kind == TouchKind::write && same))
    hit = touched(TouchKind::write, c.write_place, c.write);
  if (kind != TouchKind::read && other(c.read) && !same)
    hit = touched(TouchKind::read, c.read_place, c.read);
  if (kind != TouchKind::atomic && other(c.atomic))
    hit = touched(TouchKind::atomic, c.atomic_place, c.atomic);
  const int32_t now = int32_t(block_of_.size()) - 1;
  // An unordered reader of another block stays recorded: a later write races with it.
  if (kind == TouchKind::read && !other(c.read)) c.read = now, c.read_place = place;
  if (kind == TouchKind::write) c.write = now, c.write_place = place;
  if (kind == TouchKind::atomic) c.atomic = now, c.atomic_place = place;
  return hit;
}

std::optional<std::pair<int64_t, Span>> TileWatch::writer(int32_t memory, int64_t cell) {
  const BlockCell& c = block_cells_.at(memory, cell);
  const int32_t stretch = std::max(c.write, c.atomic);
  if (stretch < 0) return std::nullopt;
  const uint32_t place = c.atomic > c.write ? c.atomic_place : c.write_place;
  return std::pair(int64_t{block_of_[size_t(stretch)]}, places_[place]);
}

bool TileWatch::touch_run(int32_t memory, int64_t at, int64_t n, TouchKind kind, const Span& span) {
  if (!races_) return true;
  const auto others = [&](int32_t stretch) { return stretch >= 0 && stretch < first_; };
  const bool reads = kind == TouchKind::read, adds = kind == TouchKind::atomic;
  for (int64_t i = 0; i < n;) {  // page by page
    const BlockCell* c = &block_cells_.at(memory, at + i);
    const int64_t here = std::min(n - i, page_cells - (at + i) % page_cells);
    bool hit = false;
    for (int64_t k = 0; k < here; ++k)
      hit |= others(c[k].write) || (!reads && others(c[k].read)) || (!adds && others(c[k].atomic));
    if (hit) return false;
    i += here;
  }
  const uint32_t p = place(span);
  const int32_t now = int32_t(block_of_.size()) - 1;
  for (int64_t i = 0; i < n;) {
    BlockCell* c = &block_cells_.at(memory, at + i);
    const int64_t here = std::min(n - i, page_cells - (at + i) % page_cells);
    for (int64_t k = 0; k < here; ++k) {
      if (adds)
        c[k].atomic = now, c[k].atomic_place = p;
      else if (!reads)
        c[k].write = now, c[k].write_place = p;
      else if (!others(c[k].read))
        c[k].read = now, c[k].read_place = p;
    }
    i += here;
  }
  return true;
}

std::optional<Touch> TileWatch::touch(int32_t memory, bool global, int64_t at, TouchKind kind,
                                      int64_t iteration, const Span& span, bool same_value,
                                      uint64_t value) {
  if (!races_) return std::nullopt;
  uint32_t p = place(span);
  std::optional<Touch> hit;
  if (iteration >= 0 && kind != TouchKind::atomic)
    hit = touch_parallel(cells_.at(memory, at), kind, int32_t(iteration), p, value);
  if (global) {
    auto between = touch_block(block_cells_.at(memory, at), kind, p, same_value);
    if (between) hit = between;
  }
  return hit;
}

}  // namespace tilelab::sim
