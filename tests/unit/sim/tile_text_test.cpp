// SPDX-License-Identifier: Apache-2.0
// Tile-level kernels as IR text: rings between roles, scans, views, private buffers, host sections.
#include <cmath>

#include "core/support/dtype_codec.h"
#include "tests/unit/sim/kernels.h"

using namespace tilelab;
using namespace tilelab::test;

namespace {

template <class T>
sim::Argument argument(DType dtype, const std::vector<int64_t>& shape, std::vector<T>& data) {
  return sim::tensor_argument(dtype, shape, data.data());
}
sim::RunResult run(const char* text, std::vector<sim::Argument> arguments, sim::Watch watch = {}) {
  FuncRef f = read_kernel("<tile>", text);
  if (!f) return {};
  sim::RunOptions options;
  options.watch = watch;
  sim::RunResult r = sim::run(*f, arguments, options);
  if (r.status == sim::RunResult::Status::refused)
    fail("<tile>", static_cast<int>(r.error_span.line), r.error);
  return r;
}
std::vector<float> ramp(size_t n) {
  std::vector<float> v(n);
  for (size_t i = 0; i < n; ++i) v[i] = static_cast<float>(static_cast<int>(i * 37 % 101) - 50) / 8;
  return v;
}

}  // namespace

TEST(tile_text_roles_synchronize_through_a_ring) {
  // The producer prefetches two slots at most; the consumer sums what passes.
  const char* text = R"text(ir(1, level="tile", target="sm_90a")
def main(A: tensor(f32, [4, 640]), B: tensor(f32, [4, 64])):
    with kernel("k", grid=[4, 1, 1], block=256) as (bx, by, bz):
        r = ring(2, fill="arrive", bytes=256, producer="p", consumer="c")
        s = shared(f32, [2, 64], ring=r)
        with role("p", 0, 128):
            for k in serial(0, 10):
                slot = ring_acquire(r)
                copy(A[bx, k * 64:k * 64 + 64], s[slot, 0:64])
                ring_commit(r)
        with role("c", 128, 256):
            x = fragment(f32, [64])
            fill(x[0:64], 0.0)
            for k in serial(0, 10):
                slot = ring_wait(r)
                for i in parallel(64):
                    x[i] = x[i] + s[slot, i]
                ring_release(r)
            copy(x[0:64], B[bx, 0:64])
)text";
  std::vector<float> a = ramp(4 * 640), b(4 * 64, -1);
  EXPECT(run(text, {argument(DType::f32, {4, 640}, a), argument(DType::f32, {4, 64}, b)}).ok());
  for (size_t y = 0; y < 4; ++y) {
    for (size_t i = 0; i < 64; ++i) {
      float sum = 0;
      for (size_t k = 0; k < 10; ++k) sum += a[y * 640 + k * 64 + i];
      EXPECT_EQ(b[y * 64 + i], sum);
    }
  }
  std::string stuck = replaced(text, "                ring_release(r)\n", "");
  sim::RunResult r =
      run(stuck.c_str(), {argument(DType::f32, {4, 640}, a), argument(DType::f32, {4, 64}, b)});
  EXPECT(r.status == sim::RunResult::Status::stopped);
  EXPECT_EQ(r.findings.size(), size_t{1});
  EXPECT(!r.findings.empty() && r.findings[0].kind == sim::FindingKind::deadlock);
}

TEST(tile_text_scans_views_and_atomics_of_tiles) {
  const char* text = R"text(ir(1, level="tile", target="mp_31")
def main(A: tensor(f32, [6, 8]), S: tensor(f32, [6, 8]), M: tensor(f32, [6, 8]), V: tensor(f32, [12, 4]), H: tensor(f32, [6, 8])):
    with kernel("k", grid=[3, 1, 1], block=64) as (bx, by, bz):
        x = fragment(f32, [6, 8])
        y = fragment(f32, [6, 8])
        w = view(x, f32, [12, 4])
        copy(A[0:6, 0:8], x[0:6, 0:8])
        atomic(H[0:6, 0:8], x[0:6, 0:8], op="add")
        scan(x[0:6, 0:8], y[0:6, 0:8], op="sum", dim=1)
        copy(y[0:6, 0:8], S[0:6, 0:8])
        scan(x[0:6, 0:8], y[0:6, 0:8], op="max", dim=0, reverse=True)
        copy(y[0:6, 0:8], M[0:6, 0:8])
        copy(w[0:12, 0:4], V[0:12, 0:4])
)text";
  std::vector<float> a = ramp(48), s(48), m(48), v(48), h(48, 1);
  EXPECT(run(text, {argument(DType::f32, {6, 8}, a), argument(DType::f32, {6, 8}, s),
                    argument(DType::f32, {6, 8}, m), argument(DType::f32, {12, 4}, v),
                    argument(DType::f32, {6, 8}, h)})
             .ok());
  for (size_t i = 0; i < 6; ++i) {
    float sum = 0;
    for (size_t j = 0; j < 8; ++j) {
      sum += a[i * 8 + j];
      EXPECT_EQ(s[i * 8 + j], sum);
      float top = a[i * 8 + j];
      for (size_t k = i; k < 6; ++k) top = std::max(top, a[k * 8 + j]);
      EXPECT_EQ(m[i * 8 + j], top);
      EXPECT_EQ(h[i * 8 + j], 1 + 3 * a[i * 8 + j]);
    }
  }
  EXPECT(v == a);
}

