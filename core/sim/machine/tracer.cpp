// SPDX-License-Identifier: Apache-2.0
#include "core/sim/machine/tracer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/ir/dtype.h"
#include "core/sim/indices.h"
#include "core/support/extents.h"

namespace tilelab::sim {
namespace {

constexpr int64_t most_steps = int64_t{1} << 24;
constexpr int64_t most_counted = int64_t{1} << 16;  // elements of a box whose counts are kept
constexpr int64_t most_pending = int64_t{1}
                                 << 21;  // accesses of one event that are recorded separately
constexpr int64_t corner_rows = 6, corner_columns = 8;
constexpr int64_t max_values_read = int64_t{1} << 18;  // elements whose values are read

double number_of(DType dtype, uint64_t raw) {
  if (is_float(dtype)) return decode_float(dtype, raw);
  if (is_unsigned(dtype)) return double(raw);
  return double(wrap_int(dtype, int64_t(raw)));
}

int64_t size_of(const TraceEvent& e) {
  size_t n = sizeof e + e.text.size();
  for (const TraceValue& v : e.names) n += sizeof v + v.bits.size() * 8;
  for (const TraceTouch& t : e.touched)
    n += sizeof t + (t.lo.size() + t.extent.size() + t.corner.size()) * 8 + t.counts.size() * 2;
  return int64_t(n);
}

}  // namespace

int64_t TraceMemory::elements() const { return volume(shape); }

int64_t TraceMemory::byte_of(int64_t linear) const {
  if (!place.empty()) return place[size_t(linear)];
  int64_t byte = 0;
  for (size_t d = shape.size(); d-- > 0;) {
    byte += linear % shape[d] * strides[d];
    linear /= shape[d];
  }
  return byte;
}

bool TraceMemory::dense() const {
  int64_t step = bytes(dtype);
  for (size_t d = shape.size(); d-- > 0; step *= shape[d])
    if (strides.size() <= d || strides[d] != step) return false;
  return true;
}

TraceBuffer TraceMemory::copy() const {
  TraceBuffer out{name, scope, dtype, of_threads, shape, {}, {}};
  const int64_t n = elements(), size = bytes(dtype);
  out.bytes.resize(size_t(n * size));
  if (dense() && !written) {
    std::memcpy(out.bytes.data(), base, out.bytes.size());
    return out;
  }
  if (written) out.written.resize(size_t(n));
  for (int64_t i = 0; i < n; ++i) {
    const int64_t from = byte_of(i);
    std::memcpy(&out.bytes[size_t(i * size)], base + from, size_t(size));
    if (written) out.written[size_t(i)] = written[from];
  }
  return out;
}

std::vector<TraceBuffer> copies_of(const std::vector<TraceMemory>& memories, int64_t most_bytes) {
  // The block's own memories come first: they disappear when it ends.
  std::vector<TraceBuffer> out;
  for (bool global : {false, true})
    for (const TraceMemory& m : memories) {
      const int64_t size = m.elements() * bytes(m.dtype);
      if ((m.scope == Scope::global) != global || size > most_bytes || !m.base) continue;
      most_bytes -= size;
      out.push_back(m.copy());
    }
  return out;
}

void Tracer::begin_block(std::vector<TraceAgent> agents, std::vector<TraceMemory> memories) {
  trace_.agents = std::move(agents);
  memories_ = std::move(memories);
  waiting_.assign(trace_.agents.size(), -1);
  outer_.clear();
  open_ = nullptr;
  stopped_ = false;
}

void Tracer::begin_event(int64_t agent, const Span& span, const std::string& text) {
  const int64_t number = trace_.count++;
  open_ = nullptr;
  if (trace_.steps_wanted && number < most_steps)
    trace_.steps.push_back({int32_t(agent), span.line, span.end_line});
  if (number < trace_.first || number > trace_.last) return;
  if (bytes_ > trace_.max_bytes) {
    ++trace_.lost;
    return;
  }
  current_ = {};
  current_.number = number;
  current_.agent = agent;
  current_.span = span;
  current_.text = text;
  open_ = &current_;
}

Tracer::Begun Tracer::begin(int64_t agent, const Span& span, const std::string& text, bool* stops) {
  if (ends_here()) {
    if (!stopped_) {
      close();
      trace_.agents[size_t(agent)].span = span;
      trace_.state = state();
    }
    *stops = stopped_ = true;
    return nullptr;
  }
  *stops = false;
  close();
  agent_ = agent;
  TraceAgent& at = trace_.agents[size_t(agent)];
  at.span = span;
  at.waits.clear();
  begin_event(agent, span, text);
  return open_;
}

void Tracer::completes(int64_t of, const Span& span) {
  outer_.push_back({std::move(current_), open_ != nullptr, std::move(pending_)});
  pending_.clear();
  begin_event(agent_, span, "");
  if (!open_) return;
  open_->kind = TraceKind::completes;
  open_->of = of;
}

void Tracer::completed() {
  close();
  Outer& outer = outer_.back();
  current_ = std::move(outer.event);
  pending_ = std::move(outer.pending);
  open_ = outer.open ? &current_ : nullptr;
  outer_.pop_back();
}

void Tracer::waits(int64_t agent, TraceSync sync) {
  TraceAgent& at = trace_.agents[size_t(agent)];
  at.waits = sync.verb + " " + sync.object;
  if (waiting_[size_t(agent)] >= 0) return;  // it was retried
  waiting_[size_t(agent)] = latest();
  sync.waits = true;
  if (open_) open_->sync = std::move(sync);
}

bool Tracer::resumes(int64_t agent, TraceSync sync) {
  int64_t& waiting = waiting_[size_t(agent)];
  if (waiting >= 0) {
    bool stops = false;
    begin(agent, trace_.agents[size_t(agent)].span, "", &stops);
    if (stops) return false;
    if (open_) open_->kind = TraceKind::resumes, open_->of = waiting;
    waiting = -1;
  }
  if (open_) open_->sync = std::move(sync);
  return true;
}

void Tracer::bound(int64_t agent, TraceValue value) {
  auto put = [&](std::vector<TraceValue>& names) {
    for (TraceValue& known : names)
      if (known.name == value.name) {
        known = value;
        return;
      }
    names.push_back(value);
  };
  put(trace_.agents[size_t(agent)].names);
  if (open_) put(open_->names);
}

void Tracer::touch_box(int32_t number, const std::vector<int64_t>& lo,
                       const std::vector<int64_t>& extent, bool write, bool atomic, bool late) {
  if (!open_) return;
  const TraceMemory& m = memories_[size_t(number)];
  TraceTouch t;
  t.buffer = m.name, t.memory = number, t.of_threads = m.of_threads;
  t.write = write, t.atomic = atomic, t.late = late;
  for (size_t d = 0; d < lo.size(); ++d) {
    const int64_t first = std::clamp<int64_t>(lo[d], 0, m.shape[d]);
    const int64_t end = std::clamp<int64_t>(lo[d] + extent[d], first, m.shape[d]);
    t.lo.push_back(first);
    t.extent.push_back(end - first);
  }
  t.elements = t.accesses = volume(t.extent);
  t.most = t.elements > 0;
  open_->touched.push_back(std::move(t));
}

void Tracer::touch(int32_t memory, const std::vector<int64_t>& elements, bool write, bool atomic) {
  if (!open_ || elements.empty()) return;
  for (Pending& p : pending_)
    if (p.memory == memory && p.write == write && p.atomic == atomic) {
      p.cut = int64_t(p.elements.size()) >= most_pending;
      if (!p.cut) p.elements.insert(p.elements.end(), elements.begin(), elements.end());
      return;
    }
  pending_.push_back({memory, write, atomic, elements});
}

/// The bounding box of the accesses, and how often each of its elements is accessed.
void Tracer::join(const Pending& pending) {
  const TraceMemory& m = memories_[size_t(pending.memory)];
  TraceTouch t;
  t.buffer = m.name, t.memory = pending.memory, t.of_threads = m.of_threads;
  t.write = pending.write, t.atomic = pending.atomic, t.cut = pending.cut;
  std::vector<int64_t> hi;
  for (int64_t e : pending.elements) {
    const std::vector<int64_t> at = index_of(e, m.shape);
    if (hi.empty()) t.lo = hi = at;
    for (size_t d = 0; d < at.size(); ++d) {
      t.lo[d] = std::min(t.lo[d], at[d]);
      hi[d] = std::max(hi[d], at[d]);
    }
  }
  for (size_t d = 0; d < hi.size(); ++d) t.extent.push_back(hi[d] - t.lo[d] + 1);
  t.accesses = int64_t(pending.elements.size());
  std::vector<int64_t> sorted = pending.elements;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0, same = 0; i < sorted.size(); ++i) {
    same = i > 0 && sorted[i] == sorted[i - 1] ? same + 1 : 1;
    t.elements += same == 1;
    t.most = std::max(t.most, int64_t(same));
  }
  const int64_t box = volume(t.extent);
  if (box <= most_counted && (t.most > 1 || t.elements < box)) {
    t.counts.assign(size_t(box), 0);
    for (int64_t e : pending.elements) {
      const std::vector<int64_t> at = index_of(e, m.shape);
      int64_t i = 0;
      for (size_t d = 0; d < at.size(); ++d) i = i * t.extent[d] + at[d] - t.lo[d];
      if (t.counts[size_t(i)] < UINT16_MAX) ++t.counts[size_t(i)];
    }
  }
  open_->touched.push_back(std::move(t));
}

