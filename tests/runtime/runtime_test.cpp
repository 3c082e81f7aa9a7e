// SPDX-License-Identifier: Apache-2.0
// The runtime below Python: the driver's table, plans, what is kept on disk.
#include <dlfcn.h>
#include <sys/stat.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "runtime/cache.h"
#include "runtime/function.h"
#include "tests/codegen/flat_ir.h"
#include "tests/unit/test.h"

namespace tilelab::test {
namespace {

using namespace runtime;

TEST(driver_table_of_two_vendors) {
  constexpr DriverSource kSources[] = {
      {"cuda", "cu", TILELAB_FAKE_CUDA, "TILELAB_NO_SUCH_VARIABLE"},
      {"musa", "mu", TILELAB_FAKE_MUSA, "TILELAB_NO_SUCH_VARIABLE"}};
  for (const DriverSource& source : kSources) {
    std::string problem;
    const auto driver = Driver::open(source, &problem);
    EXPECT_EQ(problem, "");
    if (!driver) continue;
    int devices = 0;
    EXPECT_EQ(driver->init(0), 0);
    EXPECT_EQ(driver->device_count(&devices), 0);
    EXPECT_EQ(devices, 1);
    EXPECT_EQ(driver->said(700),
              "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)");
  }
}

TEST(a_driver_without_a_function) {
  constexpr DriverSource kOther{"cuda", "mu", TILELAB_FAKE_CUDA, "TILELAB_NO_SUCH_VARIABLE"};
  std::string problem;
  EXPECT(!Driver::open(kOther, &problem));
  EXPECT_EQ(problem, "the driver is too old: it has no muInit");
}

TEST(calls_are_repeated_only_where_nothing_is_new) {
  setenv("TILELAB_CUDA_DRIVER", TILELAB_FAKE_CUDA, 1);
  setenv("TILELAB_NVRTC", TILELAB_FAKE_CUDA, 1);
  setenv("TILELANG_DISABLE_CACHE", "1", 1);
  Diagnostics sink;
  Func func = flat_add();
  func.target = "sm_90a";
  const auto function = DeviceFunction::make(make(std::move(func)), sink,
                                             [](const std::string& text) { return text; });
  EXPECT(sink.empty());
  Device& device = Device::of(cuda(), 0);
  device.enter();
  const DeviceMemory memory(device, 4096);
  void* const at = reinterpret_cast<void*>(memory.address());
  const int64_t stride = 1;
  auto repeat = [&](int64_t n, void* first) {
    const Value tensor{true, 0, at, 4 * n, 1, &n, &stride};
    Value values[] = {tensor, tensor, tensor};
    values[0].data = first;
    std::optional<Failure> failure;
    const bool done = function->repeat(0, values, nullptr, &failure);
    EXPECT(!failure);
    return done;
  };
  EXPECT(!repeat(1000, at));  // never loaded
  std::vector<Given> given(3, {sim::tensor_argument(DType::f32, {1000}, at)});
  for (Given& one : given) one.argument.strides = {1}, one.argument.bytes = 4000;
  const Outcome outcome = function->run(cuda(), 0, given, {});
  EXPECT(!outcome.failure);
  EXPECT_EQ(outcome.result.error, "");
  EXPECT(repeat(1000, at));
  EXPECT(repeat(1000, static_cast<char*>(at) + 16));  // another address
  EXPECT(!repeat(1000, static_cast<char*>(at) + 4));  // misplaced
  EXPECT(!repeat(999, at));                           // another size
}

TEST(kept_images_are_whole_or_absent) {
  char directory[] = "/tmp/tilelab-cache-XXXXXX";
  EXPECT(mkdtemp(directory) != nullptr);
  unsetenv("TILELANG_DISABLE_CACHE");
  setenv("TILELAB_CACHE_DIR", (std::string(directory) + "/new/deep").c_str(), 1);
  EXPECT(!cached("key"));
  std::atomic<int> found{0}, wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const std::string image(100000, char('a' + t));
      for (int i = 0; i < 50; ++i) {
        keep("key", image);
        const auto read = cached("key");
        found += read.has_value();
        wrong += read && (read->size() != image.size() ||
                          read->find_first_not_of((*read)[0]) != std::string::npos);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found.load(), 200);
  EXPECT_EQ(wrong.load(), 0);
  EXPECT(!cached("key2"));
  unsetenv("TILELAB_CACHE_DIR");
  std::system(("rm -r " + std::string(directory)).c_str());
}

}  // namespace
}  // namespace tilelab::test
