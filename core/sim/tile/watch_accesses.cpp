// SPDX-License-Identifier: Apache-2.0
// Keeps the shadow memory (watch.h) of a block's accesses, and reports what it finds.
#include <algorithm>
#include <cstring>
#include <set>

#include "core/sim/tile/async.h"

namespace tilelab::sim {
namespace {

const char* verb_of(TouchKind kind) {
  return kind == TouchKind::read ? "reads" : kind == TouchKind::write ? "writes" : "updates";
}

int64_t visible_elements(const ResolvedBox& s) {
  int64_t n = 1;
  for (size_t d = 0; d < s.lo.size(); ++d) {
    auto [lo, hi] = visible(s, d);
    n *= std::max<int64_t>(hi - lo, 0);
  }
  return n;
}

/// Whether the target of a copy already holds the values: blocks that store equal values do not
/// race.
bool changes_nothing(const BoxOperation& op) {
  const ResolvedBox &target = op.target, &source = *op.sources[0].box;
  if (target.memory->elem != source.memory->elem || !all_inside(target) || !all_inside(source))
    return false;
  const int64_t bytes = target.bytes();
  bool same = true;
  for_each_row(target, source, [&](const CopyRow& row) {
    const int64_t together = row.to_stride == 1 && row.from_stride == 1 ? row.n : 1;
    for (int64_t i = 0; same && i < row.n; i += together)
      same = std::memcmp(target.base + (row.to + i * row.to_stride) * bytes,
                         source.base + (row.from + i * row.from_stride) * bytes,
                         size_t(together * bytes)) == 0;
    return same;
  });
  return same;
}

/// Copies the initialization marks of `from` to `to`.
void move_marks(TileWatch& w, const ResolvedBox& to, const ResolvedBox& from) {
  if (!w.uninitialized() || !all_inside(to) || !all_inside(from)) return;
  for_each_row(to, from, [&](const CopyRow& row) {
    for (int64_t i = 0; i < row.n; ++i) {
      const int64_t at = to.memory->at + (row.to + i * row.to_stride) * to.bytes();
      const int64_t offset = row.from + i * row.from_stride;
      if (w.written(from.memory->at + offset * from.bytes(), from.bytes()))
        w.mark_written(at, to.bytes());
      else
        w.forget_written(at, to.bytes());
    }
    return true;
  });
}

class AccessWatch : public TileObserver {
 public:
  AccessWatch(TileBlock& block, TileWatch* all) : block_(block), all_(all) {}

  void begin_block() override {
    if (all_) all_->begin_block(block_.number(), block_.image().block_bytes);
  }
  void end_block() override {
    if (all_) all_->stores.end_block();
  }
  void end_launch() override;
  void begin_parallel(TileRunner&, TileRunner&, const CallSite&) override {
    if (block_.watch()) block_.watch()->begin_parallel();
  }

  bool accessed_as_run(const LaneAccess& a, int64_t start) override;
  void accessed(const LaneAccess& a) override;
  void updated(const LaneAccess& a, int lane) override;
  void stored(const LaneAccess& a) override;
  void before(const BoxOperation& op) override;
  void after(const BoxOperation& op) override;

 private:
  bool may_conflict(const LaneAccess& a) const;
  bool may_conflict_between_blocks(const TileMemory& m) const;
  bool run(TileWatch& w, const LaneAccess& a, int64_t start);
  void race(const LaneAccess& a, int64_t lane, const Touch& hit);
  void box(const BoxOperation& op, const ResolvedBox& s, bool overwrites);
  void box_as(TouchKind kind, const Span& span, const ResolvedBox& s);
  void own_box(const Span& span, const ResolvedBox& s, TouchKind kind);
  bool breaks_ring(const LaneAccess& a);
  struct Lanes {
    int64_t first = 0, count = 0;
  };
  void mark(const LaneAccess& a, Lanes lanes, int64_t at, int64_t n);
  void read_unwritten(const LaneAccess& a, int64_t lane);
  void find_races(const LaneAccess& a);
  void track(const Span& span, const TileMemory& m, int64_t offset, int64_t n, TouchKind kind);
  void add(const Span& span, const TileMemory& m, int64_t offset, const uint8_t* value);
  void report_dead_stores();

