// SPDX-License-Identifier: Apache-2.0
// A run-time compiler that starts slowly: an empty kernel takes it FAKE_GPU_SLOW_START
// milliseconds, in which it has its lock and no one may unload its library.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/runtime/fake_gpu.h"

namespace tilelab::test {
namespace {

struct Starts {
  std::mutex compiling;
  int begun = 0, ended = 0;
  ~Starts() {
    if (begun == ended) return;
    std::fputs("the compiler's library was ended at work\n", stderr);
    _exit(3);
  }
} starts;

}  // namespace

std::unique_lock<std::mutex> fake_compiling() { return std::unique_lock(starts.compiling); }

int fake_start() {
  const auto lock = fake_compiling();
  ++starts.begun;
  if (const char* slow = std::getenv("FAKE_GPU_SLOW_START")) usleep(1000 * std::atoi(slow));
  ++starts.ended;
  return 0;
}

}  // namespace tilelab::test

extern "C" __attribute__((visibility("default"))) int fake_starts() {
  return tilelab::test::starts.ended;
}
