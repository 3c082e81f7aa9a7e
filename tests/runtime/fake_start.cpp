// SPDX-License-Identifier: Apache-2.0
// A run-time compiler that starts slowly: with FAKE_GPU_SLOW_START=1 a program of nothing takes it
// 300 ms, in which it has its lock and nobody may end its library.
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
  if (std::getenv("FAKE_GPU_SLOW_START")) usleep(300'000);
  ++starts.ended;
  return 0;
}

}  // namespace tilelab::test

extern "C" __attribute__((visibility("default"))) int fake_starts() {
  return tilelab::test::starts.begun;
}
