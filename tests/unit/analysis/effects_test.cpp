// SPDX-License-Identifier: Apache-2.0
// Effect analysis of cases without other tests: memory accessed by views and tensor maps,
// products that are in flight, atomics that only read.
#include "core/analysis/effects.h"

#include "core/ir/traverse.h"
#include "tests/unit/sim/kernels.h"

using namespace tilelab;
using namespace tilelab::test;

namespace {

bool reads(const Touched& memory, const char* name) { return memory.read.count(name) != 0; }
bool writes(const Touched& memory, const char* name) { return memory.written.count(name) != 0; }

}  // namespace

TEST(effects_through_tensor_maps_and_views) {
  FuncRef f = read_kernel("maps", R"text(ir(1, level="thread", target="mp_31")
def f(A: tensor(f16, [256, 64]), C: tensor(f16, [256, 64]), D: tensor(f32, [64])):
    A_map = tensor_map(A, dims=[64, 256], strides=[64])
    C_map = tensor_map(C, dims=[64, 256], strides=[64])
    with kernel("k", grid=[2, 1, 1], block=32, smem=16384) as (bx, by, bz):
        full = barrier([1], count=1, unit="warp", tx=True, id=1)
        s = shared(f16, [128, 64], at=0)
        d = view(D, f32, [8, 8])
        if leader("block"):
            tma_load(s[0:128, 0:64], A_map, [0, bx * 128], full[0])
            tma_store(C_map, [0, bx * 128], s[0:128, 0:64])
        d[0, 1] = 1.0
)text");
  if (!f) return;
  const Touched memory = touched(*f->body);
  EXPECT(reads(memory, "A") && !writes(memory, "A"));
  EXPECT(writes(memory, "C") && !reads(memory, "C"));
  EXPECT(writes(memory, "D") && !writes(memory, "d"));
  EXPECT(reads(memory, "s") && writes(memory, "s"));
}

TEST(effects_of_products_in_flight) {
  FuncRef f = read_kernel("products", R"text(ir(1, level="tile", target="mp_31")
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        gemm(a[0:64, 0:64], a[0:64, 0:64], c[0:64, 0:64], clear=True, wait=1)
        gemm(a[0:64, 0:64], a[0:64, 0:64], c[0:64, 0:64], clear=True)
)text");
  if (!f) return;
  std::vector<bool> late;
  walk(*f->body, [&](const Node& node) {
    if (node.kind != Kind::Gemm) return true;
    bool any = false;
    for (const Effect& effect : effects(node)) any |= effect.late();
    late.push_back(any);
    return false;
  });
  EXPECT(late == std::vector<bool>({true, false}));
}

// Two blocks that read one element, one of them atomically, do not race: no block writes it.
TEST(effects_of_an_atomic_that_only_reads) {
  FuncRef f = read_kernel("loads", R"text(ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [4]), B: tensor(f32, [4])):
    with kernel("k", grid=[2, 1, 1], block=32) as (bx, by, bz):
        if bx == 0:
            x = atomic_load(A[0], order="relaxed")
            B[0] = x
        else:
            B[1] = A[0]
)text");
  if (!f) return;
  std::vector<float> a(4, 2), b(4);
  sim::Argument arguments[] = {sim::tensor_argument(DType::f32, {4}, a.data()),
                               sim::tensor_argument(DType::f32, {4}, b.data())};
  sim::RunOptions options;
  options.watch = sim::Watch::all();
  const sim::RunResult result = sim::run(*f, arguments, options);
  EXPECT(result.ok() && result.findings.empty());
  EXPECT(b[0] == 2 && b[1] == 2);
}