  TileBlock& block_;
  TileWatch* all_;  // of the launch; null: only rings are checked
};

// ---- lanes

/// Whether another iteration may access the same element.
bool AccessWatch::may_conflict(const LaneAccess& a) const {
  return block_.watch()->races() && a.runner.parallel() && !a.access.disjoint;
}
/// Whether another block may; those of a sample are proved independent.
bool AccessWatch::may_conflict_between_blocks(const TileMemory& m) const {
  return block_.watch()->races() && !block_.options().sample && m.global >= 0 &&
         block_.image().written(m);
}

/// False if iterations may conflict, elements are not contiguous, or an error must be located.
bool AccessWatch::accessed_as_run(const LaneAccess& a, int64_t start) {
  TileWatch* w = block_.watch();
  if (!w) return true;
  const bool reported = run(*w, a, start);
  if (reported) w->count(a.memory.global, a.kind, a.runner.active(), a.bytes());
  return reported;
}

bool AccessWatch::run(TileWatch& w, const LaneAccess& a, int64_t start) {
  const TileMemory& m = a.memory;
  if (may_conflict(a) || block_.async().tracks(m)) return false;
  const bool blocks = may_conflict_between_blocks(m);
  if (a.own() ? !w.uninitialized() : !block_.image().written(m)) return true;
  if (a.runner.active() != a.lanes) return false;
  // The elements: `count` runs of `length`, `step` apart.
  int64_t length = 1, count = 1, step = 0, rest = 1;
  for (size_t r = a.access.runs.size(); r-- > 0;) {
    auto [n, by] = a.access.runs[r];
    if (n < 0) n = a.lanes / rest;
    rest *= n;
    if (by == 0 || n == 1) continue;
    if (count == 1 && by == length)
      length *= n;
    else if (count == 1 && by > 0)
      count = n, step = by;
    else if (by == count * step)
      count *= n;
    else
      return false;
  }
  const Span& span = a.runner.span();
  if (blocks && (count != 1 || a.bytes() != m.granule ||
                 !w.touch_run(m.space, TileBlock::cell(m, a.base, start), length, a.kind, span)))
    return false;
  int64_t at = m.at + start * a.bytes();
  for (int64_t i = 0; i < count; ++i, at += step * a.bytes()) {
    track(span, m, start + i * step, length, a.kind);
    if (!a.own()) continue;
    if (a.kind != TouchKind::read)
      w.mark_written(at, length * a.bytes());
    else if (!w.written(at, length * a.bytes()))
      return false;
  }
  return true;
}

/// Calls f(lane, lanes, offset, n) for each stretch of lanes that access one element (n is 1), or
/// `n` consecutive elements in their order.
template <class F> void each_stretch(const LaneAccess& a, F f) {
  for (int64_t l = 0; l < a.lanes;) {
    const int64_t first = l++;
    if (!a.touches(first)) continue;
    const bool more = l < a.lanes && a.touches(l);
    const int64_t step = more ? a.offsets[l] - a.offsets[first] : 1;
    if (step == 0 || step == 1)
      while (l < a.lanes && a.touches(l) && a.offsets[l] == a.offsets[l - 1] + step) ++l;
    f(first, l - first, a.offsets[first], step == 0 ? 1 : l - first);
  }
}

void AccessWatch::accessed(const LaneAccess& a) {
  if (!block_.watch()) return;
  const bool wrong = block_.async().tracks(a.memory) && breaks_ring(a);
  int64_t touched = 0;
  each_stretch(a, [&](int64_t lane, int64_t lanes, int64_t offset, int64_t n) {
    touched += lanes;
    track(a.runner.span(), a.memory, offset, n, a.kind);
    if (!a.own() || (wrong && a.kind == TouchKind::read)) return;
    mark(a, {lane, lanes}, a.memory.at + offset * a.bytes(), n * a.bytes());
  });
  block_.watch()->count(a.memory.global, a.kind, touched, a.bytes());
  if (wrong && a.kind == TouchKind::read) return;
  if (may_conflict(a) || may_conflict_between_blocks(a.memory))
    if (!block_.guessed(a.access)) find_races(a);
}

/// Whether a lane accesses a buffer of a ring at the wrong time, which is reported.
bool AccessWatch::breaks_ring(const LaneAccess& a) {
  const int64_t first = a.runner.first_iteration();
  for (int64_t l = 0; l < a.lanes; ++l)
    if (a.touches(l) && block_.async().touch(a.memory, a.offsets[l], a.kind, a.runner.span(),
                                             a.runner.lane_name(first + l)))
      return true;
  return false;
}

/// Initialization marks of the `n` bytes from `at` on, which lanes of a stretch access.
void AccessWatch::mark(const LaneAccess& a, Lanes lanes, int64_t at, int64_t n) {
  TileWatch& w = *block_.watch();
  if (a.kind != TouchKind::write && !w.written(at, n))
    for (int64_t l = lanes.first; l < lanes.first + lanes.count; ++l) read_unwritten(a, l);
  if (a.kind != TouchKind::read) w.mark_written(at, n);
}

void AccessWatch::read_unwritten(const LaneAccess& a, int64_t lane) {
  TileWatch& w = *block_.watch();
  const int64_t at = a.memory.at + a.offsets[lane] * a.bytes();
  if (w.written(at, a.bytes())) return;
  Finding f = block_.unwritten_read(a.runner.span(), a.memory, at);
  f.element = a.runner.element_of(a, lane);
  f.where[0].actor = a.runner.lane_name(a.runner.first_iteration() + lane);
  block_.warn(std::move(f));
  w.mark_written(at, a.bytes());  // report it once
}

void AccessWatch::find_races(const LaneAccess& a) {
  const TileMemory& m = a.memory;
  const int64_t bytes = a.bytes(), first = a.runner.first_iteration();
  const uint8_t* stores = a.kind == TouchKind::write ? a.value : nullptr;
  for (int64_t l = 0; l < a.lanes; ++l) {
    if (!a.touches(l)) continue;
    const bool same = stores && std::memcmp(a.element(l), stores + l * bytes, size_t(bytes)) == 0;
    uint64_t bits = 0;
    if (stores) std::memcpy(&bits, stores + l * bytes, size_t(bytes));
    const auto hit =
        block_.watch()->touch(m.space, !a.own(), TileBlock::cell(m, a.base, a.offsets[l]), a.kind,
                              a.runner.parallel() ? first + l : -1, a.runner.span(), same, bits);
    if (hit) race(a, l, *hit);
  }
}

void AccessWatch::race(const LaneAccess& a, int64_t lane, const Touch& hit) {
  auto actor = [&](int64_t who) {
    return hit.other_block ? block_.block_name(who) : a.runner.lane_name(who);
  };
  Finding f = block_.finding(FindingKind::race, hit.span, &a.memory, verb_of(hit.kind));
  f.element = a.runner.element_of(a, lane);
  f.where[0].actor = actor(hit.who);
  const int64_t who = hit.other_block ? block_.number() : a.runner.first_iteration() + lane;
  f.where.push_back({a.runner.span(), actor(who), verb_of(a.kind)});
  f.update = hit.update;
  block_.warn(std::move(f));
}

void AccessWatch::updated(const LaneAccess& a, int lane) {
  if (a.atomic == Intrinsic::atomic_add)
    add(a.runner.span(), a.memory, a.offsets[lane], a.value + lane * a.bytes());
}

void AccessWatch::stored(const LaneAccess& a) {
  if (!block_.watch() || !a.atomic || a.own()) return;
  const bool acquires = a.site.numbers[2], releases = a.site.numbers[3],
             stores = !info(*a.atomic).operands[0].reads();
  if (!(acquires || releases || stores)) return;
  for (int64_t l = 0; l < a.lanes; ++l)
    if (a.touches(l))
      block_.watch()->order(a.memory.space, TileBlock::cell(a.memory, a.base, a.offsets[l]),
                            acquires, releases, !stores);
}

// ---- boxes

void AccessWatch::before(const BoxOperation& op) {
  for (const BoxSource& source : op.sources) box(op, *source.box, false);
  const bool global = op.target.memory->global >= 0;
  const bool compares = block_.watch() && global && op.rule == BoxRule::copy;
  if (!compares || !changes_nothing(op)) box(op, op.target, op.overwrites);
  if (!block_.watch() || !global || op.rule != BoxRule::update || op.combines != LaneOp::add)
    return;
  const TileMemory& m = *op.target.memory;
  each_position(whole(op.target), [&](const Position& at) {
    const auto offset = offset_of(op.target, at);
    uint64_t value = 0;
    if (op.sources.empty()) {
      std::memcpy(&value, op.value, size_t(op.target.bytes()));
    } else {
      const ResolvedBox& from = *op.sources[0].box;
      const Position place = first_of(op.sources[0].part(at));
      cast_fn(m.elem, from.memory->elem)(&value, from.base + *offset_of(from, place) * from.bytes(),
                                         nullptr, nullptr, 1);
    }
    if (offset) add(op.span, m, *offset, reinterpret_cast<uint8_t*>(&value));
    return true;
  });
}

void AccessWatch::after(const BoxOperation& op) {
  TileWatch* w = block_.watch();
  if (!w) return;
  if (op.target.box->moves) move_marks(*w, op.target, *op.sources[0].box);
  const TileMemory& m = *op.target.memory;
  if (m.global < 0 || !(op.order.acquires || op.order.releases)) return;
  for_each_offset(op.target, long_dims(op.target), [&](int64_t offset) {
    w->order(m.space, TileBlock::cell(m, op.target.base, offset), op.order.acquires,
             op.order.releases, true);
  });
}

void AccessWatch::box(const BoxOperation& op, const ResolvedBox& s, bool overwrites) {
  if (s.box->atomic) return box_as(TouchKind::atomic, op.span, s);
  if (s.box->read && !overwrites) box_as(TouchKind::read, op.span, s);
  if (s.box->written) box_as(TouchKind::write, op.span, s);
}

void AccessWatch::box_as(TouchKind kind, const Span& span, const ResolvedBox& s) {
  if (block_.async().tracks(*s.memory) && block_.async().touch_box(s, kind, span) &&
      kind == TouchKind::read)
    return;
  TileWatch* w = block_.watch();
  if (!w) return;
  const TileMemory& m = *s.memory;
  w->count(m.global, kind, visible_elements(s), s.bytes());
  if (m.global < 0) return own_box(span, s, kind);
  if (!w->races() || !block_.image().written(m)) return;
  for_each_run(s, [&](int64_t first, int64_t n, int64_t stride) {
    // Cells are elements, or smaller if a view has smaller ones: then the first cell of each.
    for (int64_t i = 0; i < (stride == 1 ? 1 : n); ++i)
      track(span, m, first + i * stride, stride == 1 ? n : 1, kind);
    if (stride == 1 && s.bytes() == m.granule &&
        w->touch_run(m.space, TileBlock::cell(m, s.base, first), n, kind, span))
      return;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t offset = first + i * stride;
      auto hit = w->touch(m.space, true, TileBlock::cell(m, s.base, offset), kind, -1, span, false);
      if (!hit) continue;
      Finding f = block_.finding(FindingKind::race, hit->span, &m, verb_of(hit->kind));
      f.element = element_text(m, offset);
      f.where[0].actor = block_.block_name(hit->who);
      f.where.push_back({span, block_.block_name(block_.number()), verb_of(kind)});
      block_.warn(std::move(f));
    }
  });
}

void AccessWatch::own_box(const Span& span, const ResolvedBox& s, TouchKind kind) {
  TileWatch& w = *block_.watch();
  if (!w.uninitialized() || s.box->moves) return;
  const int64_t bytes = s.bytes();
  bool reported = false;
  for_each_run(s, [&](int64_t offset, int64_t n, int64_t stride) {
    const int64_t together = stride == 1 ? n : 1;
    for (int64_t i = 0; i < n; i += together) {
      const int64_t at = s.memory->at + (offset + i * stride) * bytes, length = together * bytes;
      track(span, *s.memory, offset + i * stride, together, kind);
      if (kind != TouchKind::read) {
        w.mark_written(at, length);
        continue;
      }
      const int64_t hole = reported ? length : w.first_unwritten(at, length);
      if (hole == length) continue;
      reported = true;
      Finding f = block_.unwritten_read(span, *s.memory, at + hole);
      f.element = element_text(*s.memory, offset + i * stride + hole / bytes);
      block_.warn(std::move(f));
    }
  });
}

// ---- dead stores, and sums of blocks

/// `n` elements are read, or about to be stored.
void AccessWatch::track(const Span& span, const TileMemory& m, int64_t offset, int64_t n,
                        TouchKind kind) {
  if (m.global >= 0 && !block_.image().written(m)) return;
  const int64_t bytes = elem_bytes(m.elem);
  const int64_t at = (m.global < 0 ? m.at : m.first_byte(block_.base(m.number))) + offset * bytes;
  const int32_t global = m.space < 0 ? 0 : m.global;
  DeadStores& stores = all_->stores;
  if (kind != TouchKind::write) return stores.read(global, at, n * bytes, span);
  const int64_t of_thread = m.at - block_.memory(m.number).at;
  stores.store(global, at, n * bytes, span, m.number,
               block_.base(m.number) + of_thread + offset * bytes);
}

void AccessWatch::add(const Span& span, const TileMemory& m, int64_t offset, const uint8_t* value) {
  if (block_.watch() && m.global >= 0 && !m.address)  // which addresses name elements
    all_->sums.add(span, m.number, offset, block_.number(), m.elem, value);
}

void AccessWatch::report_dead_stores() {
  std::set<std::pair<const Node*, Symbol>> reported;
  for (const DeadStores::Pair& pair : all_->stores.pairs()) {
    const TileMemory& m = block_.memory(block_.memory(pair.memory).root);
    bool resets = false;
    const For* loop =
        loop_of_dead_store(block_.kernel().body, m.name, m.global >= 0, pair, &resets);
    if (!loop || !reported.emplace(loop, m.name).second) continue;
    Finding f =
        block_.finding(FindingKind::dead_store, pair.by, &m, resets ? "resets" : "overwrites");
    f.where.push_back({loop->span, "", "in this loop, unread, the value of"});
    if (resets) f.where.push_back({pair.dead, "", "updates"});
    f.update = resets;
    block_.warn(std::move(f));
  }
}

void AccessWatch::end_launch() {
  if (!all_) return;
  for (const BlockSums::Redundant& sum : all_->sums.redundant()) {
    const TileMemory& m = block_.memory(sum.memory);
    Finding f = block_.finding(FindingKind::redundant_sum, sum.span, &m, "adds to");
    f.element = element_text(m, sum.offset);
    f.where[0].actor = block_.block_name(sum.first);
    f.where.push_back({sum.span, block_.block_name(sum.second), "adds the same value to"});
    block_.warn(std::move(f));
  }
  report_dead_stores();
}

}  // namespace

Observer watch_accesses(TileBlock& block, TileWatch* watch) {
  return std::make_unique<AccessWatch>(block, watch);
}

}  // namespace tilelab::sim
