// SPDX-License-Identifier: Apache-2.0
// The scheduler of the emulation: selects the running fibre, executes warp operations, tracks
// waits.
#include <algorithm>

#include "tests/emulation/machine.h"

namespace tilelab::emu {

void Machine::start_lanes(void (*kernel)(void**), void** args) {
  const int count = int(block_dim.x * block_dim.y * block_dim.z);
  stacks_.reserve(count);
  lanes_.resize(count);
  kernel_ = kernel;
  args_ = args;
  for (int i = 0; i < count; ++i) {
    Lane& lane = lanes_[i];
    lane.state = State::ready;
    lane.copies.clear();
    lane.products.clear();
    lane.stores.clear();
    lane.committed = 0;
    lane.line = 0;
    lane.index = {i % block_dim.x, i / block_dim.x % block_dim.y, i / (block_dim.x * block_dim.y)};
    stacks_.start(i, lane.context, &Machine::lane_main, this);
  }
  for (Barrier& b : barriers_) b = Barrier{};
  recorded_ = 0;
  engine_.clear();
  failed_ = false;
  std::fill(module_.arena, module_.arena + module_.arena_bytes, options_.poison);
}

void Machine::lane_main(void* self) {
  auto* machine = static_cast<Machine*>(self);
  machine->kernel_(machine->args_);
  machine->park(State::done);
}

void Machine::park(State state) {
  Lane& lane = lanes_[current_];
  lane.state = state;
  lane.line = line;
  switch_context(lane.context, scheduler_);
}

void Machine::resume(int i) {
  current_ = i;
  thread = lanes_[i].index;
  lanes_[i].state = State::ready;
  switch_context(scheduler_, lanes_[i].context);
  current_ = -1;
}

bool Machine::run_block(void (*kernel)(void**), void** args) {
  start_lanes(kernel, args);
  const int count = int(lanes_.size()), width = module_.warp_size;
  std::vector<int> order;
  for (int first = 0; first < count; first += width) order.push_back(first);
  while (!failed_) {
    bool progress = false;
    if (options_.seed) std::shuffle(order.begin(), order.end(), random_);
    for (int first : order) {
      progress |= run_warp(first);
      if (failed_) return false;
      if (options_.seed && random_() % 8 == 0) progress |= run_engine();
    }
    if (std::all_of(lanes_.begin(), lanes_.end(),
                    [](const Lane& l) { return l.state == State::done; }))
      break;
    progress |= release_block_sync();
    if (progress || failed_) continue;
    if (run_engine()) continue;
    for (int first : order) progress |= execute_warp_ops(first, true);
    if (!progress) note_deadlock();
  }
  if (!failed_) finish_block();
  return !failed_;
}

/// Runs the lanes of one warp until each waits or has ended, then the collective they wait for.
bool Machine::run_warp(int first) {
  const int last = std::min(first + module_.warp_size, int(lanes_.size()));
  bool progress = false;
  for (int i = first; i < last; ++i) {
    Lane& lane = lanes_[i];
    const bool released = lane.state == State::bar_wait && barriers_[lane.operand].phase != lane.op;
    if (lane.state != State::ready && !released) continue;
    resume(i);
    if (failed_) return true;
    progress = true;
  }
  return execute_warp_ops(first, false) || progress;
}

/// The lanes of a warp, from `first` on, that are at the same call as `lane`: one instruction.
std::vector<int> Machine::lanes_at_call_of(int lane, int first) const {
  const Lane& leader = lanes_[lane];
  std::vector<int> group;
  for (int i = first; i < std::min(first + module_.warp_size, int(lanes_.size())); ++i) {
    const Lane& l = lanes_[i];
    if (l.state == State::warp_op && l.line == leader.line && l.op == leader.op &&
        (l.op != TL_EMU_ARRIVE || l.operand == leader.operand))
      group.push_back(i);
  }
  return group;
}

/// Operations of a warp need every active lane. An arrival counts once for the lanes present, but
/// the others may still reach the same one, since a warp reconverges after an if: an arrival of
/// some lanes is postponed until nothing else can run (`stalled`), and then those at the earliest
/// line arrive first.
bool Machine::execute_warp_ops(int first, bool stalled) {
  const int last = std::min(first + module_.warp_size, int(lanes_.size()));
  int live = 0, earliest = -1;
  for (int i = first; i < last; ++i) live += lanes_[i].state != State::done;
  for (int i = first; i < last && !failed_; ++i) {
    if (lanes_[i].state != State::warp_op) continue;
    const std::vector<int> group = lanes_at_call_of(i, first);
    if (int(group.size()) == live) {
      for (int j : group) lanes_[j].state = State::ready;
      execute(group);
      return true;
    }
    const bool arrives = lanes_[i].op == TL_EMU_ARRIVE;
    if (arrives && (earliest < 0 || lanes_[i].line < lanes_[earliest].line)) earliest = i;
  }
  if (!stalled || earliest < 0 || failed_) return false;
  const std::vector<int> group = lanes_at_call_of(earliest, first);
  for (int j : group) lanes_[j].state = State::ready;
  execute(group);
  return true;
}

void Machine::execute(const std::vector<int>& group) {
  const Lane& leader = lanes_[group[0]];
  switch (leader.op) {
    case TL_EMU_ARRIVE: {
      const int id = leader.operand;
      for (int j : group) lanes_[j].value = unsigned(barriers_[id].phase);
      line = leader.line;
      current_ = group[0];
      arrive(id);
      current_ = -1;
      break;
    }
    case TL_EMU_ANY:
    case TL_EMU_ALL:
    case TL_EMU_BALLOT: vote(group); break;
    case TL_EMU_WARP_SYNC: break;
    case TL_EMU_MATRIX: multiply(group); break;
    default: shuffle(group);
  }
}

void Machine::vote(const std::vector<int>& group) {
  unsigned mask = 0;
  bool any = false, all = true;
  for (int j : group) {
    const bool mine = lanes_[j].value != 0;
    any |= mine;
    all &= mine;
    if (mine) mask |= 1u << j % module_.warp_size % 32;  // 32 lanes: others have no ballot
  }
  for (int j : group) {
    Lane& lane = lanes_[j];
    lane.value = lane.op == TL_EMU_BALLOT ? mask : lane.op == TL_EMU_ANY ? any : all;
  }
}

bool Machine::shuffle(const std::vector<int>& group) {
  const int width = module_.warp_size, first = group[0] / width * width;
  std::vector<unsigned> given(width);
  std::vector<bool> there(width);
  for (int j : group) {
    given[j - first] = lanes_[j].value;
    there[j - first] = true;
  }
  for (int j : group) {
    Lane& lane = lanes_[j];
    const int self = j - first;
    const int operand = lane.operand & (width - 1);  // the hardware uses only these bits
    int source = operand;
    if (lane.op == TL_EMU_SHFL_XOR) source = self ^ operand;
    if (lane.op == TL_EMU_SHFL_UP) source = self - operand;
    if (lane.op == TL_EMU_SHFL_DOWN) source = self + operand;
    if (source < 0 || source >= width) source = self;
    if (lane.op != TL_EMU_SHFL && lane.operand != lanes_[group[0]].operand) {
      note("lanes of one warp shuffle by different distances", lane.line, j);
      return false;
    }
    if (!there[source]) {
      note("a shuffle reads lane " + std::to_string(source) + ", which has left the kernel",
           lane.line, j);
      return false;
    }
    lane.value = given[source];
  }
  return true;
}

bool Machine::release_block_sync() {
  bool any = false;
  for (const Lane& lane : lanes_) {
    if (lane.state == State::done) continue;
    if (lane.state != State::block_sync) return false;
    any = true;
  }
  if (!any) return false;
  bool full = true;
  for (Lane& lane : lanes_) {
    if (lane.state != State::block_sync) continue;
    full &= lane.op != 0;
    lane.state = State::ready;
  }
  if (full)
    for (Barrier& b : barriers_) b.visible = b.ready;
  return true;
}

void Machine::note(const std::string& what, int at, int lane) {
  if (failed_) return;
  failed_ = true;
  report.ok = false;
  report.line = at;
  report.fault = what;
  if (at) report.fault += "; line " + std::to_string(at);
  if (lane >= 0) {
    const tl_emu_dim t = lanes_[lane].index;
    report.fault += "; thread " + std::to_string(t.x);
    if (block_dim.y * block_dim.z > 1)
      report.fault += ", " + std::to_string(t.y) + ", " + std::to_string(t.z);
  }
  report.fault += "; block " + std::to_string(block.x) + ", " + std::to_string(block.y) + ", " +
                  std::to_string(block.z);
}

void Machine::fault_here(std::string what) {
  {
    const std::string text = std::move(what);  // nothing on an abandoned stack may own memory
    note(text, line, current_);
  }
  Context abandoned;
  switch_context(abandoned, scheduler_);
  __builtin_unreachable();
}

void Machine::note_deadlock() {
  const int at = [&] {
    for (const Lane& lane : lanes_)
      if (lane.state != State::done) return lane.line;
    return 0;
  }();
  note("deadlock", at, -1);
  report.fault += waiting_lanes();
}

/// One line per set of lanes of a warp that wait at the same call.
std::string Machine::waiting_lanes() const {
  std::string text;
  const int width = module_.warp_size;
  for (size_t i = 0; i < lanes_.size();) {
    const Lane& a = lanes_[i];
    size_t j = i + 1;
    auto same = [&](const Lane& b) {
      return a.state == b.state && a.line == b.line &&
             (a.state != State::bar_wait || a.operand == b.operand);
    };
    while (j < lanes_.size() && j / width == i / width && same(lanes_[j])) ++j;
    if (a.state != State::done) {
      text += "\n  threads " + std::to_string(i) + ".." + std::to_string(j - 1) + ", line " +
              std::to_string(a.line) + ": ";
      if (a.state == State::block_sync) text += "wait for the block";
      if (a.state == State::warp_op) text += "wait for the other lanes of their warp";
      if (a.state == State::bar_wait) {
        const Barrier& b = barriers_[a.operand];
        text += "wait for barrier " + std::to_string(a.operand) + ", phase " +
                std::to_string(b.phase) + ", " + std::to_string(b.pending) + " of " +
                std::to_string(b.count) + " arrivals and " + std::to_string(b.bytes) +
                " bytes pending";
      }
    }
    i = j;
  }
  return text;
}

/// No operation may be pending when a block ends: its shared memory is reused.
void Machine::finish_block() {
  for (int i = 0; i < int(lanes_.size()); ++i) {
    const Lane& lane = lanes_[i];
    if (!lane.copies.empty()) return note("copies to shared memory were never waited for", 0, i);
    if (!lane.products.empty()) return note("matrix products were never waited for", 0, i);
    if (!lane.stores.empty()) return note("stores from shared memory were never waited for", 0, i);
  }
  if (!engine_.empty()) return note("a loaded tile is never waited for", engine_.front().line, -1);
  for (int id = 1; id < 64; ++id) {
    const Barrier& b = barriers_[id];
    if (b.ready && b.bytes != 0)
      return note("barrier " + std::to_string(id) + " ends with " + std::to_string(b.bytes) +
                      " bytes pending",
                  0, -1);
    // Phases that have begun must complete: otherwise the count differs from the arriving warps.
    if (b.ready && b.pending != b.count)
      return note("barrier " + std::to_string(id) + " ends within a phase, after " +
                      std::to_string(b.count - b.pending) + " of " + std::to_string(b.count) +
                      " arrivals",
                  0, -1);
  }
}

}  // namespace tilelab::emu
