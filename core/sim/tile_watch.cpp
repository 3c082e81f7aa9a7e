// SPDX-License-Identifier: Apache-2.0
#include "core/sim/tile_watch.h"

#include <algorithm>
#include <cstring>

namespace tilelab::sim {

void TileWatch::begin_block(int64_t number, int64_t bytes) {
  block_ = static_cast<int32_t>(number);
  ++epoch_;
  if (uninitialized_) written_.assign(static_cast<size_t>(bytes), 0);
}

void TileWatch::mark_written(int64_t at, int64_t n) {
  if (uninitialized_) std::memset(written_.data() + at, 1, static_cast<size_t>(n));
}

int64_t TileWatch::first_unwritten(int64_t at, int64_t n) const {
  if (!uninitialized_) return n;
  const uint8_t* from = written_.data() + at;
  const void* hole = std::memchr(from, 0, static_cast<size_t>(n));
  return hole ? static_cast<const uint8_t*>(hole) - from : n;
}

TileWatch::Cell& TileWatch::cell(int32_t memory, int64_t at) {
  uint64_t key = static_cast<uint64_t>(memory) << 44 | static_cast<uint64_t>(at / page_cells);
  if (key != last_key_) {
    auto& page = pages_[key];
    if (!page) page = std::make_unique<Cell[]>(page_cells);
    last_key_ = key;
    last_page_ = page.get();
  }
  return last_page_[at % page_cells];
}

uint32_t TileWatch::place(const Span& span) {
  if (last_place_ != 0 && span == last_span_) return last_place_;
  auto it = std::find(places_.begin(), places_.end(), span);
  last_span_ = span;
  last_place_ = static_cast<uint32_t>(it - places_.begin());
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
std::optional<Touch> TileWatch::touch_block(Cell& c, TouchKind kind, uint32_t place, bool same) {
  auto other = [&](int32_t block) { return block >= 0 && block != block_; };
  std::optional<Touch> hit;
  if (other(c.write_block) && !(kind == TouchKind::write && same))
    hit = Touch{TouchKind::write, places_[c.block_write_place], c.write_block, true};
  if (kind != TouchKind::read && other(c.read_block) && !same)
    hit = Touch{TouchKind::read, places_[c.block_read_place], c.read_block, true};
  if (kind != TouchKind::atomic && other(c.atomic_block))
    hit = Touch{TouchKind::atomic, places_[c.block_write_place], c.atomic_block, true};
  if (kind == TouchKind::read)
    c.read_block = block_, c.block_read_place = place;
  else
    c.block_write_place = place;
  if (kind == TouchKind::write) c.write_block = block_;
  if (kind == TouchKind::atomic) c.atomic_block = block_;
  return hit;
}

std::optional<Touch> TileWatch::touch(int32_t memory, bool global, int64_t at, TouchKind kind,
                                      int64_t iteration, const Span& span, bool same_value) {
  if (!races_) return std::nullopt;
  Cell& c = cell(memory, at);
  uint32_t p = place(span);
  std::optional<Touch> hit;
  if (iteration >= 0 && kind != TouchKind::atomic)
    hit = touch_parallel(c, kind, static_cast<int32_t>(iteration), p);
  if (global) {
    auto between = touch_block(c, kind, p, same_value);
    if (between) hit = between;
  }
  return hit;
}

}  // namespace tilelab::sim
