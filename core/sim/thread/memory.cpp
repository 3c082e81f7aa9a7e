// SPDX-License-Identifier: Apache-2.0
// Loads, stores and atomics of a warp. Every address is checked against its allocation; lanes out
// of bounds are reported, read zero and store nothing.
#include <cstring>

#include "core/ir/intrinsics/intrinsics.h"
#include "core/sim/thread/block.h"

namespace tilelab::sim {
namespace {

constexpr int64_t nowhere = -1;

}  // namespace

/// Byte address of the first component in each lane: into the arena (swizzled), the allocation, or
/// the address space; -1 where a lane is inactive or out of bounds. Returns whether all lanes are
/// in bounds.
bool ThreadWarp::addresses(const Access& a, const Instr& instr, int64_t* out) {
  const MemoryInfo& info = block_.image.memories[size_t(a.memory)];
  const int64_t bytes = elem_bytes(a.elem),
                start = info.shared ? info.at + a.base * bytes : a.base * bytes;
  if (a.offset == no_reg) {
    for (int l = 0; l < lanes_; ++l) out[l] = start;
  } else if (a.wide) {
    const int64_t* off = lanes<int64_t>(a.offset);
    for (int l = 0; l < lanes_; ++l) out[l] = start + off[l] * bytes;
  } else {
    const int32_t* off = lanes<int32_t>(a.offset);
    for (int l = 0; l < lanes_; ++l) out[l] = start + off[l] * bytes;
  }
  const auto [begin, size] = block_.bytes_of(a.memory);
  const int64_t reach = (a.delta[size_t(a.width - 1)] + 1) * bytes;
  bool inside = full();
  for (int l = 0; l < lanes_; ++l) inside &= out[l] >= begin && out[l] + reach <= begin + size;
  if (!inside) {
    inside = full();
    for (int l = 0; l < lanes_; ++l) {
      bool in = out[l] >= begin && out[l] + reach <= begin + size;
      if (mask()[l] && !in) {
        inside = false;
        if (!a.checked) outside_memory(a.memory, instr, l, out[l] - begin);
      }
      if (!mask()[l] || !in) out[l] = nowhere;
    }
  }
  if (a.width > 1 && a.contiguous)
    for (int l = 0; l < lanes_; ++l)
      if (out[l] >= 0 && out[l] % (bytes * a.width) != 0) {
        Finding f = finding(FindingKind::misaligned, l, instr.op == Op::load ? "reads" : "writes");
        f.buffer = info.name.str();
        f.detail = "byte " + std::to_string(out[l]) + " for an access of " +
                   std::to_string(bytes * a.width) + " bytes";
        block_.report(std::move(f));
        break;
      }
  for (int l = 0; l < lanes_ && a.address != no_reg; ++l)
    if (out[l] >= 0 && mask()[l])
      out[l] += block_.located(a.memory, lanes<int64_t>(a.address)[l], *this, l);
  return inside;
}

namespace {

/// Whether the marks of `n` accesses of sizeof(T) bytes are all set.
template <class T> bool all_marked(const uint8_t* marks, const int64_t* address, int n) {
  T all;
  std::memset(&all, 1, sizeof all);
  const T set = all;
  for (int l = 0; l < n; ++l) {
    T word;
    std::memcpy(&word, marks + address[l], sizeof word);
    all &= word;
  }
  return all == set;
}

bool all_marked(const uint8_t* marks, const int64_t* address, int n, int bytes) {
  switch (bytes) {
    case 1: return all_marked<uint8_t>(marks, address, n);
    case 2: return all_marked<uint16_t>(marks, address, n);
    case 4: return all_marked<uint32_t>(marks, address, n);
    case 8: return all_marked<uint64_t>(marks, address, n);
    case 16: return all_marked<unsigned __int128>(marks, address, n);
    default:
      for (int l = 0; l < n; ++l)
        if (std::memchr(marks + address[l], 0, size_t(bytes))) return false;
      return true;
  }
}

}  // namespace

/// Reports reads of uninitialized bytes; `kind` atomic: reads and writes them.
void ThreadWarp::watch_written(int32_t memory, AccessKind kind, const LaneMask& lanes,
                               const int64_t* address, int bytes) {
  uint8_t* written = block_.written(memory);
  if (!written) return;
  const bool known =
      full() && lanes == LaneMask::first(lanes_) && all_marked(written, address, lanes_, bytes);
  if (known && kind == AccessKind::read) return;
  if (kind != AccessKind::write && !known)
    lanes.for_each([&](int l) {
      if (all_marked(written, address + l, 1, bytes)) return;
      const void* at = std::memchr(written + address[l], 0, size_t(bytes));
      Finding f = finding(FindingKind::uninitialized, l, "reads");
      block_.locate_unwritten(memory, static_cast<const uint8_t*>(at) - written, f);
      block_.report(std::move(f));
    });
  if (kind == AccessKind::read) return;
  block_.wrote(memory, place());
  lanes.for_each([&](int l) { std::memset(written + address[l], 1, size_t(bytes)); });
}

/// Moves propagate initialization marks.
void ThreadWarp::move_marks(const Access& a, const int64_t* address, bool write) {
  uint8_t* const written = block_.written(a.memory);
  const auto bytes = size_t(elem_bytes(a.elem));
  for (size_t k = 0; k < a.marks.size(); ++k)
    for (int l = 0; l < lanes_; ++l) {
      if (address[l] < 0 || !mask()[l]) continue;
      uint8_t* const mark = at(a.marks[k]) + l;
      uint8_t* const of = written ? written + address[l] + a.delta[k] * int64_t(bytes) : nullptr;
      if (write && of) std::memset(of, *mark, bytes);
      if (!write) *mark = !of || !std::memchr(of, 0, bytes);
    }
}

/// Records the writer of the requested byte.
void ThreadWarp::note_writer(const LaneMask& lanes, const int64_t* address, int bytes) {
  const int64_t byte = block_.launch.watched_byte;
  lanes.for_each([&](int l) {
    if (address[l] <= byte && byte < address[l] + bytes)
      block_.output.writers = {Writer{block_.coordinates, block_.span(place()), thread_name(l)}};
  });
}

void ThreadWarp::touched(const Touched& t, const int64_t* address,
                         FunctionRef<bool(int, ActorId)> unchanged) {
  if (block_.tracer()) trace_access(t, address);
  if (block_.launch.meter) block_.launch.meter->access(metered(t, address));
  if (block_.watches(t.memory)) watch_access(t, address, unchanged);
}

/// A contiguous vector is one access per lane, otherwise each of its elements is.
void ThreadWarp::touched(const Access& a, AccessKind kind, const int64_t* address,
                         FunctionRef<bool(int, ActorId)> unchanged) {
  if (!block_.tracer() && !block_.launch.meter && !block_.watches(a.memory)) return;
  const int bytes = elem_bytes(a.elem);
  Touched t{a.memory, kind, Mover::threads, bytes * a.width, lanes_, !a.marks.empty()};
  if (a.contiguous || a.width == 1) return touched(t, address, unchanged);
  t.bytes = bytes;
  int64_t part[max_lanes];
  for (int k = 0; k < a.width; ++k) {
    for (int l = 0; l < lanes_; ++l)
      part[l] = address[l] < 0 ? nowhere : address[l] + a.delta[size_t(k)] * bytes;
    touched(t, part, unchanged);
  }
}

void ThreadWarp::watch_access(const Touched& t, const int64_t* address,
                              FunctionRef<bool(int, ActorId)> unchanged) {
  Block::Shadow s = block_.shadow(t.memory);
  LaneMask touched;
  int64_t shifted[max_lanes], outside = 0;
  for (int l = 0; l < lanes_; ++l) {
    outside |= address[l];
    shifted[l] = s.by_address && address[l] >= 0 ? block_.shadow_byte(t.memory, address[l])
                                                 : address[l] + s.shift;
  }
  if (outside >= 0 && full()) {
    touched = LaneMask::first(lanes_);
    block_.accesses += lanes_;
  } else {
    for (int l = 0; l < lanes_; ++l)
      if (address[l] >= 0 && mask()[l]) touched.set(l);
    block_.accesses += touched.count();
  }
  if (t.memory == block_.launch.watched_memory && t.writes) note_writer(touched, address, t.bytes);
  if (!t.moves) watch_written(t.memory, t.kind, touched, address, t.bytes);
  if (block_.races && s.memory >= 0 && touched.any())
    block_.race.access(s.memory, index_, touched, place(), t.kind, shifted, t.bytes, unchanged);
}

template <class T>
void ThreadWarp::load_lanes(const Access& a, const int64_t* address, const uint8_t* base) {
  bool unit = full();
  const int64_t step = int64_t(sizeof(T)) * a.width;
  for (int l = 0; l < lanes_ && unit; ++l) unit = address[l] == address[0] + l * step;
  if (unit && a.width == 1) {
    std::memcpy(at(a.value[0]), base + address[0], sizeof(T) * size_t(lanes_));
    return;
  }
  T* out[max_vector];
  for (int k = 0; k < a.width; ++k) out[k] = reinterpret_cast<T*>(at(a.value[size_t(k)]));
  for (int l = 0; l < lanes_; ++l) {
    if (address[l] < 0) {
      if (mask()[l])
        for (int k = 0; k < a.width; ++k) out[k][l] = 0;
      continue;
    }
    for (int k = 0; k < a.width; ++k)
      std::memcpy(&out[k][l], base + address[l] + a.delta[size_t(k)] * int64_t(sizeof(T)),
                  sizeof(T));
  }
}

template <class T>
void ThreadWarp::store_lanes(const Access& a, const int64_t* address, uint8_t* base) {
  const T* in[max_vector];
  for (int k = 0; k < a.width; ++k) in[k] = reinterpret_cast<const T*>(at(a.value[size_t(k)]));
  for (int l = 0; l < lanes_; ++l) {
    if (address[l] < 0) continue;
    for (int k = 0; k < a.width; ++k)
      std::memcpy(base + address[l] + a.delta[size_t(k)] * int64_t(sizeof(T)), &in[k][l],
                  sizeof(T));
  }
}

/// Whether the store of a lane leaves the value that `writer` stored: another lane of this store,
/// or an earlier store, whose value is in memory.
bool ThreadWarp::unchanged(const Access& a, const int64_t* address, const uint8_t* base, int lane,
                           ActorId writer) {
  const int bytes = elem_bytes(a.elem);
  const int other = int(writer) - first_thread();
  const bool together =
      other >= 0 && other < lanes_ && mask()[other] && address[other] == address[lane];
  for (int k = 0; k < a.width; ++k) {
    const uint8_t* mine = at(a.value[size_t(k)]) + lane * bytes;
    const uint8_t* theirs = together ? at(a.value[size_t(k)]) + other * bytes
                                     : base + address[lane] + a.delta[size_t(k)] * bytes;
    if (std::memcmp(mine, theirs, size_t(bytes)) != 0) return false;
  }
  return true;
}

/// Whether a lane's store changes the memory.
bool ThreadWarp::changes(const Access& a, const int64_t* address, const uint8_t* base) {
  for (int l = 0; l < lanes_; ++l)
    if (address[l] >= 0 && !unchanged(a, address, base, l, no_actor)) return true;
  return false;
}

namespace {

/// Swizzles the addresses of active lanes in place.
void swizzle_lanes(int64_t* address, int lanes, const Swizzle& s) {
  if (!s.known()) return;
  for (int l = 0; l < lanes; ++l)
    if (address[l] >= 0) address[l] = swizzled(uint32_t(address[l]), s);
}

/// One component of a vector access.
Access component(const Access& a, int k) {
  Access one = a;
  one.width = 1;
  one.base += a.delta[size_t(k)];
  one.value[0] = a.value[size_t(k)];
  if (!a.marks.empty()) one.marks = {a.marks[size_t(k)]};
  one.delta[0] = 0;
  one.contiguous = true;
  return one;
}

/// Whether the swizzle separates components of a vector.
bool crosses_granule(const Access& a, const int64_t* address, int lanes, const Swizzle& s) {
  if (!s.known() || a.width == 1) return false;
  if (!a.contiguous) return true;
  const int64_t n = elem_bytes(a.elem) * a.width;
  for (int l = 0; l < lanes; ++l)
    if (address[l] >= 0 && address[l] % s.granule + n > s.granule) return true;
  return false;
}

}  // namespace

void ThreadWarp::load(const Access& a, const Instr& instr) {
  int64_t address[max_lanes];
  addresses(a, instr, address);
  const MemoryInfo& info = block_.image.memories[size_t(a.memory)];
  if (crosses_granule(a, address, lanes_, info.swizzle)) {
    for (int k = 0; k < a.width; ++k) load(component(a, k), instr);
    return;
  }
  swizzle_lanes(address, lanes_, info.swizzle);
  const uint8_t* base =
      info.shared ? block_.arena.data() : block_.launch.memories[size_t(a.memory)].base;
  touched(a, AccessKind::read, address);
  move_marks(a, address, false);
  with_word(elem_bytes(a.elem), [&]<class T>(T) { load_lanes<T>(a, address, base); });
}

void ThreadWarp::store(const Access& a, const Instr& instr) {
  int64_t address[max_lanes];
  addresses(a, instr, address);
  const MemoryInfo& info = block_.image.memories[size_t(a.memory)];
  if (crosses_granule(a, address, lanes_, info.swizzle)) {
    for (int k = 0; k < a.width; ++k) store(component(a, k), instr);
    return;
  }
  swizzle_lanes(address, lanes_, info.swizzle);
  uint8_t* base = info.shared ? block_.arena.data() : block_.launch.memories[size_t(a.memory)].base;
  touched(a, AccessKind::write, address,
          [&](int lane, ActorId writer) { return unchanged(a, address, base, lane, writer); });
  move_marks(a, address, true);
  if (!block_.launch.waits || changes(a, address, base)) block_.has_changed();
  const int bytes = elem_bytes(a.elem);
  with_word(bytes, [&]<class T>(T) { store_lanes<T>(a, address, base); });
  if (!block_.log()) return;
  for (int l = 0; l < lanes_; ++l)
    for (int k = 0; k < a.width && address[l] >= 0; ++k)
      block_.logged(a.memory, place(), address[l] + a.delta[size_t(k)] * bytes, bytes);
}

/// Logs what lanes have stored to elements of their array.
Step ThreadWarp::log_local(const CallSite& call) {
  if (block_.tracer()) trace_local(call);
  WriteLog* log = block_.log();
  if (!log || !call.numbers[0]) return Step::next;
  const Operand& o = call.operands[0];
  const RegArray& array = program().arrays[size_t(o.array)];
  active_lanes().for_each([&](int lane) {
    const int64_t first = o.base + (o.regs.empty() ? 0 : integer(o.regs[0], o.elem, lane));
    for (int64_t i = first; i < first + o.extents[0]; ++i) {
      if (i < 0 || i >= array.count) continue;
      const int64_t place = (int64_t(first_thread() + lane) * array.count + i) * array.bytes;
      log->wrote(span(), array.name, call.elem, false, place,
                 at(array.first + Reg(i) * array.stride) + lane * array.bytes, 1, array.bytes);
    }
  });
  return Step::next;
}

// ---- atomics

/// Byte address of an operand of one element, or of several contiguous ones, swizzled. -1 and a
/// finding if it is out of bounds, or if several elements are misaligned or cross a granule of a
/// swizzle.
int64_t ThreadWarp::element_address(const Operand& o, int lane) {
  const MemoryInfo& info = block_.image.memories[size_t(o.memory)];
  int64_t offset = o.base;
  if (o.regs[0] != no_reg) offset += integer(o.regs[0], o.wide ? Elem::i64 : Elem::i32, lane);
  const int64_t n = elem_bytes(o.elem) * (o.extents.empty() ? 1 : o.extents[0]);
  int64_t address = (info.shared ? info.at : 0) + offset * elem_bytes(o.elem);
  const auto [begin, size] = block_.bytes_of(o.memory);
  if (address < begin || address + n > begin + size) {
    if (!o.checked) outside_memory(o.memory, program().code[position()], lane, address - begin);
    return nowhere;
  }
  const bool wide = info.swizzle.known() && n > info.swizzle.granule;
  if (n > elem_bytes(o.elem) && (wide || address % n != 0)) {
    const Intrinsic what = Intrinsic(program().calls[program().code[position()].extra].what);
    Finding f = finding(FindingKind::misaligned, lane,
                        tilelab::info(what).step == tilelab::Step::atomic ? "adds" : "copies");
    f.buffer = info.name.str();
    f.detail = "byte " + std::to_string(address) + " for " + std::to_string(n) + " bytes";
    block_.report(std::move(f));
    return nowhere;
  }
  if (o.address != no_reg)
    return address + block_.located(o.memory, integer(o.address, Elem::i64, lane), *this, lane);
  return swizzled(uint32_t(address), info.swizzle) == address || !info.swizzle.known()
             ? address
             : swizzled(uint32_t(address), info.swizzle);
}

/// Lanes execute in increasing order, each with all its elements.
Step ThreadWarp::atomic(const CallSite& call) {
  const Intrinsic what = Intrinsic(call.what);
  const Operand& ref = call.operands[0];
  const int bytes = elem_bytes(ref.elem), width = int(ref.extents[0]), all = width * bytes;
  const MemoryInfo& info = block_.image.memories[size_t(ref.memory)];
  uint8_t* base =
      info.shared ? block_.arena.data() : block_.launch.memories[size_t(ref.memory)].base;
  const auto operation = operation_of(what);
  const bool reads = !operation, writes_only = operation == LaneOp::replace;
  const LaneFn fn = operation ? lane_fn(*operation, ref.elem) : nullptr;
  int64_t address[max_lanes];
  for (int l = 0; l < lanes_; ++l) address[l] = mask()[l] ? element_address(ref, l) : nowhere;
  if (writes_only) watch_written(ref.memory, AccessKind::write, active_lanes(), address, all);
  touched({ref.memory, AccessKind::atomic, Mover::atomic, all, lanes_, false, !reads}, address);
  for (int l = 0; l < lanes_; ++l) {
    for (int k = 0; k < width && address[l] >= 0; ++k) {
      uint8_t* cell = base + address[l] + k * bytes;
      uint64_t old = 0, now = 0;
      std::memcpy(&old, cell, size_t(bytes));
      if (!call.results.empty()) std::memcpy(at(call.results[0]) + l * bytes, &old, size_t(bytes));
      if (reads) continue;
      const auto value = [&](size_t i) {
        return i < call.operands.size() ? at(call.operands[i].regs[size_t(k)]) + l * bytes
                                        : nullptr;
      };
      fn(&now, &old, value(1), value(2), 1);
      if (now != old) block_.has_changed();
      std::memcpy(cell, &now, size_t(bytes));
    }
    if (block_.log() && address[l] >= 0 && !reads)
      block_.logged(ref.memory, place(), address[l], all);
  }
  if (block_.races) order_atomic(call, address);
  return Step::next;
}

// ---- findings of the runner

void ThreadWarp::out_of_bounds(const Instr& instr, int lane, int64_t index, int64_t limit) {
  const CheckSite& site = program().sites[instr.site];
  Finding f = finding(FindingKind::out_of_bounds, lane, site.write ? "writes" : "reads");
  block_.name_buffer(site, f);
  if (site.rank == 1) f.element = "[" + std::to_string(index) + "]";
  f.detail = site.rank == 1 ? "index " : "dimension " + std::to_string(site.dim) + ": index ";
  f.detail += std::to_string(index) + " is not in [0, " + std::to_string(limit) + ")";
  block_.report(std::move(f));
}

/// Reports an element offset beyond the memory, whose indices are merged into one.
void ThreadWarp::outside_memory(int32_t memory, const Instr& instr, int lane, int64_t byte) {
  bool write = instr.op == Op::store;
  if (instr.op == Op::call)
    write = operation_of(Intrinsic(program().calls[instr.extra].what)).has_value();
  Finding f = finding(FindingKind::out_of_bounds, lane, write ? "writes" : "reads");
  block_.name_buffer({memory, -1, write, 0, 1, 0, 0}, f);
  const int64_t bytes = elem_bytes(block_.image.memories[size_t(memory)].elem);
  const int64_t offset = byte < 0 ? -((-byte + bytes - 1) / bytes) : byte / bytes;
  f.detail = "element " + std::to_string(offset) + " of " +
             std::to_string(block_.bytes_of(memory).second / bytes);
  block_.report(std::move(f));
}

void ThreadWarp::unwritten(const Instr& instr, int lane) {
  const CheckSite& site = program().sites[instr.site];
  Finding f = finding(FindingKind::uninitialized, lane, "reads");
  block_.name_buffer(site, f);
  if (site.element >= 0) f.element = "[" + std::to_string(site.element) + "]";
  if (site.writer) f.related.push_back({block_.span(site.writer), "", "writes a part of it"});
  block_.report(std::move(f));
}

void ThreadWarp::zero_divisor(const Instr&, int lane) {
  block_.report(finding(FindingKind::divide_by_zero, lane, "divides by zero"));
}

void ThreadWarp::endless(const Instr&, const std::string& text) {
  Finding f = finding(FindingKind::endless, first_active(), "never ends");
  f.detail = text;
  block_.fatal(std::move(f));
}

}  // namespace tilelab::sim
