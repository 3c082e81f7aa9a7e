// SPDX-License-Identifier: Apache-2.0
// Calls exported libraries on an NVIDIA GPU; links neither Python nor tilelab, and finds the driver
// itself (tests/gpu/library.py).
#include <dlfcn.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "gemm.h"
#include "scale.h"

namespace {

using Address = unsigned long long;

template <class F> F* driver(const char* name) {
  static void* library = dlopen("libcuda.so.1", RTLD_NOW);
  void* found = library ? dlsym(library, name) : nullptr;
  if (!found) std::printf("libcuda.so.1 has no %s\n", name), std::exit(3);
  return reinterpret_cast<F*>(found);
}

void check(int status, const char* what) {
  if (status != 0) std::printf("%s: status %d\n", what, status), std::exit(1);
}

/// The float16 of an integer of at most 11 bits.
uint16_t half_of(int value) {
  if (value == 0) return 0;
  const uint16_t sign = value < 0 ? 0x8000 : 0;
  const unsigned size = unsigned(value < 0 ? -value : value);
  const int top = 31 - __builtin_clz(size);
  return uint16_t(sign | (top + 15) << 10 | ((size << (10 - top)) & 0x3ff));
}

template <class T> struct OnDevice {
  Address at = 0;
  size_t count;
  explicit OnDevice(const std::vector<T>& values) : count(values.size()) {
    check(driver<int(Address*, size_t)>("cuMemAlloc_v2")(&at, count * sizeof(T)), "cuMemAlloc");
    check(driver<int(Address, const void*, size_t)>("cuMemcpyHtoD_v2")(at, values.data(),
                                                                       count * sizeof(T)),
          "cuMemcpyHtoD");
  }
  std::vector<T> back() const {
    std::vector<T> out(count);
    check(driver<int(void*, Address, size_t)>("cuMemcpyDtoH_v2")(out.data(), at, count * sizeof(T)),
          "cuMemcpyDtoH");
    return out;
  }
  void* data() const { return reinterpret_cast<void*>(at); }
};

void start() {
  int device = 0;
  void* context = nullptr;
  check(driver<int(unsigned)>("cuInit")(0), "cuInit");
  check(driver<int(int*, int)>("cuDeviceGet")(&device, 0), "cuDeviceGet");
  check(driver<int(void**, int)>("cuDevicePrimaryCtxRetain")(&context, device), "the context");
  check(driver<int(void*)>("cuCtxSetCurrent")(context), "cuCtxSetCurrent");
}

void synchronize() { check(driver<int()>("cuCtxSynchronize")(), "cuCtxSynchronize"); }

int gemm(long long m, long long n, long long k) {
  std::vector<int> a(size_t(m * k)), b(size_t(k * n));
  for (size_t i = 0; i < a.size(); ++i) a[i] = int(i * 7 % 9) - 4;
  for (size_t i = 0; i < b.size(); ++i) b[i] = int(i * 5 % 7) - 3;
  std::vector<uint16_t> ha, hb;
  for (int v : a) ha.push_back(half_of(v));
  for (int v : b) hb.push_back(half_of(v));
  const OnDevice<uint16_t> da(ha), db(hb);
  const OnDevice<float> dc(std::vector<float>(size_t(m * n), -1.0f));
  const long long sa[] = {m, k}, sb[] = {k, n}, sc[] = {m, n};
  tl_tensor A = tl_contiguous(da.data(), 2, 16, 2, sa), B = tl_contiguous(db.data(), 2, 16, 2, sb),
            C = tl_contiguous(dc.data(), 2, 32, 2, sc);
  if (const char* wrong = gemm_host(&A, &B, &C, nullptr))
    return std::printf("gemm: %s\n", wrong), 1;
  synchronize();
  const std::vector<float> c = dc.back();
  for (long long i = 0; i < m; i += 37)
    for (long long j = 0; j < n; ++j) {
      long long sum = 0;
      for (long long l = 0; l < k; ++l)
        sum += (long long)a[size_t(i * k + l)] * b[size_t(l * n + j)];
      if (c[size_t(i * n + j)] != float(sum))
        return std::printf("gemm: C[%lld, %lld] is %g, expected %lld\n", i, j,
                           double(c[size_t(i * n + j)]), sum),
               1;
    }
  constexpr int runs = 200;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < runs; ++i) gemm_host(&A, &B, &C, nullptr);
  const std::chrono::duration<double, std::micro> queued = std::chrono::steady_clock::now() - begin;
  synchronize();
  std::printf("gemm: exact, %.1f us to queue a call\n", queued.count() / runs);
  C.shape[0] -= 1;
  const char* wrong = gemm_host(&A, &B, &C, nullptr);
  std::printf("gemm: %s\n", wrong ? wrong : "no error");
  return wrong ? 0 : 1;
}

int scale(long long n) {
  std::vector<float> values(static_cast<size_t>(n));
  for (size_t i = 0; i < values.size(); ++i) values[i] = float(i % 1000);
  const OnDevice<float> a(values), b(std::vector<float>(values.size(), -1.0f));
  tl_tensor A = tl_contiguous(a.data(), 2, 32, 1, &n), B = tl_contiguous(b.data(), 2, 32, 1, &n);
  if (const char* wrong = scale_host(&A, &B, 0.5f, nullptr))
    return std::printf("scale: %s\n", wrong), 1;
  synchronize();
  const std::vector<float> out = b.back();
  for (size_t i = 0; i < out.size(); ++i)
    if (out[i] != values[i] * 0.5f) return std::printf("scale: element %zu is wrong\n", i), 1;
  std::printf("scale: exact for %lld elements\n", n);
  return 0;
}

}  // namespace

int main(int, char** arguments) {
  start();
  const int wrong =
      gemm(std::atoll(arguments[1]), std::atoll(arguments[2]), std::atoll(arguments[3]));
  return wrong + scale(1000) + scale(77777);
}
