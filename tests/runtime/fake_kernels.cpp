// SPDX-License-Identifier: Apache-2.0
// Kernels of the fake GPU where it is a worker's: no function of Python is there to play them.
#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "codegen/events.h"
#include "tests/runtime/fake_gpu.h"

namespace tilelab::test {
namespace {

template <class T> T parameter(const FakeLaunch& launch, int i) {
  T value;
  std::memcpy(&value, launch.params[i], sizeof value);
  return value;
}

/// scaled of gpu_case.py.
void scaled(const FakeLaunch& launch) {
  const auto* from = parameter<const float*>(launch, 0);
  auto* to = parameter<float*>(launch, 2);
  const auto factor = parameter<float>(launch, 1);
  for (int i = 0, count = parameter<int>(launch, 3) * 24; i < count; ++i) to[i] = from[i] * factor;
}

/// Block b prints its element; one that is 3 or more fails an assertion of the same thread.
void speaks(const FakeLaunch& launch) {
  const auto* elements = parameter<const float*>(launch, 0);
  auto* ring = parameter<codegen::EventRing*>(launch, 1);
  auto* events = reinterpret_cast<codegen::Event*>(ring + 1);
  for (unsigned block = 0; block < launch.grid[0]; ++block)
    for (uint16_t kind : {0, 1}) {
      if (kind == 1 && elements[block] < 3) continue;
      codegen::Event& event = events[ring->written++];
      event = {kind, kind, 1, {block, 0, 0}, {0, 0, 0}, {}};
      std::memcpy(event.value, &elements[block], sizeof(float));
      ring->failed += kind;
    }
}

/// The effect of a kernel by its name.
void play(const FakeLaunch* launch) {
  constexpr int kIllegalAddress = 700, kLaunchFailed = 719;
  const std::string_view kernel = launch->kernel;
  if (kernel == "scaled_k0") scaled(*launch);
  if (kernel == "speaks_k0") speaks(*launch);
  if (kernel == "wild_k0") fake_fail("StreamQuery", kIllegalAddress, 0);
  if (kernel == "traps_k0") fake_fail("StreamQuery", kLaunchFailed, 0);
  if (kernel == "endless_k0") fake_pending(-1);
  if (kernel == "stuck_k0") pause();  // the driver does not come back
  if (kernel == "crash_k0") raise(SIGSEGV);
}

}  // namespace

Runner kernels_of_worker() { return std::getenv("FAKE_GPU_OF_WORKER") ? &play : nullptr; }

void log_to_file(const std::string& line) {
  const char* path = std::getenv("FAKE_GPU_LOG");
  std::FILE* file = path ? std::fopen(path, "a") : nullptr;
  if (!file) return;
  std::fprintf(file, "%d %s\n", int(getpid()), line.c_str());
  std::fclose(file);
}

}  // namespace tilelab::test