/// The value of element `inside` of the box, row-major.
double Tracer::value(const TraceTouch& t, const TraceMemory& m, int64_t inside) const {
  const std::vector<int64_t> at = index_of(inside, t.extent);
  int64_t linear = 0;
  for (size_t d = 0; d < at.size(); ++d) linear = linear * m.shape[d] + t.lo[d] + at[d];
  uint64_t raw = 0;
  std::memcpy(&raw, m.base + m.byte_of(linear), size_t(bytes(m.dtype)));
  return number_of(m.dtype, raw);
}

/// Reads the current values of the box.
void Tracer::read_values(TraceTouch& t, const TraceMemory& m) const {
  const int64_t all = volume(t.extent), n = std::min(all, max_values_read);
  t.cut |= n < all;
  const int64_t width = t.extent.empty() ? 1 : t.extent.back();
  t.corner_width = std::min(width, corner_columns);
  for (int64_t row = 0; row < std::min(corner_rows, all / std::max<int64_t>(width, 1)); ++row)
    for (int64_t i = 0; i < t.corner_width; ++i) t.corner.push_back(value(t, m, row * width + i));
  bool any = false;
  for (int64_t i = 0; i < n; ++i) {
    if (!t.counts.empty() && t.counts[size_t(i)] == 0) continue;
    const double v = value(t, m, i);
    if (std::isnan(v)) {
      ++t.nan;
      continue;
    }
    t.low = any ? std::min(t.low, v) : v;
    t.high = any ? std::max(t.high, v) : v;
    any = true;
  }
}

void Tracer::close() {
  if (!open_) {
    pending_.clear();
    return;
  }
  for (const Pending& p : pending_) join(p);
  pending_.clear();
  for (TraceTouch& t : open_->touched)
    if (t.write && !t.late) read_values(t, memories_[size_t(t.memory)]);
  bytes_ += size_of(current_);
  auto later = std::find_if(trace_.events.rbegin(), trace_.events.rend(),
                            [&](const TraceEvent& e) { return e.number < current_.number; });
  trace_.events.insert(later.base(), std::move(current_));
  open_ = nullptr;
}

TraceState Tracer::state() const {
  TraceState s;
  s.event = trace_.count - 1;
  s.agents = trace_.agents;
  s.buffers = copies_of(memories_, INT64_MAX);
  return s;
}

void Tracer::end() {
  close();
  if (trace_.stop && !trace_.state) trace_.state = state();
}

}  // namespace tilelab::sim
