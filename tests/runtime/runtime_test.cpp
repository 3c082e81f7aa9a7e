// SPDX-License-Identifier: Apache-2.0
// The runtime below Python: the driver's table, plans, what is kept on disk.
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "runtime/cache.h"
#include "runtime/device_header.h"
#include "runtime/function.h"
#include "tests/codegen/flat_ir.h"
#include "tests/unit/test.h"

namespace tilelab::test {
namespace {

using namespace runtime;

TEST(driver_table_of_two_vendors) {
  constexpr DriverSource kSources[] = {
      {"CUDA", "cu", TILELAB_FAKE_CUDA, "TILELAB_NO_SUCH_VARIABLE", "", ""},
      {"MUSA", "mu", TILELAB_FAKE_MUSA, "TILELAB_NO_SUCH_VARIABLE", "", ""}};
  for (const DriverSource& source : kSources) {
    std::string problem;
    const auto driver = Driver::open(source, &problem);
    EXPECT_EQ(problem, "");
    if (!driver) continue;
    int devices = 0;
    EXPECT_EQ(driver->init(0), 0);
    EXPECT_EQ(driver->device_count(&devices), 0);
    EXPECT_EQ(devices, 1);
    EXPECT_EQ(driver->status_text(700),
              std::string(source.device) +
                  "_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)");
  }
}

TEST(a_driver_without_a_function) {
  constexpr DriverSource kOther{"cuda", "mu", TILELAB_FAKE_CUDA, "TILELAB_NO_SUCH_VARIABLE",
                                "",     ""};
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
  auto function = DeviceFunction::make(make(std::move(func)), sink,
                                       [](const std::string& text) { return text; });
  EXPECT(sink.empty());
  Device& device = Device::of(cuda(), 0);
  device.enter();
  const DeviceMemory memory(device, 4096);
  void* const at = reinterpret_cast<void*>(memory.address());
  const int64_t stride = 1;
  auto repeat = [&](int64_t n, void* first) {
    const host::Value tensor{DType::f32, true, false, 0, at, 4 * n, 1, &n, &stride};
    host::Value values[] = {tensor, tensor, tensor};
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
  void* const fake = dlopen(TILELAB_FAKE_CUDA, RTLD_NOW);
  const auto graphs = reinterpret_cast<int (*)()>(dlsym(fake, "fake_graphs"));
  EXPECT_EQ(graphs(), 1);
  function.reset();
  EXPECT_EQ(graphs(), 0);
}

/// The descriptor of a tensor as the fake driver leaves it in its place (fake_gpu.cpp).
struct FakeDescriptor {
  uint64_t address, type, rank, dims[5], strides[8];
};

/// MUtensorDescriptorDataType, as Moore Threads' header numbers it; fp8 travels as bytes.
int published_type(DType dtype) {
  switch (dtype) {
    case DType::i8: return 0;
    case DType::u8: return 1;
    case DType::i16: return 2;
    case DType::u16: return 3;
    case DType::f16: return 4;
    case DType::bf16: return 5;
    case DType::i32: return 6;
    case DType::u32: return 7;
    case DType::f32: return 8;
    case DType::i64: return 10;
    case DType::u64: return 11;
    case DType::f64: return 12;
    default: return 1;
  }
}

TEST(descriptors_of_moore_threads_engine) {
  setenv("TILELAB_MUSA_DRIVER", TILELAB_FAKE_MUSA, 1);
  Device& device = Device::of(musa(), 0);
  EXPECT_EQ(device.target() ? std::string(device.target()->name) : "none", "mp_31");
  device.enter();
  const DeviceMemory memory(device, 1 << 16);
  const int64_t extents[] = {32, 3, 2, 5, 2};
  for (int d = 0; d <= int(DType::f64); ++d) {
    const auto dtype = DType(d);
    for (size_t rank = 1; rank <= 5; ++rank) {
      MapRequest request;
      request.dtype = dtype;
      request.base = memory.address();
      int64_t step = bytes(dtype);
      for (size_t i = 0; i < rank; ++i) {
        if (i > 0) request.strides.push_back(step += 16);  // rows with something between them
        request.dims.push_back(extents[i]);
        request.box.push_back(1);
        step *= extents[i];
      }
      MapParameter map;
      EXPECT_EQ(musa().describe(device.driver(), request, &map), "");
      FakeDescriptor decoded;
      static_assert(sizeof decoded == sizeof map);
      std::memcpy(&decoded, &map, sizeof decoded);
      EXPECT_EQ(decoded.address, memory.address());
      EXPECT_EQ(int(decoded.type), published_type(dtype));
      EXPECT_EQ(decoded.rank, uint64_t(rank));
      for (size_t i = 0; i < rank; ++i) EXPECT_EQ(decoded.dims[i], uint64_t(extents[i]));
      for (size_t i = 0; i + 1 < rank; ++i)
        EXPECT_EQ(decoded.strides[i], uint64_t(request.strides[i]));
    }
  }
  MapRequest odd{DType::f32, memory.address(), {8, 8}, {36}, {8, 8}, {}};
  MapParameter map;
  EXPECT_EQ(musa().describe(device.driver(), odd, &map),
            "muTensorDescriptorEncode: MUSA_ERROR_INVALID_VALUE (invalid argument)");
}

TEST(kernels_that_call_no_function_are_known) {
  for (const char* name : {"exp", "exp2", "exp2_as_f16", "fast_exp2", "fast_rcp", "pow", "sigmoid",
                           "isnan", "sqrt", "rint", "ieee_add_rn", "ieee_sqrt_rz"})
    EXPECT(calls_functions("x = tl_" + std::string(name) + "(y);"));
  EXPECT(
      !calls_functions("x = tl_fma(a, b, tl_max(c, tl_abs(tl_cast<tl_f16x4>(d)))) + my_tl_exp;"));
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

/// A directory for the cache during its lifetime.
struct CacheDirectory {
  CacheDirectory() {
    EXPECT(mkdtemp(path) != nullptr);
    unsetenv("TILELANG_DISABLE_CACHE");
    setenv("TILELAB_CACHE_DIR", path, 1);
  }
  ~CacheDirectory() {
    unsetenv("TILELAB_CACHE_DIR");
    std::system(("rm -r " + std::string(path)).c_str());
  }
  /// The only entry.
  std::string entry() const {
    for (const auto& at : std::filesystem::directory_iterator(path)) return at.path().string();
    return "";
  }
  char path[32] = "/tmp/tilelab-cache-XXXXXX";
};

TEST(entries_that_others_could_have_written_are_ignored) {
  CacheDirectory directory;
  keep("key", "image");
  const std::string entry = directory.entry(), other = std::string(directory.path) + "/other";
  auto replaced = [&](const std::string& command) {
    std::system(
        ("cd " + std::string(directory.path) + "; mv " + entry + " other; " + command).c_str());
    const auto found = cached("key");  // a pipe or a device does not block it
    keep("key", "image");              // and does not stay
    EXPECT_EQ(cached("key").value_or(""), "image");
    return found.value_or("ignored");
  };
  EXPECT_EQ(replaced("cp other " + entry), "image");
  EXPECT_EQ(replaced("mkfifo -m 600 " + entry), "ignored");
  EXPECT_EQ(replaced("ln -s other " + entry), "ignored");
  EXPECT_EQ(replaced("ln -s /dev/zero " + entry), "ignored");
  EXPECT_EQ(replaced("cp other " + entry + "; chmod 666 " + entry), "ignored");
  EXPECT_EQ(replaced("cp other " + entry + "; truncate -s 6G " + entry), "ignored");
  EXPECT_EQ(replaced("sed s/image$/imago/ other > " + entry), "ignored");
  EXPECT_EQ(replaced(": > " + entry), "ignored");
  if (geteuid() == 0) {
    EXPECT_EQ(replaced("cp other " + entry + "; chown 65534 " + entry), "ignored");
  }
  struct stat info;
  EXPECT_EQ(stat(entry.c_str(), &info), 0);
  EXPECT_EQ(int(info.st_mode & 0777), 0600);
  keep("large", std::string(65 << 20, 'x'));
  EXPECT(!cached("large"));
}

TEST(least_recently_used_entries_are_removed) {
  CacheDirectory directory;
  for (int i = 0; i < 8; ++i) {
    keep(std::to_string(i), std::string(1000, 'x'));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::system(("touch -d yesterday " + std::string(directory.path) + "/.writing-abc").c_str());
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT(cached("0"));
  evict(directory.path, 1 << 20);
  EXPECT(cached("1") && cached("0"));
  evict(directory.path, 6000);
  EXPECT(!cached("2") && !cached("3"));
  EXPECT(cached("0") && cached("1") && cached("7"));
  EXPECT(access((std::string(directory.path) + "/.writing-abc").c_str(), F_OK) != 0);
}

}  // namespace
}  // namespace tilelab::test
