// SPDX-License-Identifier: Apache-2.0
// The device header under the emulation: arithmetic, conversions, synchronisation, faults.
#include <algorithm>

#include "core/ir/dtype.h"
#include "core/support/dtype_codec.h"
#include "tests/codegen/harness.h"

using namespace tilelab;
using namespace tilelab::test;
using tilelab::codegen::GuardedBuffer;

TEST(device_kernels_type_check) {
  for (const char* file : {"elementwise", "softmax", "gemm_mp31"}) {
    const std::string text = text_of("kernels/" + std::string(file) + ".mu");
    for (int arch : {220, 310}) {
      const bool pinghu_only = std::string(file) == "gemm_mp31";
      const musa::CheckResult result = musa::type_check(text, arch);
      if (result.ok != (arch == 310 || !pinghu_only)) fail(file, arch, result.log);
    }
  }
  const musa::CheckResult bad =
      musa::type_check("#include \"tl_device.h\"\nint f() { return x; }", 310);
  EXPECT(!bad.ok && contains(bad.log, "'x'"));
}

TEST(device_elementwise_with_tail) {
  const std::string text = text_of("kernels/elementwise.mu");
  for (int arch : {220, 310}) {
    auto module = compiled(text, arch);
    if (!module) return;
    for (int n : {1, 511, 512, 1000}) {
      const std::vector<float> a = random_floats(n), b = random_floats(n);
      GuardedBuffer A = buffer_of(a), B = buffer_of(b), C(n * 4);
      void *pa = A.data(), *pb = B.data(), *pc = C.data();
      const auto report = module->launch("add_tail", {unsigned(n + 511) / 512, 1, 1}, {128, 1, 1},
                                         {&pa, &pb, &pc, &n}, {});
      EXPECT_EQ(report.fault, std::string());
      for (int i = 0; i < n; ++i) EXPECT_EQ(C.as<float>()[i], a[i] + b[i]);
    }
  }
}

TEST(device_index_past_a_tensor_is_a_fault) {
  auto module = compiled(mutated(text_of("kernels/elementwise.mu"), "if (i + v < N) C", "C"), 310);
  if (!module) return;
  int n = 512 + 2;
  GuardedBuffer A(n * 4, 4), B(n * 4, 4), C(n * 4, 4);
  void *pa = A.data(), *pb = B.data(), *pc = C.data();
  for (int round = 0; round < 2; ++round) {  // the process and the module survive
    const auto report = module->launch("add_tail", {2, 1, 1}, {128, 1, 1}, {&pa, &pb, &pc, &n}, {});
    EXPECT(!report.ok);
    EXPECT(contains(report.fault, "unmapped memory") || contains(report.fault, "misaligned"));
  }
}

TEST(device_conversions_are_those_of_the_formats) {
  auto module = compiled(text_of("kernels/elementwise.mu"), 310);
  if (!module) return;
  std::vector<float> x = {0.f,          -0.f,          1.f,           65504.f, 65519.f,
                          65520.f,      1e-8f,         5.9604645e-8f, 3e38f,   INFINITY,
                          -INFINITY,    448.f,         464.f,         465.f,   57344.f,
                          61440.f,      2147483648.f,  -2147483904.f, -1.9f,   1e10f,
                          0.001953125f, 0.0009765625f, 1.5e-5f};
  for (float e : random_floats(200, -20, 20)) x.push_back(std::exp2(e));
  for (float e : random_floats(200, -500, 500)) x.push_back(e);
  int n = int(x.size());
  GuardedBuffer X = buffer_of(x), H(n * 2), B(n * 2), E4(n), E5(n), I(n * 4);
  void *px = X.data(), *ph = H.data(), *pb = B.data(), *p4 = E4.data(), *p5 = E5.data(),
       *pi = I.data();
  const auto report = module->launch("round_trip", {unsigned(n + 63) / 64, 1, 1}, {64, 1, 1},
                                     {&px, &ph, &pb, &p4, &p5, &pi, &n}, {});
  EXPECT_EQ(report.fault, std::string());
  for (int i = 0; i < n; ++i) {
    EXPECT_EQ(H.as<uint16_t>()[i], half_bits(x[i]));
    if (std::isfinite(x[i]))
      EXPECT_EQ(uint32_t(B.as<uint16_t>()[i]), nearest_code(x[i], bf16_format));
    else
      EXPECT_EQ(B.as<uint16_t>()[i], x[i] < 0 ? 0xff80 : 0x7f80);
    if (std::fabs(x[i]) <= 448)
      EXPECT_EQ(uint32_t(E4.as<uint8_t>()[i]), nearest_code(x[i], e4m3_format));
    if (std::fabs(x[i]) <= 57344)
      EXPECT_EQ(uint32_t(E5.as<uint8_t>()[i]), nearest_code(x[i], e5m2_format));
    const double clamped = std::clamp(std::trunc(double(x[i])), -2147483648.0, 2147483647.0);
    EXPECT_EQ(I.as<int>()[i], int(clamped));
  }
}

