// SPDX-License-Identifier: Apache-2.0
// Runs a Program on its lanes: masks, loops, arithmetic. The derived class implements memory and
// calls. A runner can stop at a call and resume; its state is the register file and a small stack
// of masks.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "core/sim/machine/race_clock.h"
#include "core/sim/program/program.h"

namespace tilelab::sim {

/// The effect of a call on the runner. `again`: stop here and repeat the call when resumed;
/// `after`: stop, the call is complete; `halt`: this runner never resumes.
enum class Step : uint8_t { next, again, after, halt };

/// Iteration limit of a watched loop. A kernel that needs more is not checked.
inline constexpr int64_t kMaxIterations = int64_t{1} << 22;

class LaneRunner {
 public:
  virtual ~LaneRunner() = default;

  /// `constants` from constant_lanes(program); both must outlive the runner. The register file is
  /// poisoned with 0xFF. All of the first `active` lanes start active.
  void start(const Program& program, const uint8_t* constants, int active);
  /// Restarts the same program with the first `active` lanes; registers keep their values.
  void rewind(int active);

  enum class Status : uint8_t { finished, stopped, yielded };
  /// Runs until the program ends, a call stops it, about `budget` instructions have run (checked at
  /// loops and accesses) or `interrupt` is set: yielded.
  Status run(int64_t budget, const std::atomic<bool>* interrupt);

  uint8_t* at(Reg reg) { return const_cast<uint8_t*>(base_[reg >> 31]) + (reg & ~constant_page); }
  template <class T> const T* lanes(Reg reg) { return reinterpret_cast<const T*>(at(reg)); }
  const Program& program() const { return *program_; }
  const uint8_t* mask() const { return mask_.data(); }
  bool full() const { return active_ == lanes_; }
  int active() const { return active_; }
  int first_active() const;
  LaneMask active_lanes() const;
  uint32_t position() const { return pc_; }
  const Span& span() const { return program_->places[program_->code[pc_].place]; }
  uint32_t place() const { return program_->code[pc_].place; }
  bool finished() const { return finished_; }
  /// Location of the innermost open branch or loop; 0: none.
  uint32_t branch_place() const { return frames_.empty() ? 0 : frames_.back().place; }

  /// Whether the last run() ended in a spin loop, and in which: loops are numbered as they begin.
  bool spins() const { return spins_ > 0; }
  int64_t spin() const { return spins_; }
  /// Whether it is in a further iteration of a spin loop, perhaps at a barrier.
  bool waits_on() const;
  /// Iterations of spin loops so far.
  int64_t waited() const { return waited_; }
  /// No other thread or block can end the wait: the loop counts as infinite.
  void give_up() { given_up_ = true; }

  /// A `while` with more iterations counts as infinite; 0: no limit.
  int64_t max_iterations = 0;
  /// The same for spin loops, if nothing can run in between; 0: something can.
  int64_t max_wait_iterations = 0;

  /// Arithmetic results on active lanes so far, without address arithmetic.
  int64_t lane_results = 0;

 protected:
  virtual void load(const Access& access, const Instr& instr) = 0;
  virtual void store(const Access& access, const Instr& instr) = 0;
  virtual Step call(const CallSite& call, const Instr& instr) = 0;
  /// Lane `lane` of an index is outside [0, limit).
  virtual void out_of_bounds(const Instr& instr, int lane, int64_t index, int64_t limit) = 0;
  /// Lane `lane` reads an uninitialized register.
  virtual void unwritten(const Instr&, int) {}
  virtual void zero_divisor(const Instr& instr, int lane) = 0;
  /// The loop never ends; `text`: the state that repeats. The block must end.
  virtual void endless(const Instr& instr, const std::string& text) = 0;
  /// Replaces `compute` if `traces`: reports the values of a register.
  virtual void traced(const Instr& instr) { compute(instr); }
  bool traces = false;
  /// A `lanes`, `masked`, `load_reg` or `store_reg`.
  void compute(const Instr& instr);

  /// Writes `value` (lanes of `bytes` bytes) to a register in active lanes.
  void keep(Reg reg, const void* value, int bytes);
  /// Integer lane `lane` of a register of kind i32 or i64 (or any other integer kind).
  int64_t integer(Reg reg, Elem elem, int lane) {
    switch (elem) {
      case Elem::i32: return lanes<int32_t>(reg)[lane];
      case Elem::i64:
      case Elem::u64: return lanes<int64_t>(reg)[lane];
      case Elem::u32: return lanes<uint32_t>(reg)[lane];
      case Elem::i16: return lanes<int16_t>(reg)[lane];
      case Elem::u16: return lanes<uint16_t>(reg)[lane];
      case Elem::i8: return lanes<int8_t>(reg)[lane];
      default: return lanes<uint8_t>(reg)[lane];
    }
  }
  /// From within a call: continues at instruction `to` instead of the next one.
  void jump(uint32_t to) { pc_ = to - 1; }

  int lanes_ = 32;

 private:
  struct Frame {
    bool loop = false;
    int32_t outer_loop = -1;
    int32_t saved = 0, other = 0;  // active lanes in each
    uint32_t place = 0;
  };
  void range(const Instr& instr);
  void bounds(const Instr& instr);
  void nonzero(const Instr& instr);
  void written(const Instr& instr);
  void load_register(const Instr& instr);
  void store_register(const Instr& instr);
  void masked(const Instr& instr);
  uint32_t control(const Instr& instr);
  void push(bool loop);
  uint8_t* saved(size_t frame) { return &masks_[frame * 2 * mask_.size()]; }
  uint8_t* other(size_t frame) { return &masks_[(frame * 2 + 1) * mask_.size()]; }
  int and_into(uint8_t* mask, const uint8_t* with) const;
  int and_not_into(uint8_t* mask, const uint8_t* with) const;
  void set_mask(const uint8_t* mask, int n);

  const Program* program_ = nullptr;
  const uint8_t* base_[2] = {nullptr, nullptr};
  std::vector<uint8_t> file_, scratch_, mask_, masks_;
  std::vector<Frame> frames_;
  /// Of a loop with a fate: its state after iteration `kept`, the last power of two.
  struct LoopHistory {
    int64_t count = 0, kept = 0, number = 0;
    bool waits = false;  // a spin loop after its first iteration
    std::vector<uint8_t> state;
  };
  std::vector<LoopHistory> histories_;  // by frame
  void end_if_endless(const Instr& instr, size_t frame);
  bool repeats(const Fate& fate, size_t frame);
  std::string values_text(const Fate& fate);
  int32_t loop_ = -1;  // innermost loop's frame
  int32_t active_ = 0;
  uint32_t pc_ = 0;
  int64_t spins_ = 0, begun_ = 0, waited_ = 0;  // begun_: loops
  bool finished_ = false, given_up_ = false;
};

}  // namespace tilelab::sim
