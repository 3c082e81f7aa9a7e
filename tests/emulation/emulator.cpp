// SPDX-License-Identifier: Apache-2.0
// Entry points of the emulation: the calls of a kernel, and a launch over a grid.
#include "tests/emulation/emulator.h"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "core/sim/lanes/lanes.h"
#include "tests/emulation/machine.h"

namespace tilelab::emu {

namespace {
Machine& of(tl_emu_machine* m) { return *static_cast<Machine*>(m); }

template <class T> T function_of(int which, T x, T y) {
  static constexpr sim::LaneOp kOps[] = {
#define TL_EMU_NAME(name) sim::LaneOp::name,
      TL_EMU_FUNCTIONS1(TL_EMU_NAME) TL_EMU_FUNCTIONS2(TL_EMU_NAME)
#undef TL_EMU_NAME
  };
  T out;
  sim::lane_fn(kOps[which], sizeof(T) == 4 ? DType::f32 : DType::f64)(&out, &x, &y, nullptr, 1);
  return out;
}
}  // namespace

Machine::Machine(const tl_emu_module& module, const LaunchOptions& options)
    : tl_emu_machine{}, module_(module), options_(options), random_(options.seed) {
  block_sync = [](tl_emu_machine* m, int full) { of(m).on_block_sync(full != 0); };
  warp = [](tl_emu_machine* m, int op, unsigned value, int operand) {
    return of(m).on_warp(op, value, operand);
  };
  bar = [](tl_emu_machine* m, int op, int id, int arg) { of(m).on_bar(op, id, arg); };
  g2s = [](tl_emu_machine* m, void* d, const void* s, int n) { of(m).on_copy(d, s, n); };
  tile = [](tl_emu_machine* m, const tl_emu_tile* t) { of(m).on_tile(*t); };
  sqmma = [](tl_emu_machine* m, const tl_emu_sqmma* p) { of(m).on_product(*p); };
  mma = [](tl_emu_machine* m, const tl_emu_mma* p) { of(m).on_matrix(*p); };
  commit = [](tl_emu_machine* m, int queue) { of(m).on_commit(queue); };
  wait = [](tl_emu_machine* m, int queue) { of(m).on_wait(queue); };
  fault = [](tl_emu_machine* m, const char* what) { of(m).fault_here(what); };
  function = function_of<float>;
  function_wide = function_of<double>;
}

void Machine::on_block_sync(bool full) {
  lanes_[current_].op = full;
  park(State::block_sync);
}

unsigned Machine::on_warp(int op, unsigned value, int operand) {
  if (op == TL_EMU_ARRIVE) barrier(operand);
  Lane& lane = lanes_[current_];
  lane.op = op;
  lane.operand = operand;
  lane.value = value;
  park(State::warp_op);
  return lane.value;
}

Barrier& Machine::barrier(int id) {
  const std::string name = "barrier " + std::to_string(id);
  if (id < 1 || id > 63) fault_here(name + " does not exist: ids are 1..63");
  if (id > recorded_) fault_here(name + " was not reserved");
  Barrier& b = barriers_[id];
  if (!b.ready) fault_here(name + " is used before it is initialized");
  if (!b.visible && b.owner != current_)
    fault_here(name + " is used before a full block sync follows its initialization");
  return b;
}

void Machine::on_bar(int op, int id, int arg) {
  if (op == TL_EMU_RECORD) {
    if (id < 0 || id > 63) fault_here("a block has 63 barriers");
    if (recorded_ && recorded_ != id) fault_here("barriers are reserved twice");
    recorded_ = id;
  } else if (op == TL_EMU_INIT) {
    const std::string name = "barrier " + std::to_string(id);
    if (id < 1 || id > 63) fault_here(name + " does not exist: ids are 1..63");
    if (id > recorded_) fault_here(name + " was not reserved");
    if (barriers_[id].ready) fault_here(name + " is initialized twice");
    const int warps = arg / 2,
              most = int(lanes_.size() + module_.warp_size - 1) / module_.warp_size;
    if (warps < 1 || warps > most)
      fault_here(name + " expects " + std::to_string(warps) + " warps of a block that has " +
                 std::to_string(most));
    barriers_[id] = {true, false, warps, warps, arg % 2, current_, 0};
  } else if (op == TL_EMU_EXPECT) {
    if (arg < 0) fault_here("negative number of bytes");
    barrier(id).bytes += arg;
  } else if (barrier(id).phase == arg) {
    lanes_[current_].operand = id;
    lanes_[current_].op = arg;
    park(State::bar_wait);
  }
}

void Machine::arrive(int id) {
  Barrier& b = barriers_[id];
  if (--b.pending < 0)
    note("barrier " + std::to_string(id) + ": one more arrival than the " +
             std::to_string(b.count) + " it expects",
         line, current_);
  flip_if_complete(b);
}

void Machine::flip_if_complete(Barrier& b) {
  if (b.pending != 0 || b.bytes != 0) return;
  b.phase ^= 1;
  b.pending = b.count;
}

namespace {

std::mutex running_mutex;  // a module has one arena, the process one signal handler
Machine* running_machine = nullptr;

void on_signal(int, siginfo_t* info, void*) {
  if (!running_machine || !running_machine->running()) {
    std::signal(SIGSEGV, SIG_DFL);
    std::signal(SIGBUS, SIG_DFL);
    return;  // not the kernel's: repeats and ends the process as usual
  }
  running_machine->bad_access(info->si_addr);
}

/// Turns bad accesses of the kernel into faults during its lifetime. Uses a separate stack, since
/// that of a fibre may have overflowed.
class SignalGuard {
 public:
  explicit SignalGuard(Machine& machine) {
    running_machine = &machine;
    stack_t mine{};
    mine.ss_sp = stack_;
    mine.ss_size = sizeof stack_;
    sigaltstack(&mine, &old_stack_);
    struct sigaction action {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(SIGSEGV, &action, &old_segv_);
    sigaction(SIGBUS, &action, &old_bus_);
  }
  ~SignalGuard() {
    sigaction(SIGSEGV, &old_segv_, nullptr);
    sigaction(SIGBUS, &old_bus_, nullptr);
    sigaltstack(&old_stack_, nullptr);
    running_machine = nullptr;
  }

 private:
  alignas(16) char stack_[32 << 10];
  stack_t old_stack_{};
  struct sigaction old_segv_ {
  }, old_bus_{};
};

bool all_zero(const tl_emu_dim& d) { return !d.x || !d.y || !d.z; }

}  // namespace

void Machine::bad_access(const void* address) {
  char text[64];
  std::snprintf(text, sizeof text, "access to unmapped memory at %p, after", address);
  fault_here(text);
}

LaunchReport launch(const tl_emu_module& module, const std::string& name, tl_emu_dim grid,
                    tl_emu_dim block, void** args, const LaunchOptions& options) {
  LaunchReport refused;
  refused.ok = false;
  const tl_emu_kernel* kernel = nullptr;
  for (int i = 0; i < module.kernel_count; ++i)
    if (name == module.kernels[i].name) kernel = &module.kernels[i];
  if (!kernel)
    refused.fault = "no kernel " + name;
  else if (options.smem > module.arena_bytes)
    refused.fault = "the block wants " + std::to_string(options.smem) +
                    " bytes of shared memory; there are " + std::to_string(module.arena_bytes);
  else if (all_zero(block) || uint64_t(block.x) * block.y * block.z > 1024)
    refused.fault = "a block has 1 to 1024 threads";
  if (!refused.fault.empty()) return refused;

  std::lock_guard<std::mutex> lock(running_mutex);
  Machine machine(module, options);
  *module.machine = &machine;
  machine.grid_dim = grid;
  machine.block_dim = block;
  SignalGuard guard(machine);
  for (unsigned z = 0; z < grid.z; ++z)
    for (unsigned y = 0; y < grid.y; ++y)
      for (unsigned x = 0; x < grid.x; ++x) {
        machine.block = {x, y, z};
        if (!machine.run_block(kernel->run, args)) return machine.report;
      }
  return machine.report;
}

}  // namespace tilelab::emu
