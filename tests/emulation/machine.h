// SPDX-License-Identifier: Apache-2.0
// The emulated block: fibres, barriers, queues of issued operations that have not taken effect.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "tests/emulation/emulator.h"
#include "tests/emulation/fibre.h"

namespace tilelab::emu {

enum class State : uint8_t { ready, block_sync, bar_wait, warp_op, done };

struct CopyToShared {
  void* dst;
  const void* src;
  int bytes;
};

/// A pending tile or dense run of bytes of the copy engine.
struct EngineJob {
  tl_emu_tile tile;  // its map may point to freed memory when the job runs: a copy is below
  tl_emu_map map{};
  int line = 0;
};

struct Lane {
  Context context;
  State state = State::ready;
  tl_emu_dim index{};
  int line = 0;  // of the call at which it waits
  int op = 0, operand = 0;
  unsigned value = 0;  // operand and result of a warp operation
  std::vector<CopyToShared> copies;
  std::vector<tl_emu_sqmma> products;
  const tl_emu_mma* matrix = nullptr;  // of the current warp operation
  std::vector<EngineJob> stores;
  size_t committed = 0;  // leading entries of `stores` in closed groups
};

struct Barrier {
  bool ready = false;    // initialized
  bool visible = false;  // and a full block sync has followed
  int count = 0, pending = 0, phase = 0, owner = 0;
  long bytes = 0;
};

/// For a matrix instruction's operand type: bytes of an element (0: not emulated), its value.
int operand_bytes(int type);
float operand_value(const unsigned char* p, int type);

/// tl_emu_machine is its first part: a kernel's calls pass a pointer to it.
class Machine : public tl_emu_machine {
 public:
  Machine(const tl_emu_module& module, const LaunchOptions& options);
  /// False if the block ended with a fault.
  bool run_block(void (*kernel)(void**), void** args);
  LaunchReport report;

  // Called by the kernel, on the stack of the running fibre.
  void on_block_sync(bool full);
  unsigned on_warp(int op, unsigned value, int operand);
  void on_bar(int op, int id, int arg);
  void on_copy(void* dst, const void* src, int bytes);
  void on_tile(const tl_emu_tile& tile);
  void on_product(const tl_emu_sqmma& product);
  void on_matrix(const tl_emu_mma& product);
  void on_commit(int queue);
  void on_wait(int queue);
  /// Ends the launch: does not return to the calling fibre.
  [[noreturn]] void fault_here(std::string what);
  /// From a signal handler: the kernel accessed unmapped memory.
  [[noreturn]] void bad_access(const void* address);
  bool running() const { return current_ >= 0; }

 private:
  void start_lanes(void (*kernel)(void**), void** args);
  static void lane_main(void* self);
  void park(State state);
  void resume(int lane);
  bool run_warp(int first);
  std::vector<int> lanes_at_call_of(int lane, int first) const;
  bool execute_warp_ops(int first, bool stalled);
  void execute(const std::vector<int>& group);
  bool shuffle(const std::vector<int>& group);
  void vote(const std::vector<int>& group);
  bool release_block_sync();
  bool run_engine();
  void note_deadlock();
  std::string waiting_lanes() const;
  void finish_block();
  void note(const std::string& what, int line, int lane);

  Barrier& barrier(int id);
  void arrive(int id);
  void flip_if_complete(Barrier& b);
  void run_job(const EngineJob& job);
  void move_tile(const EngineJob& job);
  void multiply(int lane, const tl_emu_sqmma& p);
  void multiply(const std::vector<int>& warp);
  unsigned shared_offset(const void* p, long bytes, const char* what);

  const tl_emu_module& module_;
  const LaunchOptions options_;
  std::mt19937_64 random_;
  Stacks stacks_;
  std::vector<Lane> lanes_;
  Barrier barriers_[64];
  int recorded_ = 0;
  std::vector<EngineJob> engine_;
  Context scheduler_;
  int current_ = -1;
  bool failed_ = false;
  void (*kernel_)(void**) = nullptr;
  void** args_ = nullptr;
  std::vector<float> scratch_a_, scratch_b_;
};

}  // namespace tilelab::emu