TEST(device_narrow_floats_are_those_of_the_codecs) {
  auto module = compiled(text_of("kernels/elementwise.mu"), 310);
  if (!module) return;
  std::vector<float> x;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {  // every half, every bf16 and its neighbors
    x.push_back(f16_to_f32(uint16_t(bits)));
    const uint32_t middle = bits << 16;
    for (uint32_t near : {middle, middle + 1, middle - 1, middle | 0x8000u})
      x.push_back(bits_float(near));
  }
  int n = int(x.size());
  GuardedBuffer X = buffer_of(x), E4(n), E5(n), E8(n), E2(n);
  void *px = X.data(), *p4 = E4.data(), *p5 = E5.data(), *p8 = E8.data(), *p2 = E2.data();
  const auto report = module->launch("narrow", {unsigned(n + 63) / 64, 1, 1}, {64, 1, 1},
                                     {&px, &p4, &p5, &p8, &p2, &n}, {});
  EXPECT_EQ(report.fault, std::string());
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    wrong += E4.as<uint8_t>()[i] != f32_to_e4m3fnuz(x[i]);
    wrong += E5.as<uint8_t>()[i] != f32_to_e5m2fnuz(x[i]);
    wrong += E8.as<uint8_t>()[i] != f32_to_e8m0(x[i]);
    wrong += E2.as<uint8_t>()[i] != f32_to_e2m1(x[i]);
  }
  EXPECT_EQ(wrong, 0);
  std::vector<uint8_t> codes;
  for (int code = 0; code < 256; ++code) codes.push_back(uint8_t(code));
  GuardedBuffer C = buffer_of(codes), F4(1024), F5(1024), F8(1024), F2(1024);
  void *pc = C.data(), *q4 = F4.data(), *q5 = F5.data(), *q8 = F8.data(), *q2 = F2.data();
  EXPECT(module->launch("widen", {1, 1, 1}, {256, 1, 1}, {&pc, &q4, &q5, &q8, &q2}, {}).ok);
  auto same = [](float a, float b) { return float_bits(a) == float_bits(b); };
  for (int i = 0; i < 256; ++i) {
    EXPECT(same(F4.as<float>()[i], e4m3fnuz_to_f32(codes[i])));
    EXPECT(same(F5.as<float>()[i], e5m2fnuz_to_f32(codes[i])));
    EXPECT(same(F8.as<float>()[i], e8m0_to_f32(codes[i])));
    EXPECT(same(F2.as<float>()[i], e2m1_to_f32(codes[i])));
  }
}

TEST(device_integers_follow_the_ir) {
  auto module = compiled(text_of("kernels/elementwise.mu"), 310);
  if (!module) return;
  std::vector<int> a, b;
  for (int i = 0; i < 32; ++i) {
    a.push_back(i % 8 == 7 ? INT32_MIN : (i - 16) * 5);
    b.push_back(i % 5 - 2 + (i == 31 ? 40 : 0));
  }
  GuardedBuffer A = buffer_of(a), B = buffer_of(b), Q(128 * 4);
  void *pa = A.data(), *pb = B.data(), *pq = Q.data();
  EXPECT(module->launch("integers", {1, 1, 1}, {32, 1, 1}, {&pa, &pb, &pq}, {}).ok);
  const int* q = Q.as<int>();
  for (int i = 0; i < 32; ++i) {
    const int64_t x = a[i], y = b[i];
    int64_t d = 0, m = 0;
    if (y != 0) {
      d = x / y - ((x % y != 0 && (x < 0) != (y < 0)) ? 1 : 0);
      m = x - d * y;
    }
    EXPECT_EQ(q[i], int(d));
    EXPECT_EQ(q[32 + i], int(m));
    const bool far = y < 0 || y > 31;
    EXPECT_EQ(q[64 + i], far ? 0 : int(uint32_t(x) << y));
    EXPECT_EQ(q[96 + i], far ? (x < 0 ? -1 : 0) : int(x >> y));
  }
}

TEST(device_thread_copies_wait_and_zero_fill) {
  const std::string text = text_of("kernels/elementwise.mu");
  int n = 1000;
  const std::vector<float> x = random_floats(n);
  GuardedBuffer X = buffer_of(x), Y(n * 4);
  void *px = X.data(), *py = Y.data();
  auto run = [&](const std::string& source) {
    auto module = compiled(source, 220);
    if (!module) return emu::LaunchReport{};
    emu::LaunchOptions options;
    options.smem = 2048;
    return module->launch("reverse", {2, 1, 1}, {128, 1, 1}, {&px, &py, &n}, options);
  };
  EXPECT_EQ(run(text).fault, std::string());
  for (int i = 0; i < n; ++i) {
    const int from = i / 512 * 512 + 511 - i % 512;
    EXPECT_EQ(Y.as<float>()[i], from < n ? x[from] : 0.f);
  }
  EXPECT(contains(run(mutated(text, "tl_cp_wait<0>();", "")).fault, "never waited for"));
  run(mutated(text, "tl_cp_wait<0>();\n  tl_block_sync();",
              "tl_block_sync();\n  tl_cp_wait<0>();"));
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += std::isnan(Y.as<float>()[i]);
  EXPECT(wrong > 0);  // a block sync before the wait publishes nothing
}

