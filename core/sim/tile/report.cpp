// SPDX-License-Identifier: Apache-2.0
// The results of the blocks of one worker, and those of all workers.
#include "core/sim/tile/run.h"

namespace tilelab::sim {

void TileReport::add(Findings& into, int64_t block, Finding f) {
  Span a = f.where.empty() ? Span{} : f.where[0].span;
  Span b = f.where.size() < 2 ? Span{} : f.where[1].span;
  Key key{int(f.kind), a.file, a.line, a.col, b.line, b.col, f.buffer};
  auto [it, fresh] = into.try_emplace(key, block, f);
  if (fresh) return;
  f.count += it->second.second.count;
  f.update |= it->second.second.update;
  if (block >= it->second.first) {
    it->second.second.count = f.count;
    it->second.second.update = f.update;
  } else {
    it->second = {block, std::move(f)};
  }
}

void TileReport::add(int64_t block, Note n) {
  auto [it, fresh] = notes.try_emplace({n.span.file, n.span.line, n.span.col}, block, n);
  if (fresh) return;
  n.count += it->second.second.count;
  if (block >= it->second.first)
    it->second.second.count = n.count;
  else
    it->second = {block, n};
}

void TileReport::merge(TileReport&& other) {
  for (auto& [key, entry] : other.findings) add(entry.first, std::move(entry.second));
  for (auto& [key, entry] : other.warnings) add(warnings, entry.first, std::move(entry.second));
  for (auto& [key, entry] : other.notes) add(entry.first, entry.second);
  records.insert(records.end(), std::make_move_iterator(other.records.begin()),
                 std::make_move_iterator(other.records.end()));
  for (auto& [key, seen] : other.guarded) merge(guarded[key], seen);
  if (other.failed && (!failed || other.failed_block < failed_block)) {
    failed = std::move(other.failed);
    failed_block = other.failed_block;
  }
  lost_records += other.lost_records;
  blocks += other.blocks;
  stopped |= other.stopped;
}

}  // namespace tilelab::sim