TEST(tile_text_threads_have_private_buffers) {
  const char* text = R"text(ir(1, level="tile", target="sm_80")
def main(C: tensor(i32, [64, 4])):
    with kernel("k", grid=[1, 1, 1], block=64) as (bx, by, bz):
        mine = local(i32, [4])
        s = shared(i32, [64])
        fill(mine[0:4], 5)
        for i in serial(0, tid % 4):
            mine[i] = tid * 10 + i
        s[tid] = mine[0]
        block_sync()
        mine[3] = s[63 - tid]
        n = atomic_add(s[0], 1)
        for i in serial(0, 4):
            C[tid, i] = mine[i]
)text";
  std::vector<int32_t> c(256, -1);
  EXPECT(run(text, {argument(DType::i32, {64, 4}, c)}).ok());
  auto first = [](int t, int i) { return i < t % 4 ? t * 10 + i : 5; };
  for (int t = 0; t < 64; ++t) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(c[static_cast<size_t>(t * 4 + i)], first(t, i));
    EXPECT_EQ(c[static_cast<size_t>(t * 4 + 3)], first(63 - t, 0));
  }
}

TEST(tile_text_host_sections_bind_check_and_clean_up) {
  const char* text = R"text(ir(1, level="tile", target="mp_31")
def main(A: tensor(f16, [N]), B: tensor(f16, [N]), scale: i32, *, N: dim(i32, 0, 4096, multiple=2)):
    bind(N, A, 0)
    check_tensor(A, align=16)
    check_tensor(B, align=16, write=True)
    counter = workspace(i32, [2], zeroed=True)
    with kernel("k", grid=[ceildiv(N, 64), 1, 1], block=64) as (bx, by, bz):
        x = fragment(f16, [64])
        copy(A[bx * 64:bx * 64 + 64], x[0:64])
        for i in parallel(64):
            x[i] = x[i] * f16(scale)
        copy(x[0:64], B[bx * 64:bx * 64 + 64])
        counter[1] = 1
        counter[1] = 0
)text";
  std::vector<uint16_t> a(100, f32_to_f16(1.5f)), b(100, 0);
  std::vector<sim::Argument> arguments = {argument(DType::f16, {100}, a),
                                          argument(DType::f16, {100}, b),
                                          sim::scalar_argument(DType::i32, 3)};
  EXPECT(run(text, arguments).ok());
  EXPECT_EQ(b[99], f32_to_f16(4.5f));
  FuncRef f = read_kernel("<tile>", text);
  auto refused = [&](size_t n, size_t m) {
    arguments[0].shape = {static_cast<int64_t>(n)};
    arguments[1].shape = {static_cast<int64_t>(m)};
    sim::RunResult r = sim::run(*f, arguments);
    return r.status == sim::RunResult::Status::refused ? r.error : "ran";
  };
  EXPECT(refused(99, 99).find("multiple of 2") != std::string::npos);
  EXPECT(refused(98, 100).find("shape [98] expected, not [100]") != std::string::npos);
  arguments[0].shape = arguments[1].shape = {100};
  std::string dirty = replaced(text, "        counter[1] = 0\n", "");
  sim::RunResult r = run(dirty.c_str(), arguments);
  EXPECT_EQ(r.findings.size(), size_t{1});
  EXPECT(!r.findings.empty() && r.findings[0].kind == sim::FindingKind::not_zeroed);
}

TEST(tile_text_persistent_blocks_visit_each_tile_once) {
  const char* text = R"text(ir(1, level="tile", target="sm_90a")
def main(C: tensor(i32, [5, 7])):
    with kernel("k", grid=[4, 1, 1], block=32) as (bx, by, bz):
        for i, j in tiles(domain=[5, 7], source="stride", stride=4, order="grouped", group=3):
            C[i, j] = C[i, j] + bx + 1
)text";
  std::vector<int32_t> c(35, 0);
  EXPECT(run(text, {argument(DType::i32, {5, 7}, c)}).ok());
  // Tickets count 3 tiles of a row, then the next row; the third group of columns is cut.
  int ticket = 0;
  for (int group = 0; group < 3; ++group)
    for (int i = 0; i < 5; ++i)
      for (int j = 3 * group; j < 3 * group + 3; ++j, ++ticket)
        if (j < 7) EXPECT_EQ(c[static_cast<size_t>(i * 7 + j)], ticket % 4 + 1);
}

TEST(tile_text_select_reads_only_where_it_must) {
  const char* text = R"text(ir(1, level="tile", target="mp_31")
def main(A: tensor(f32, [10]), B: tensor(f32, [16])):
    with kernel("k", grid=[1, 1, 1], block=32) as (bx, by, bz):
        x = shared(f32, [10])
        copy(A[0:10], x[0:10])
        for i in parallel(16):
            B[i] = x[i - 3] if i >= 3 and i < 13 else -1.0
)text";
  std::vector<float> a = ramp(10), b(16, 0);
  sim::RunResult r =
      run(text, {argument(DType::f32, {10}, a), argument(DType::f32, {16}, b)}, sim::Watch::all());
  EXPECT(r.ok());
  EXPECT(r.notes.empty());
  for (size_t i = 0; i < 16; ++i) EXPECT_EQ(b[i], i >= 3 && i < 13 ? a[i - 3] : -1.0f);
}
