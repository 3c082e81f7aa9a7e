// SPDX-License-Identifier: Apache-2.0
// Element accesses of a lane program at tile level. Fast path: an affine index, the whole chunk in
// bounds, nothing watched: copy runs. Otherwise compute every lane's address.
#include <algorithm>
#include <cstring>

#include "core/sim/tile/async.h"

namespace tilelab::sim {
namespace {

using Runs = std::vector<std::pair<int64_t, int64_t>>;

template <class T> void strided_in(T* out, const T* in, int64_t step, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = in[i * step];
}
template <class F> void with_type(int64_t bytes, F&& f) {
  switch (bytes) {
    case 1: return f(uint8_t{});
    case 2: return f(uint16_t{});
    case 4: return f(uint32_t{});
    default: return f(uint64_t{});
  }
}

std::string numbers_text(const std::vector<int64_t>& numbers) {
  std::string s;
  for (int64_t n : numbers) s += (s.empty() ? "" : ", ") + std::to_string(n);
  return s;
}

/// Loads `n` lanes from memory by the runs from `level` on; returns the end of the lanes.
uint8_t* runs_in(uint8_t* lanes, const uint8_t* memory, const Runs& runs, size_t level, int64_t n,
                 int64_t bytes) {
  if (level == runs.size()) {
    broadcast(lanes, memory, int(bytes), size_t(n));
    return lanes + n * bytes;
  }
  int64_t rest = 1;
  for (size_t l = level + 1; l < runs.size(); ++l) rest *= runs[l].first;
  int64_t count = n / rest, step = runs[level].second;
  if (level + 1 < runs.size()) {
    for (int64_t i = 0; i < count; ++i)
      lanes = runs_in(lanes, memory + i * step * bytes, runs, level + 1, rest, bytes);
    return lanes;
  }
  if (step == 1)
    std::memcpy(lanes, memory, size_t(count * bytes));
  else if (step == 0)
    broadcast(lanes, memory, int(bytes), size_t(count));
  else
    with_type(bytes, [&](auto t) {
      using T = decltype(t);
      strided_in(reinterpret_cast<T*>(lanes), reinterpret_cast<const T*>(memory), step, count);
    });
  return lanes + count * bytes;
}

const uint8_t* runs_out(uint8_t* memory, const uint8_t* lanes, const Runs& runs, size_t level,
                        int64_t n, int64_t bytes) {
  if (level == runs.size()) {
    std::memcpy(memory, lanes + (n - 1) * bytes, size_t(bytes));
    return lanes + n * bytes;
  }
  int64_t rest = 1;
  for (size_t l = level + 1; l < runs.size(); ++l) rest *= runs[l].first;
  int64_t count = n / rest, step = runs[level].second;
  if (level + 1 < runs.size()) {
    for (int64_t i = 0; i < count; ++i)
      lanes = runs_out(memory + i * step * bytes, lanes, runs, level + 1, rest, bytes);
    return lanes;
  }
  if (step == 1)
    std::memcpy(memory, lanes, size_t(count * bytes));
  else
    put_step(memory, lanes, step, int(bytes), size_t(count));
  return lanes + count * bytes;
}

}  // namespace

/// Offset of the chunk's first lane; false if some lane of the chunk may be out of bounds.
bool TileRunner::start_of(const TileAccess& access, const CallSite& site, int64_t* offset) {
  const TileMemory& m = block_.memory(access.memory);
  int64_t sum = 0;
  bool inside = true;
  for (size_t d = 0; d < access.index.size(); ++d) {
    const TileIndex& index = access.index[d];
    int64_t lo = index.base, spread_down = 0, spread_up = 0;
    if (index.operand >= 0) lo += scalar(site, index.operand);
    for (size_t v = 0; v < index.factor.size(); ++v) {
      int64_t f = index.factor[v];
      if (f == 0) continue;
      lo += f * origin_[v];
      int split = parallel_->split;
      if (int(v) < split) continue;
      int64_t extent = int(v) == split ? chunk_ / parallel_->inner : parallel_->extents[v];
      (f < 0 ? spread_down : spread_up) += f * (extent - 1);
    }
    inside &= lo + spread_down >= 0 && lo + spread_up < m.shape[d];
    sum += lo * m.strides[d];
  }
  *offset = sum;
  return inside;
}

/// Sets index_ to the lanes' values of one index.
void TileRunner::add_index(const TileIndex& index, const CallSite& site) {
  const size_t n = size_t(chunk_);
  int64_t start = index.base;
  if (index.operand >= 0 && !index.per_lane) start += scalar(site, index.operand);
  for (size_t v = 0; v < index.factor.size(); ++v) start += index.factor[v] * origin_[v];
  if (index.per_lane) {
    const Operand& o = site.operands[size_t(index.operand)];
    cast_fn(Elem::i64, o.elem)(index_.data(), at(o.regs[0]), nullptr, nullptr, n);
    if (start != 0)
      for (size_t l = 0; l < n; ++l) index_[l] += start;
  } else {
    std::fill_n(index_.begin(), n, start);
  }
  if (!parallel_) return;
  for (size_t v = size_t(parallel_->split); v < index.factor.size(); ++v) {
    int64_t f = index.factor[v];
    if (f == 0) continue;
    const int32_t* value = lane_values_[v].data();
    for (size_t l = 0; l < n; ++l) index_[l] += f * value[l];
  }
}

/// Sets offsets_ (0 for lanes out of bounds) and outside_ of all lanes.
void TileRunner::addresses(const TileAccess& access, const CallSite& site) {
  const TileMemory& m = block_.memory(access.memory);
  const size_t n = size_t(chunk_);
  offsets_.resize(size_t(lanes_));
  index_.resize(size_t(lanes_));
  outside_.assign(size_t(lanes_), 1);
  std::fill_n(outside_.begin(), n, uint8_t{0});
  std::fill(offsets_.begin(), offsets_.end(), 0);
  for (size_t d = 0; d < access.index.size(); ++d) {
    add_index(access.index[d], site);
    const uint64_t extent = uint64_t(m.shape[d]);
    const int64_t stride = m.strides[d];
    for (size_t l = 0; l < n; ++l) {
      outside_[l] |= uint64_t(index_[l]) >= extent;
      offsets_[l] += int64_t(uint64_t(index_[l]) * uint64_t(stride));
    }
  }
  if (m.per_lane)
    for (size_t l = 0; l < n; ++l) offsets_[l] += int64_t(l) * m.elements;
  uint64_t any = 0;
  for (size_t l = 0; l < n; ++l) {
    offsets_[l] = outside_[l] ? 0 : offsets_[l];
    any |= outside_[l] & mask()[l];
  }
  any_outside_ = any != 0;
}

std::vector<int64_t> TileRunner::indices_of(const TileAccess& access, const CallSite& site,
                                            int lane) {
  std::vector<int64_t> indices;
  for (const TileIndex& index : access.index) {
    add_index(index, site);
    indices.push_back(index_[size_t(lane)]);
  }
  return indices;
}

std::string TileRunner::element_of(const TileAccess& access, const CallSite& site, int lane) {
  return "[" + numbers_text(indices_of(access, site, lane)) + "]";
}

/// "iteration i = 7, j = 4" from its row-major index; outside a T.Parallel "thread 7" if lanes are
/// threads.
std::string TileRunner::lane_name(int64_t number) const {
  if (!parallel_) return block_.image().threads ? "thread " + std::to_string(number) : "";
  if (number < 0) return "more than one iteration";
  std::string text;
  for (size_t v = parallel_->extents.size(); v-- > 0;) {
    int64_t extent = extent_of(v);
    text = parallel_->names[v].str() + " = " + std::to_string(number % extent) +
           (text.empty() ? "" : ", ") + text;
    number /= extent;
  }
  return "iteration " + text;
}

/// A dynamic extent counts as large: its iteration count is only needed for names.
int64_t TileRunner::extent_of(size_t variable) const {
  int64_t extent = parallel_->extents[variable];
  return extent < 0 ? int64_t{1} << 20 : extent;
}

/// The row-major index of the chunk's first iteration.
int64_t TileRunner::first_iteration() const {
  int64_t first = 0;
  for (size_t v = 0; parallel_ && v < origin_.size(); ++v)
    first = first * extent_of(v) + origin_[v];
  return first;
}

void TileRunner::report_outside(const TileAccess& access, const CallSite& site, bool write) {
  const TileMemory& m = block_.memory(access.memory);
  int64_t bad = 0;
  int first = -1;
  for (int l = 0; l < chunk_; ++l) {
    if (!outside_[size_t(l)] || !mask()[l]) continue;
    if (first < 0) first = l;
    ++bad;
  }
  const bool with_notes = block_.options().watch.notes;
  if (guessed(access)) return;
  if (m.global >= 0 && !(access.scatters && with_notes)) {  // guarded, as in TileLang
    if (with_notes) block_.note(span(), first, bad);
    return;
  }
  Finding f = outside_finding(m, span(), indices_of(access, site, first), first, write);
  f.count = bad;
  block_.report(std::move(f));
}

Finding TileRunner::outside_finding(const TileMemory& m, const Span& where,
                                    const std::vector<int64_t>& index, int64_t lane, bool write) {
  Finding f = block_.finding(FindingKind::out_of_bounds, where, &m, write ? "writes" : "reads");
  f.element = "[" + numbers_text(index) + "]";
  f.detail = "index " + f.element + " of shape [" + numbers_text(m.shape) + "]";
  f.where[0].actor = lane_name(first_iteration() + lane);
  return f;
}

/// Whether the index depends on generated values.
bool TileRunner::guessed(const TileAccess& access) const {
  const WatchedBlocks* warn = block_.options().warn;
  return warn && warn->made_up && access.by_data;
}

/// Whether another iteration may access the same element.
bool TileRunner::may_conflict(const TileAccess& access) const {
  return block_.watch()->races() && parallel_ && !access.disjoint;
}
/// Whether another block may; those of a sample are proved independent.
bool TileRunner::may_conflict_between_blocks(const TileMemory& m) const {
  return block_.watch()->races() && !block_.options().sample && m.global >= 0 &&
         block_.image().written(m);
}

/// Reports an access of all lanes, whose first offset is `start`, to the watchers as one run. False
/// if its iterations may conflict, its elements are not contiguous, or an error must be located.
bool TileRunner::watched_as_run(const TileAccess& access, int64_t start, TouchKind kind) {
  TileWatch* w = block_.watch();
  if (!w) return true;
  bool reported = reported_as_run(*w, access, start, kind);
  const TileMemory& m = block_.memory(access.memory);
  if (reported) w->count(m.global, kind, active(), elem_bytes(m.elem));
  return reported;
}

bool TileRunner::reported_as_run(TileWatch& w, const TileAccess& access, int64_t start,
                                 TouchKind kind) {
  if (may_conflict(access) || block_.async().tracks(block_.memory(access.memory))) return false;
  const TileMemory& m = block_.memory(access.memory);
  const bool blocks = may_conflict_between_blocks(m), global = m.global >= 0;
  if (global ? !block_.image().written(m) : !w.uninitialized()) return true;
  if (active() != chunk_) return false;
  // The elements: `count` runs of `length`, `step` apart.
  int64_t length = 1, count = 1, step = 0, rest = 1;
  for (size_t r = access.runs.size(); r-- > 0;) {
    auto [n, by] = access.runs[r];
    if (n < 0) n = chunk_ / rest;
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
  const int64_t bytes = elem_bytes(m.elem);
  if (blocks &&
      (count != 1 || bytes != m.granule || !w.touch_run(m.root, start, length, kind, span())))
    return false;
  int64_t at = m.at + start * bytes;
  for (int64_t i = 0; i < count; ++i, at += step * bytes) {
    block_.track_store(span(), access.memory, start + i * step, length, kind);
    if (global) continue;
    if (kind != TouchKind::read)
      w.mark_written(at, length * bytes);
    else if (!w.written(at, length * bytes))
      return false;
  }
  return true;
}

/// Reports every active lane's access to the watchers.
void TileRunner::watch(const TileAccess& access, const CallSite& site, TouchKind kind,
                       const uint8_t* value) {
  TileWatch& w = *block_.watch();
  const TileMemory& m = block_.memory(access.memory);
  const int64_t bytes = elem_bytes(m.elem);
  const bool races = (may_conflict(access) || may_conflict_between_blocks(m)) && !guessed(access);
  const int64_t first = first_iteration();
  const bool minded = block_.async().tracks(m);
  bool wrong = false;
  for (int l = 0; l < chunk_; ++l) {
    if (!mask()[l] || outside_[size_t(l)]) continue;
    w.count(m.global, kind, 1, bytes);
    block_.track_store(span(), access.memory, offsets_[size_t(l)], 1, kind);
    if (minded && !wrong)
      wrong = block_.async().touch(m, offsets_[size_t(l)], kind, span(), lane_name(first + l));
    if (wrong && kind == TouchKind::read) return;
    int64_t at = m.at + offsets_[size_t(l)] * bytes;
    if (m.global < 0 && kind != TouchKind::write && !w.written(at, bytes)) {
      Finding f = block_.unwritten_read(span(), m, at);
      f.element = element_of(access, site, l);
      f.where[0].actor = lane_name(first + l);
      block_.warn(std::move(f));
      w.mark_written(at, bytes);  // report it once
    }
    if (m.global < 0 && kind != TouchKind::read) w.mark_written(at, bytes);
    if (!races) continue;
    const uint8_t* old = block_.base(access.memory) + offsets_[size_t(l)] * bytes;
    bool same = value && std::memcmp(old, value + l * bytes, size_t(bytes)) == 0;
    uint64_t bits = 0;
    if (value) std::memcpy(&bits, value + l * bytes, size_t(bytes));
    int64_t cell = offsets_[size_t(l)] * bytes / m.granule;
    auto hit =
        w.touch(m.root, m.global >= 0, cell, kind, parallel_ ? first + l : -1, span(), same, bits);
    if (!hit) continue;
    auto verb = [](TouchKind k) {
      return k == TouchKind::read ? "reads" : k == TouchKind::write ? "writes" : "updates";
    };
    auto actor = [&](int64_t who) {
      return hit->other_block ? block_.block_name(who) : lane_name(who);
    };
    Finding f = block_.finding(FindingKind::race, hit->span, &m, verb(hit->kind));
    f.element = element_of(access, site, l);
    f.where[0].actor = actor(hit->who);
    f.where.push_back({span(), actor(hit->other_block ? block_.number() : first + l), verb(kind)});
    f.update = hit->update;
    block_.warn(std::move(f));
  }
}

void TileRunner::load_lanes(const CallSite& site) {
  const TileAccess& access = block_.image().accesses[size_t(site.numbers[0])];
  const TileMemory& m = block_.memory(access.memory);
  const int64_t bytes = elem_bytes(m.elem);
  uint8_t* out = at(site.results[0]);
  if (block_.tracer()) trace_access(site, false, false);
  int64_t start = 0;
  const bool pads = this->pads(access);
  if (!traces && !block_.log() && !pads && !access.per_lane && start_of(access, site, &start) &&
      watched_as_run(access, start, TouchKind::read)) {
    if (noted(access)) any_outside_ = false, note_guarded(access, site, false);
    runs_in(out, block_.base(access.memory) + start * bytes, access.runs, 0, chunk_, bytes);
    return;
  }
  addresses(access, site);
  if (m.elements > 0) {
    gather(out, block_.base(access.memory), offsets_.data(), int(bytes), size_t(chunk_));
  }
  if (any_outside_ || m.elements == 0) {
    report_outside(access, site, false);
    for (int64_t l = 0; l < chunk_; ++l)
      if (outside_[size_t(l)]) std::memcpy(out + l * bytes, &m.safe, size_t(bytes));
  }
  if (noted(access)) note_guarded(access, site, false);
  if (block_.watch()) watch(access, site, TouchKind::read, nullptr);
  if (pads) pad_loaded(access, site.numbers[0]);
  if (traces) trace_load(access, site);
  if (block_.log()) log_load(site, access, out);
}

void TileRunner::store_lanes(const CallSite& site) {
  const TileAccess& access = block_.image().accesses[size_t(site.numbers[0])];
  const TileMemory& m = block_.memory(access.memory);
  const int64_t bytes = elem_bytes(m.elem);
  const uint8_t* value = at(site.operands.back().regs[0]);
  uint8_t* base = block_.base(access.memory);
  if (block_.tracer()) trace_access(site, true, false);
  int64_t start = 0;
  const bool pads = this->pads(access);
  if (!traces && !block_.log() && !pads && !access.per_lane && start_of(access, site, &start) &&
      watched_as_run(access, start, TouchKind::write)) {
    if (noted(access)) any_outside_ = false, note_guarded(access, site, true);
    uint8_t* to = base + start * bytes;
    if (active() == chunk_) {
      runs_out(to, value, access.runs, 0, chunk_, bytes);
      return;
    }
    if (access.runs.size() == 1 && access.runs[0].second == 1) {
      select_fn(int(bytes))(to, mask(), value, to, size_t(chunk_));
      return;
    }
  }
  addresses(access, site);
  if (any_outside_ || m.elements == 0) report_outside(access, site, true);
  if (noted(access)) note_guarded(access, site, true);
  if (block_.watch()) watch(access, site, TouchKind::write, value);
  kept_.resize(size_t(lanes_));
  for (size_t l = 0; l < size_t(chunk_); ++l) kept_[l] = mask()[l] & (outside_[l] ^ 1);
  scatter(base, value, offsets_.data(), kept_.data(), int(bytes), size_t(chunk_));
  if (pads) pad_stored(access, value);
  if (traces) trace_store(access, site);
  if (block_.log()) log_store(access, "store");
}

void TileRunner::atomic_lanes(const CallSite& site) {
  const TileAccess& access = block_.image().accesses[size_t(site.numbers[0])];
  const TileAtomic what = static_cast<TileAtomic>(site.numbers[1]);
  const TileMemory& m = block_.memory(access.memory);
  const int64_t bytes = elem_bytes(m.elem);
  if (block_.tracer()) trace_access(site, access.writes, true);
  addresses(access, site);
  if (any_outside_) report_outside(access, site, access.writes);
  if (noted(access)) note_guarded(access, site, access.writes);
  if (block_.watch()) watch(access, site, TouchKind::atomic, nullptr);
  static constexpr LaneOp ops[] = {LaneOp::add, LaneOp::max,  LaneOp::min,
                                   LaneOp::or_, LaneOp::and_, LaneOp::xor_};
  LaneFn fn = what < TileAtomic::exchange ? lane_fn(ops[int(what)], m.elem) : nullptr;
  uint8_t* out = site.results.empty() ? nullptr : at(site.results[0]);
  const uint8_t* value = what == TileAtomic::load ? nullptr : at(site.operands.back().regs[0]);
  std::vector<uint8_t> operand(size_t(value ? chunk_ * bytes : 0));
  if (value)
    std::memcpy(operand.data(), value, operand.size());  // the result may share its register
  for (int64_t l = 0; l < chunk_; ++l) {
    if (!mask()[l]) continue;
    if (outside_[size_t(l)]) {
      if (out) std::memcpy(out + l * bytes, &m.safe, size_t(bytes));
      continue;
    }
    uint8_t* place = block_.base(access.memory) + offsets_[size_t(l)] * bytes;
    if (out) std::memcpy(out + l * bytes, place, size_t(bytes));
    const uint8_t* x = value ? operand.data() + l * bytes : nullptr;
    if (block_.watch() && what == TileAtomic::add)
      block_.add_to_sum(span(), m, offsets_[size_t(l)], x);
    if (fn)
      fn(place, place, x, nullptr, 1);
    else if (what != TileAtomic::load)
      std::memcpy(place, x, size_t(bytes));
    if (traces && value) trace_element(access, site, int(l), fn != nullptr);
  }
  if (block_.log() && what != TileAtomic::load) log_store(access, "atomic");
  const bool acquires = site.numbers[2], releases = site.numbers[3],
             stores = what == TileAtomic::store;
  if (!block_.watch() || m.global < 0 || !(acquires || releases || stores)) return;
  for (int64_t l = 0; l < chunk_; ++l)
    if (mask()[l] && !outside_[size_t(l)])
      block_.watch()->order(m.root, offsets_[size_t(l)] * bytes / m.granule, acquires, releases,
                            !stores);
}

}  // namespace tilelab::sim
