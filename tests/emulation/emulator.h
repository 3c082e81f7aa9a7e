// SPDX-License-Identifier: Apache-2.0
// Runs MUSA C on the CPU: one fibre per GPU thread, the builtins of mcc with the documented rules
// of Moore Threads hardware, delayed asynchronous effects. It checks the generated text and
// therefore shares no code with the simulator. Rules: docs/musa-emulation.md.
#pragma once

#include <cstdint>
#include <string>

#include "codegen/musa/device/tl_emu_abi.h"

namespace tilelab::emu {

struct LaunchOptions {
  /// 0: fixed order, asynchronous effects as late as possible. Otherwise a random schedule of warps
  /// and engines, reproducible by its seed.
  uint64_t seed = 0;
  /// Dynamic shared memory in bytes; accesses by engines beyond it are faults.
  unsigned smem = 0;
  /// Bytes that fill shared memory at the start of each block. 0xff: NaNs in every float type.
  unsigned char poison = 0xff;
};

struct LaunchReport {
  bool ok = true;
  std::string fault;  // what, thread, block, line of the kernel's text; then the waiting threads
  int line = 0;
};

/// Runs every block of the grid sequentially. args[i] points at parameter i of the kernel. A broken
/// rule ends the launch and is reported; nothing is thrown and nothing exits. One launch at a time
/// per module; concurrent launches wait for each other.
LaunchReport launch(const tl_emu_module& module, const std::string& kernel, tl_emu_dim grid,
                    tl_emu_dim block, void** args, const LaunchOptions& options = {});

/// A tensor descriptor. Dims in elements, strides in bytes, innermost first; `strides` has rank - 1
/// entries (the innermost is dense). Returns the reason if the hardware's rules forbid it.
std::string make_map(tl_emu_map& map, int type, int rank, void* base, const uint64_t* dims,
                     const uint64_t* strides);
/// Bytes of one element of a tensor descriptor's data type code, 0 for an unknown one.
int map_element_bytes(int type);

}  // namespace tilelab::emu
