// SPDX-License-Identifier: Apache-2.0
// Interface between the fake driver and its kernels.
#pragma once

#include <mutex>
#include <string>
#include <vector>

namespace tilelab::test {

/// A kernel of an image, which a Function points to.
struct FakeKernel {
  std::string name;
  std::vector<std::string> params;  // as the text declares them
  unsigned shared = 48 << 10;       // that a launch may ask for
};
/// The kernels of a module: of generated C after "fake image", or of PTX.
struct FakeImage {
  std::vector<FakeKernel*> kernels;
};
FakeImage* read_image(const std::string& text);
FakeImage* read_ptx(const std::string& text);
/// Records a call that needs a context; what it has to answer.
int fake_enter(const char* name);

/// Whether a stream is being captured, and the thread may make no calls that graphs do not contain.
bool fake_refuses_uncaptured();

/// A compilation of an empty kernel, which a process begins with; none runs beside another.
int fake_start();
std::unique_lock<std::mutex> fake_compiling();

/// The launch of a kernel, for the test.
struct FakeLaunch {
  const char* kernel;
  unsigned grid[3], block, shared;
  int count;
  void** params;
};
using Runner = void (*)(const FakeLaunch*);

/// The kernels of a process that no test is in, a worker's; null: this one has a test's.
Runner kernels_of_worker();
/// Adds a line, with the process, to the file that FAKE_GPU_LOG names.
void log_to_file(const std::string& line);

}  // namespace tilelab::test

extern "C" {
void fake_fail(const char* call, int status, int after);
void fake_pending(int queries);
}