TEST(device_events_and_atomics) {
  auto module = compiled(text_of("kernels/elementwise.mu"), 310);
  if (!module) return;
  std::vector<int> x(128);
  int odd = 0, sum = 0;
  for (int i = 0; i < 128; ++i) x[i] = (i * 37) % 101, odd += x[i] % 2, sum += x[i];
  struct Ring {
    uint32_t capacity = 10, written = 0, failed = 0, reserved = 0;
    struct {
      uint32_t site;
      uint16_t kind, count;
      uint32_t block[3], thread[3];
      uint64_t value[6];
    } event[10];
  } ring;
  GuardedBuffer X = buffer_of(x);
  int total = 0;
  float largest = -1;
  void *px = X.data(), *pt = &total, *pl = &largest, *pr = &ring;
  EXPECT(module->launch("count_odd", {2, 1, 1}, {64, 1, 1}, {&px, &pt, &pl, &pr}, {}).ok);
  EXPECT_EQ(total, sum);
  EXPECT_EQ(largest, float(*std::max_element(x.begin(), x.end())));
  EXPECT_EQ(ring.written, uint32_t(odd));  // counted beyond the capacity
  EXPECT_EQ(ring.event[0].site, 7u);
  EXPECT_EQ(ring.event[0].count, uint16_t(2));
  EXPECT_EQ(int(ring.event[0].value[0]), x[ring.event[0].thread[0]]);
}

static emu::LaunchReport run_softmax(const std::string& text, int arch, const std::vector<float>& x,
                                     GuardedBuffer& Y, uint64_t schedule) {
  auto module = compiled(text, arch);
  if (!module) return {};
  GuardedBuffer X = buffer_of(x);
  void *px = X.data(), *py = Y.data();
  emu::LaunchOptions options;
  options.smem = 128;
  options.seed = schedule;
  return module->launch("softmax", {unsigned(x.size() / 1024), 1, 1}, {256, 1, 1}, {&px, &py},
                        options);
}

TEST(device_softmax_across_warps) {
  const std::string text = text_of("kernels/softmax.mu");
  const std::vector<float> x = random_floats(3 * 1024, -8, 8);
  for (int arch : {220, 310}) {
    for (uint64_t schedule : {uint64_t(0), seed()}) {
      GuardedBuffer Y(x.size() * 4);
      EXPECT_EQ(run_softmax(text, arch, x, Y, schedule).fault, std::string());
      for (int row = 0; row < 3; ++row) {
        double largest = -1e30, sum = 0;
        for (int j = 0; j < 1024; ++j) largest = std::max<double>(largest, x[row * 1024 + j]);
        for (int j = 0; j < 1024; ++j) sum += std::exp(x[row * 1024 + j] - largest);
        for (int j = 0; j < 1024; ++j) {
          const double want = std::exp(x[row * 1024 + j] - largest) / sum;
          EXPECT(std::fabs(Y.as<float>()[row * 1024 + j] - want) <= 2e-6 * want + 1e-12);
        }
      }
    }
  }
}

TEST(device_softmax_mutations_are_seen) {
  const std::string text = text_of("kernels/softmax.mu");
  std::vector<float> x = random_floats(1024, -8, 8);
  x[1023] = 9;  // the last warp has the row's maximum: the others need it
  GuardedBuffer good(x.size() * 4), bad(x.size() * 4);
  EXPECT(run_softmax(text, 310, x, good, 0).ok);
  run_softmax(mutated(text, "largest[warp] = m;\n  tl_block_sync();", "largest[warp] = m;"), 310, x,
              bad, 0);
  int wrong = 0;  // warps scale by different maxima
  for (int i = 0; i < 1024; ++i) wrong += !(bad.as<float>()[i] == good.as<float>()[i]);
  EXPECT(wrong > 0);
  const auto diverged =
      run_softmax(mutated(text, "o /= 2) m = tl_max(m, tl_shfl_xor(m, o));",
                          "o /= 2) if (lane < 20) m = tl_max(m, tl_shfl_xor(m, o));"),
                  310, x, bad, 0);
  EXPECT(contains(diverged.fault, "deadlock"));
  EXPECT(contains(diverged.fault, "other lanes of their warp"));
  std::memset(bad.data(), 0xff, bad.size());
  const auto missing =
      run_softmax(mutated(text, "total[warp] = s;\n  tl_block_sync();",
                          "total[warp] = s;\n  if (tid < 64) tl_block_sync(); else return;"),
                  310, x, bad, 0);
  EXPECT(!missing.ok || bad.as<float>()[1023] != good.as<float>()[1023]);
}
