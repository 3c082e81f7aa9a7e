// SPDX-License-Identifier: Apache-2.0
#include "core/sim/program/run.h"

#include <algorithm>
#include <cstring>

#include "core/ir/text/print.h"
#include "core/sim/program/hosted.h"
#include "core/support/check.h"
#include "core/support/text.h"

namespace tilelab::sim {

std::optional<LaneOp> operation_of(Intrinsic atomic) {
  constexpr std::optional<LaneOp> load;
  using enum LaneOp;
  switch (atomic) {
#define INTRINSIC(...)
#define ATOMIC(id, operands, result, update) \
  case Intrinsic::id:                        \
    return update;
#include "core/ir/intrinsics/intrinsics.def"
#undef INTRINSIC
    default: return std::nullopt;
  }
}

namespace {

/// Storage for lane arrays starts at a multiple of 64 bytes, for the vector kernels.
uint8_t* aligned(std::vector<uint8_t>& bytes) {
  auto at = reinterpret_cast<uintptr_t>(bytes.data());
  return bytes.data() + (64 - at % 64) % 64;
}

}  // namespace

std::vector<uint8_t> constant_lanes(const Program& program) {
  std::vector<uint8_t> page(program.constant_bytes + 64);
  for (const ConstantLane& c : program.constants)
    broadcast(page.data() + c.offset, &c.bits, elem_bytes(c.elem), size_t(program.lanes));
  return page;
}

void LaneRunner::start(const Program& program, const uint8_t* constants, int active) {
  program_ = &program;
  lanes_ = program.lanes;
  file_.assign(program.register_bytes + 64, 0xFF);
  scratch_.assign(size_t(lanes_) * 8 + 64, 0);
  mask_.assign(size_t(lanes_), 0);
  std::memset(mask_.data(), 1, size_t(active));
  base_[0] = aligned(file_);
  base_[1] = constants;
  frames_.clear();
  loop_ = -1;
  active_ = active;
  pc_ = 0;
  finished_ = given_up_ = false, spins_ = 0;
  lane_results = 0;
}

void LaneRunner::rewind(int active) {
  std::memset(mask_.data(), 0, mask_.size());
  std::memset(mask_.data(), 1, size_t(active));
  frames_.clear();
  loop_ = -1;
  active_ = active;
  pc_ = 0;
  finished_ = given_up_ = false, spins_ = 0;
}

int LaneRunner::first_active() const {
  const void* at = std::memchr(mask_.data(), 1, mask_.size());
  return at ? int(static_cast<const uint8_t*>(at) - mask_.data()) : -1;
}

LaneMask LaneRunner::active_lanes() const {
  if (lanes_ > 128) return {};
  LaneMask m;
  if (full()) return LaneMask::first(lanes_);
  for (int i = 0; i < lanes_; ++i)
    if (mask_[size_t(i)]) m.set(i);
  return m;
}

void LaneRunner::keep(Reg reg, const void* value, int bytes) {
  uint8_t* to = at(reg);
  if (full()) {
    std::memcpy(to, value, size_t(bytes * lanes_));
  } else {
    select_fn(bytes)(to, mask_.data(), value, to, size_t(lanes_));
  }
}

// ---- masks

/// The sum of the eight bytes.
static int sum_of_bytes(uint64_t v) {
  constexpr uint64_t kEvenBytes = 0x00FF00FF00FF00FFu;
  const uint64_t pairs = (v & kEvenBytes) + (v >> 8 & kEvenBytes);
  return int(pairs * 0x0001000100010001u >> 48);
}

/// mask &= with, or & ~with; returns the number of remaining lanes. Eight lanes at a time: the
/// bytes are 0 or 1, and a byte counts up to 255 of them.
static int and_masks(uint8_t* mask, const uint8_t* with, int n, uint64_t flip) {
  int left = 0, i = 0;
  while (i + 8 <= n) {
    uint64_t counts = 0;
    for (const int end = std::min(n - 7, i + 8 * 255); i < end; i += 8) {
      uint64_t a, b;
      std::memcpy(&a, mask + i, 8);
      std::memcpy(&b, with + i, 8);
      a &= b ^ flip;
      std::memcpy(mask + i, &a, 8);
      counts += a;
    }
    left += sum_of_bytes(counts);
  }
  for (; i < n; ++i) left += mask[i] &= uint8_t(with[i] ^ (flip & 1));
  return left;
}

int LaneRunner::and_into(uint8_t* mask, const uint8_t* with) const {
  return and_masks(mask, with, lanes_, 0);
}

int LaneRunner::and_not_into(uint8_t* mask, const uint8_t* with) const {
  return and_masks(mask, with, lanes_, 0x0101010101010101u);
}

void LaneRunner::set_mask(const uint8_t* mask, int n) {
  std::memcpy(mask_.data(), mask, mask_.size());
  active_ = n;
}

void LaneRunner::push(bool loop) {
  Frame f;
  f.loop = loop;
  f.outer_loop = loop_;
  f.place = place();
  f.saved = f.other = active_;
  frames_.push_back(f);
  if (histories_.size() >= frames_.size()) {
    LoopHistory& history = histories_[frames_.size() - 1];
    if (loop || history.waits) history = {};
  }
  if (masks_.size() < frames_.size() * 2 * mask_.size())
    masks_.resize(frames_.size() * 2 * mask_.size());
  std::memcpy(saved(frames_.size() - 1), mask_.data(), mask_.size());
  std::memcpy(other(frames_.size() - 1), mask_.data(), mask_.size());
}

/// Executes a control instruction; returns the next position.
uint32_t LaneRunner::control(const Instr& i) {
  const size_t top = frames_.size() - 1;
  switch (i.op) {
    case Op::if_: {
      push(false);
      const uint8_t* cond = at(i.a);
      Frame& f = frames_.back();
      f.other = and_not_into(other(top + 1), cond);
      if (f.other == 0) return pc_ + 1;
      active_ = and_into(mask_.data(), cond);
      return active_ ? pc_ + 1 : i.extra;
    }
    case Op::else_: set_mask(other(top), frames_[top].other); return active_ ? pc_ + 1 : i.extra;
    case Op::end_if:
      set_mask(saved(top), frames_[top].saved);
      frames_.pop_back();
      if (loop_ >= 0) active_ = and_into(mask_.data(), other(size_t(loop_)));
      return active_ ? pc_ + 1 : i.extra;
    case Op::loop:
      push(true);
      loop_ = int32_t(frames_.size()) - 1;
      return pc_ + 1;
    case Op::loop_test: {
      Frame& f = frames_[top];
      int n = and_into(other(top), at(i.a));
      if (n != active_) set_mask(other(top), n);
      f.other = n;
      return n ? pc_ + 1 : i.extra;
    }
    case Op::loop_next: {
      if (i.fn) i.fn(at(i.dst), at(i.dst), at(i.a), nullptr, size_t(lanes_));
      Frame& f = frames_[top];
      if (f.other != active_) set_mask(other(top), f.other);
      if (i.imm && active_) end_if_endless(i, top);
      return active_ ? i.extra : pc_ + 1;
    }
    case Op::break_: {
      size_t l = size_t(loop_);
      frames_[l].other = and_not_into(other(l), mask_.data());
      active_ = 0;
      std::memset(mask_.data(), 0, mask_.size());
      return i.extra;
    }
    case Op::end_loop:
      set_mask(saved(top), frames_[top].saved);
      loop_ = frames_[top].outer_loop;
      frames_.pop_back();
      return pc_ + 1;
    default: UNREACHABLE("not a control instruction");
  }
}

// ---- infinite loops

/// Whether the state that decides about the loop equals an earlier one. The state is saved after 1,
/// 2, 4, 8 ... iterations, which detects every cycle (Brent's algorithm).
bool LaneRunner::repeats(const Fate& fate, size_t frame) {
  if (histories_.size() <= frame) histories_.resize(frame + 1);
  LoopHistory& t = histories_[frame];
  if (++t.count == 1) t.number = ++begun_;
  t.waits = fate.waits && t.count > 1;  // a first iteration may be the last one
  waited_ += t.waits;
  if (!fate.known) return false;
  const size_t lanes = size_t(lanes_);
  const uint8_t* left = other(frame);
  auto each = [&](auto&& f) {
    f(left, lanes);
    for (auto [array, elem] : fate.variables)
      f(at(program_->arrays[size_t(array)].first), lanes * size_t(elem_bytes(elem)));
  };
  size_t at_byte = 0;
  bool same = !t.state.empty();
  if (same)
    each([&](const uint8_t* bytes, size_t n) {
      same = same && std::memcmp(bytes, t.state.data() + at_byte, n) == 0;
      at_byte += n;
    });
  if (same || (t.count & (t.count - 1))) return same;
  t.state.clear();
  each([&](const uint8_t* bytes, size_t n) { t.state.insert(t.state.end(), bytes, bytes + n); });
  t.kept = t.count;
  return false;
}

bool LaneRunner::waits_on() const {
  for (size_t frame = 0; frame < std::min(frames_.size(), histories_.size()); ++frame)
    if (histories_[frame].waits) return true;
  return false;
}

void LaneRunner::end_if_endless(const Instr& i, size_t frame) {
  const Fate& fate = program_->fates[size_t(i.imm - 1)];
  const bool again = repeats(fate, frame);
  const LoopHistory& history = histories_[frame];
  if (fate.waits &&
      (given_up_ || (max_wait_iterations > 0 && history.count >= max_wait_iterations))) {
    endless(i, given_up_ ? "no running thread changes what it waits for"
                         : "nothing has changed what it waits for in " +
                               plural(history.count, "iteration"));
    finished_ = true;
    return;
  }
  if (!again && (max_iterations == 0 || history.count < max_iterations)) return;
  const std::string values = values_text(fate);
  if (!again)
    endless(i, "it continues after " + plural(history.count, "iteration") +
                   (values.empty() ? "" : ", when " + values));
  else if (values.empty())
    endless(i, "nothing that its condition depends on changes");
  else
    endless(i, values + " in iteration " + std::to_string(history.count + 1) + " as in iteration " +
                   std::to_string(history.kept + 1));
  finished_ = true;
}

/// "w is 3, step is -1".
std::string LaneRunner::values_text(const Fate& fate) {
  const size_t lane = size_t(first_active());
  std::string out;
  for (auto [array, elem] : fate.variables) {
    const RegArray& variable = program_->arrays[size_t(array)];
    uint64_t bits = 0;
    std::memcpy(&bits, at(variable.first) + lane * size_t(elem_bytes(elem)),
                size_t(elem_bytes(elem)));
    out += (out.empty() ? "" : ", ") + variable.name.str() + " is " +
           (is_float(elem) ? float_text(elem, bits)
                           : std::to_string(integer(variable.first, elem, int(lane))));
  }
  return out;
}

// ---- checks and register arrays

/// A superset of the lanes of inner masks, so `bounds` may use it and checks exactly only if it
/// fails.
void LaneRunner::range(const Instr& i) {
  int64_t lo = INT64_MAX, hi = INT64_MIN;
  auto scan = [&](const auto* x) {
    for (int lane = 0; lane < lanes_; ++lane) {
      if (!mask_[size_t(lane)]) continue;
      lo = std::min<int64_t>(lo, x[lane]);
      hi = std::max<int64_t>(hi, x[lane]);
    }
  };
  if (i.elem == Elem::i32) {
    const int32_t* x = lanes<int32_t>(i.a);
    if (full()) {
      int32_t l = x[0], h = x[0];
      for (int lane = 1; lane < lanes_; ++lane) l = std::min(l, x[lane]), h = std::max(h, x[lane]);
      lo = l, hi = h;
    } else {
      scan(x);
    }
  } else {
    scan(lanes<int64_t>(i.a));
  }
  int64_t out[2] = {lo, hi};
  std::memcpy(at(i.dst), out, sizeof out);
}

void LaneRunner::bounds(const Instr& i) {
  int64_t limit = i.extra;
  if (i.b != no_reg) limit = lanes<int64_t>(i.b)[0] - limit;
  if (i.a == no_reg) {  // a constant index
    if (i.imm < 0 || i.imm >= limit) out_of_bounds(i, first_active(), i.imm, limit);
    return;
  }
  const int64_t* known = lanes<int64_t>(i.c);
  if (known[0] + i.imm >= 0 && known[1] + i.imm < limit) return;
  for (int lane = 0; lane < lanes_; ++lane) {
    if (!mask_[size_t(lane)]) continue;
    int64_t x = integer(i.a, i.elem, lane) + i.imm;
    if (x < 0 || x >= limit) out_of_bounds(i, lane, x, limit);
  }
}

void LaneRunner::nonzero(const Instr& i) {
  if (!any_zero(at(i.a), i.elem, mask_.data(), size_t(lanes_))) return;
  for (int lane = 0; lane < lanes_; ++lane)
    if (mask_[size_t(lane)] && integer(i.a, i.elem, lane) == 0) return zero_divisor(i, lane);
}

void LaneRunner::written(const Instr& i) {
  uint8_t* marks = at(i.a);
  for (int lane = 0; lane < lanes_; ++lane)
    if (mask_[size_t(lane)] && !marks[lane]) {
      unwritten(i, lane);
      marks[lane] = 1;  // report it once
    }
}

/// An out-of-bounds index was reported by its check: loads give 0 (marked as written), stores
/// nothing.
void LaneRunner::load_register(const Instr& i) {
  const RegArray& array = program_->arrays[i.extra];
  uint8_t* to = scratch_.data();
  for (int lane = 0; lane < lanes_; ++lane) {
    if (!mask_[size_t(lane)]) continue;
    int64_t index = integer(i.a, i.elem, lane);
    uint8_t* dst = to + lane * array.bytes;
    if (index < 0 || index >= array.count) {
      std::memset(dst, array.marks, size_t(array.bytes));
      continue;
    }
    std::memcpy(dst, at(array.first + Reg(index) * array.stride) + lane * array.bytes,
                size_t(array.bytes));
  }
  std::memcpy(at(i.dst), to, size_t(array.bytes * lanes_));
}

void LaneRunner::store_register(const Instr& i) {
  const RegArray& array = program_->arrays[i.extra];
  const uint8_t* from = at(i.b);
  for (int lane = 0; lane < lanes_; ++lane) {
    if (!mask_[size_t(lane)]) continue;
    int64_t index = integer(i.a, i.elem, lane);
    if (index < 0 || index >= array.count) continue;
    std::memcpy(at(array.first + Reg(index) * array.stride) + lane * array.bytes,
                from + lane * array.bytes, size_t(array.bytes));
  }
}

void LaneRunner::masked(const Instr& i) {
  const size_t n = size_t(lanes_);
  if (!i.fn) return keep(i.dst, at(i.a), i.bytes);
  if (full()) return i.fn(at(i.dst), at(i.a), at(i.b), at(i.c), n);
  i.fn(scratch_.data(), at(i.a), at(i.b), at(i.c), n);
  select_fn(i.bytes)(at(i.dst), mask_.data(), scratch_.data(), at(i.dst), n);
}

void LaneRunner::compute(const Instr& i) {
  switch (i.op) {
    case Op::lanes: return i.fn(at(i.dst), at(i.a), at(i.b), at(i.c), size_t(lanes_));
    case Op::masked: return masked(i);
    case Op::load_reg: return load_register(i);
    case Op::store_reg: return store_register(i);
    default: UNREACHABLE("no computation");
  }
}

/// Cost of an iteration of a spin loop, so that other blocks run soon.
constexpr int64_t kSpinCost = 1 << 14;

LaneRunner::Status LaneRunner::run(int64_t budget, const std::atomic<bool>* interrupt) {
  const size_t n = size_t(lanes_);
  const Instr* code = program_->code.data();
  spins_ = 0;
  for (;;) {
    const Instr& i = code[pc_];
    switch (i.op) {
      case Op::lanes:
        if (traces) [[unlikely]]
          traced(i);
        else
          i.fn(at(i.dst), at(i.a), at(i.b), at(i.c), n);
        if (i.counted) lane_results += active_;
        break;
      case Op::masked:
        traces ? traced(i) : masked(i);
        if (i.counted) lane_results += active_;
        break;
      case Op::range: range(i); break;
      case Op::bounds: bounds(i); break;
      case Op::written: written(i); break;
      case Op::nonzero: nonzero(i); break;
      case Op::load:
      case Op::store:  // a schedule may switch between any two accesses
        i.op == Op::load ? load(program_->accesses[i.extra], i)
                         : store(program_->accesses[i.extra], i);
        if (--budget > 0) break;
        ++pc_;
        return Status::yielded;
      case Op::load_reg:
      case Op::store_reg: traces ? traced(i) : compute(i); break;
      case Op::call: {
        budget -= !i.for_watchers;
        const CallSite& site = program_->calls[i.extra];
        const bool of_user = site.what == call_hosted;
        if (of_user) run_hosted(*this, site);
        Step step = of_user ? Step::next : call(site, i);
        if (step == Step::next && interrupt && interrupt->load(std::memory_order_relaxed)) {
          ++pc_;  // a call may take long: many lanes may copy many boxes
          return Status::yielded;
        }
        if (step == Step::next) break;
        if (step == Step::again) return Status::stopped;
        if (step == Step::after) {
          ++pc_;
          return Status::stopped;
        }
        finished_ = true;
        return Status::finished;
      }
      case Op::end: finished_ = true; return Status::finished;
      case Op::loop_next: {
        const bool waits = i.imm && program_->fates[size_t(i.imm - 1)].waits;
        budget -= waits ? kSpinCost : 16;
        pc_ = control(i);
        if (finished_) return Status::finished;
        if (budget <= 0 || (interrupt && interrupt->load(std::memory_order_relaxed))) {
          if (const size_t top = frames_.size() - 1; waits && active_ > 0 && histories_[top].waits)
            spins_ = histories_[top].number;
          return Status::yielded;
        }
        continue;
      }
      default: pc_ = control(i); continue;
    }
    ++pc_;
  }
}

}  // namespace tilelab::sim
