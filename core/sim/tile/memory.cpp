// SPDX-License-Identifier: Apache-2.0
// Element accesses of a lane program at tile level. Fast path: an affine index, the whole chunk in
// bounds, and observers that accept a run: copy runs. Otherwise compute every lane's address.
#include <algorithm>
#include <cstring>

#include "core/sim/indices.h"
#include "core/sim/tile/async.h"

namespace tilelab::sim {
namespace {

using Runs = std::vector<std::pair<int64_t, int64_t>>;

template <class T> void strided_in(T* out, const T* in, int64_t step, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = in[i * step];
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
    with_word(bytes, [&](auto t) {
      using T = decltype(t);
      strided_in(reinterpret_cast<T*>(lanes), reinterpret_cast<const T*>(memory), step, count);
    });
  return lanes + count * bytes;
}

/// The offsets of `n` lanes by the runs from `level` on; returns the end of the lanes.
int64_t* spread(int64_t* lanes, int64_t at, const Runs& runs, size_t level, int64_t n) {
  if (level == runs.size()) return std::fill_n(lanes, n, at);
  int64_t rest = 1;
  for (size_t l = level + 1; l < runs.size(); ++l) rest *= runs[l].first;
  const int64_t count = n / rest, step = runs[level].second;
  if (level + 1 < runs.size()) {
    for (int64_t i = 0; i < count; ++i) lanes = spread(lanes, at + i * step, runs, level + 1, rest);
    return lanes;
  }
  for (int64_t i = 0; i < count; ++i) lanes[i] = at + i * step;
  return lanes + count;
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

/// Inline, as it is a part of every load and store.
__attribute__((always_inline)) inline LaneAccess TileRunner::access_of(const CallSite& site,
                                                                       TouchKind kind) {
  const TileAccess& access = block_.image().accesses[size_t(site.numbers[0])];
  if (access.address >= 0) block_.locate(access.memory, scalar(site, access.address), access.span);
  LaneAccess a{*this, site, access, block_.memory(access.memory)};
  a.id = site.numbers[0], a.kind = kind;
  a.lanes = chunk_, a.mask = mask(), a.base = block_.base(access.memory);
  if (access.of_thread) a.base += thread_ * a.memory.elements * a.bytes();
  return a;
}

/// Offset of the chunk's first lane; false if some lane of the chunk may be out of bounds.
bool TileRunner::start_of(const LaneAccess& a, int64_t* offset) {
  int64_t sum = 0;
  bool inside = true;
  for (size_t d = 0; d < a.access.index.size(); ++d) {
    const TileIndex& index = a.access.index[d];
    int64_t lo = index.base, spread_down = 0, spread_up = 0;
    if (index.operand >= 0) lo += scalar(a.site, index.operand);
    for (size_t v = 0; v < index.factor.size(); ++v) {
      int64_t f = index.factor[v];
      if (f == 0) continue;
      lo += f * origin_[v];
      int split = parallel_->split;
      if (int(v) < split) continue;
      int64_t extent = int(v) == split ? chunk_ / parallel_->inner : parallel_->extents[v];
      (f < 0 ? spread_down : spread_up) += f * (extent - 1);
    }
    inside &= lo + spread_down >= 0 && lo + spread_up < a.memory.shape[d];
    sum += lo * a.memory.strides[d];
  }
  *offset = sum;
  return inside;
}

/// Whether the access is a run, and has been reported as one.
bool TileRunner::accessed_as_run(LaneAccess& a, int64_t* start) {
  if (a.access.per_lane || !start_of(a, start)) return false;
  a.start = *start;
  for (TileObserver* o : block_.observers())
    if (!o->accessed_as_run(a, *start)) return false;
  return true;
}

const std::vector<int64_t>& TileRunner::index_lanes(const TileIndex& index, const CallSite& site) {
  const size_t n = size_t(chunk_);
  index_.resize(size_t(lanes_));
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
  if (!parallel_) return index_;
  for (size_t v = size_t(parallel_->split); v < index.factor.size(); ++v) {
    int64_t f = index.factor[v];
    if (f == 0) continue;
    const int32_t* value = lane_values_[v].data();
    for (size_t l = 0; l < n; ++l) index_[l] += f * value[l];
  }
  return index_;
}

/// Sets the offsets of all lanes, and which are out of bounds.
void TileRunner::addresses(LaneAccess& a) {
  offsets_.assign(size_t(lanes_), 0);
  outside_.assign(size_t(lanes_), 1);
  std::fill_n(outside_.begin(), size_t(chunk_), uint8_t{0});
  if (a.start)
    spread(offsets_.data(), *a.start, a.access.runs, 0, chunk_);
  else
    find_addresses(a);
  a.offsets = offsets_.data(), a.outside = outside_.data();
  a.any_outside = false;
  for (int64_t l = 0; l < chunk_ && !a.start; ++l) a.any_outside |= outside_[l] & mask()[l];
}

/// The same from the indices of each lane.
void TileRunner::find_addresses(const LaneAccess& a) {
  const TileMemory& m = a.memory;
  const size_t n = size_t(chunk_);
  for (size_t d = 0; d < a.access.index.size(); ++d) {
    index_lanes(a.access.index[d], a.site);
    const uint64_t extent = uint64_t(m.shape[d]);
    const int64_t stride = m.strides[d];
    for (size_t l = 0; l < n; ++l) {
      outside_[l] |= uint64_t(index_[l]) >= extent;
      offsets_[l] += int64_t(uint64_t(index_[l]) * uint64_t(stride));
    }
  }
  if (m.per_lane && !a.access.of_thread)
    for (size_t l = 0; l < n; ++l) offsets_[l] += int64_t(l) * m.elements;
  for (size_t l = 0; l < n; ++l) offsets_[l] = outside_[l] ? 0 : offsets_[l];
}

std::vector<int64_t> TileRunner::indices_of(const LaneAccess& a, int64_t lane) {
  std::vector<int64_t> indices;
  for (const TileIndex& index : a.access.index)
    indices.push_back(index_lanes(index, a.site)[size_t(lane)]);
  return indices;
}

std::string TileRunner::element_of(const LaneAccess& a, int64_t lane) {
  return index_text(indices_of(a, lane));
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

void TileRunner::report_outside(const LaneAccess& a) {
  const TileMemory& m = a.memory;
  int64_t bad = 0;
  int first = -1;
  for (int l = 0; l < chunk_; ++l) {
    if (!outside_[size_t(l)] || !mask()[l]) continue;
    if (first < 0) first = l;
    ++bad;
  }
  const bool with_notes = block_.options().watch.notes;
  if (block_.guessed(a.access)) return;
  if (m.global >= 0 && m.guarded &&
      !(a.access.scatters && with_notes)) {  // guarded, as in TileLang
    if (with_notes) block_.note(span(), first, bad);
    return;
  }
  Finding f = outside_finding(m, span(), indices_of(a, first), first, a.access.writes);
  f.count = bad;
  block_.report(std::move(f));
}

Finding TileRunner::outside_finding(const TileMemory& m, const Span& where,
                                    const std::vector<int64_t>& index, int64_t lane, bool write) {
  Finding f = block_.finding(FindingKind::out_of_bounds, where, &m, write ? "writes" : "reads");
  f.element = index_text(index);
  f.detail = "index " + f.element + " of shape " + index_text(m.shape);
  f.where[0].actor = lane_name(first_iteration() + lane);
  return f;
}

void TileRunner::load_lanes(const CallSite& site) {
  LaneAccess a = access_of(site, TouchKind::read);
  const TileMemory& m = a.memory;
  const int64_t bytes = a.bytes();
  uint8_t* out = at(site.results[0]);
  a.value = out;
  int64_t start = 0;
  if (accessed_as_run(a, &start)) {
    runs_in(out, a.base + start * bytes, a.access.runs, 0, chunk_, bytes);
    return;
  }
  addresses(a);
  if (m.elements > 0) gather(out, a.base, offsets_.data(), int(bytes), size_t(chunk_));
  if (a.any_outside || m.elements == 0) {
    report_outside(a);
    for (int64_t l = 0; l < chunk_; ++l)
      if (outside_[size_t(l)]) std::memcpy(out + l * bytes, &m.safe, size_t(bytes));
  }
  for (TileObserver* o : block_.observers()) o->accessed(a);
}

/// A store of equal values lets no other agent or block continue.
bool TileRunner::changes(const uint8_t* to, const uint8_t* value, int64_t lane, int64_t bytes) {
  return mask()[lane] && std::memcmp(to, value + lane * bytes, size_t(bytes)) != 0;
}

void TileRunner::store_lanes(const CallSite& site) {
  LaneAccess a = access_of(site, TouchKind::write);
  const int64_t bytes = a.bytes();
  a.value = at(site.operands.back().regs[0]);
  int64_t start = 0;
  const bool waits = block_.image().waits;
  const bool all = active() == chunk_;
  const bool dense = a.access.runs.size() == 1 && a.access.runs[0].second == 1;
  if ((all || dense) && accessed_as_run(a, &start)) {
    uint8_t* to = a.base + start * bytes;
    bool changed = !waits || !dense;
    for (int64_t l = 0; l < chunk_ && !changed; ++l)
      changed = changes(to + l * bytes, a.value, l, bytes);
    if (changed) block_.moved();
    if (all)
      runs_out(to, a.value, a.access.runs, 0, chunk_, bytes);
    else
      select_fn(int(bytes))(to, mask(), a.value, to, size_t(chunk_));
    return;
  }
  addresses(a);
  if (a.any_outside || a.memory.elements == 0) report_outside(a);
  for (TileObserver* o : block_.observers()) o->accessed(a);
  kept_.resize(size_t(lanes_));
  bool changed = !waits;
  for (int64_t l = 0; l < chunk_; ++l) {
    kept_[size_t(l)] = a.touches(l);
    changed = changed || (kept_[size_t(l)] &&
                          changes(a.base + offsets_[size_t(l)] * bytes, a.value, l, bytes));
  }
  if (changed) block_.moved();
  scatter(a.base, a.value, offsets_.data(), kept_.data(), int(bytes), size_t(chunk_));
  for (TileObserver* o : block_.observers()) o->stored(a);
}

void TileRunner::atomic_lanes(const CallSite& site) {
  LaneAccess a = access_of(site, TouchKind::atomic);
  const Intrinsic what = Intrinsic(site.numbers[1]);
  const int64_t bytes = a.bytes();
  const size_t count = info(what).operand_count - 1u;  // of values
  std::vector<uint8_t> values;                         // the result may share a register of them
  for (size_t i = site.operands.size() - count; i < site.operands.size(); ++i) {
    const uint8_t* value = at(site.operands[i].regs[0]);
    values.insert(values.end(), value, value + chunk_ * bytes);
  }
  if (count) a.value = values.data() + int64_t(count - 1) * chunk_ * bytes;
  a.atomic = what;
  addresses(a);
  if (a.any_outside) report_outside(a);
  for (TileObserver* o : block_.observers()) o->accessed(a);
  const auto operation = operation_of(what);
  const LaneFn fn = operation ? lane_fn(*operation, a.memory.elem) : nullptr;
  uint8_t* out = site.results.empty() ? nullptr : at(site.results[0]);
  for (int l = 0; l < chunk_; ++l) {
    if (!mask()[l]) continue;
    if (outside_[size_t(l)]) {
      if (out) std::memcpy(out + l * bytes, &a.memory.safe, size_t(bytes));
      continue;
    }
    uint8_t* place = a.base + offsets_[size_t(l)] * bytes;
    if (out) std::memcpy(out + l * bytes, place, size_t(bytes));
    const auto value = [&](size_t i) {
      return i < count ? values.data() + (int64_t(i) * chunk_ + l) * bytes : nullptr;
    };
    std::array<uint8_t, 16> before{};
    std::memcpy(before.data(), place, size_t(bytes));
    if (fn) fn(place, place, value(0), value(1), 1);
    if (std::memcmp(before.data(), place, size_t(bytes)) != 0) block_.moved();
    for (TileObserver* o : block_.observers()) o->updated(a, l);
  }
  for (TileObserver* o : block_.observers()) o->stored(a);
}

}  // namespace tilelab::sim
