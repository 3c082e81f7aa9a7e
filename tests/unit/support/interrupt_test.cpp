// SPDX-License-Identifier: Apache-2.0
// The compiler ends where a user interrupts it: passes at any node, the elaborator at any
// statement.
#include "core/support/interrupt.h"
#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/ir_text/ir_text.h"
#include "core/passes/pass.h"
#include "core/sim/sim.h"
#include "tests/unit/fake_host.h"
#include "tests/unit/test.h"

using namespace tilelab;

namespace {

constexpr const char* kSource =
    "@T.prim_func\n"
    "def main(A: T.Tensor((64,), \"float32\")):\n"
    "    for i in range(1000000000000):\n"
    "        pass\n"
    "    with T.Kernel(1, threads=64):\n"
    "        for j in range(1000000000000):\n"
    "            A[0] = A[1]\n";

struct Patient : test::FakeHost {
  int left;
  int asked = 0;
  explicit Patient(int n) : left(n) {}
  void poll() override {
    if (++asked > left) throw Cancelled{};
  }
};

bool cancelled(const std::string& text, Patient& host) {
  try {
    test::elaborate_text(text, host);
  } catch (const Cancelled&) {
    return true;
  }
  return false;
}

}  // namespace

/// The simulator polls in every iteration of an unrolled loop: a million take it seconds.
TEST(interrupt_reaches_loops_that_are_written_out) {
  Diagnostics sink;
  const FuncRef func =
      read_ir("<test>",
              "ir(1, level=\"flat\", target=\"mp_31\")\n"
              "def f(A: tensor(i32, [64])):\n"
              "    with kernel(\"k\", grid=[1, 1, 1], block=64, params=[A]) as bx:\n"
              "        for i in unroll(5000):\n"
              "            A[tid] = A[tid] + i\n",
              sink);
  EXPECT(func && sink.ok());
  std::vector<int32_t> memory(64);
  const std::vector<sim::Argument> arguments{sim::tensor_argument(DType::i32, {64}, memory.data())};
  const uint64_t before = InterruptScope::polls();
  EXPECT(sim::run(*func, arguments, {}).status == sim::RunResult::Status::finished);
  EXPECT(InterruptScope::polls() - before >= 5000);
  EXPECT(memory[63] == 5000 * 4999 / 2);
}

TEST(interrupt_only_in_its_scope) {
  std::atomic<bool> flag{true};
  poll_interrupt();  // no interrupt was requested
  {
    InterruptScope scope(&flag);
    EXPECT(InterruptScope::requested());
    {
      InterruptScope without(nullptr);
      poll_interrupt();
    }
    bool thrown = false;
    try {
      poll_interrupt();
    } catch (const Cancelled&) {
      thrown = true;
    }
    EXPECT(thrown);
    flag = false;
    poll_interrupt();
  }
  flag = true;
  poll_interrupt();
}

TEST(interrupt_ends_a_walk_at_the_next_node) {
  std::atomic<bool> flag{false};
  InterruptScope scope(&flag);
  int seen = 0;
  Expr sum = binary(BinOp::mul, name_ref("a", {DType::i32}), name_ref("b", {DType::i32}));
  try {
    walk(*sum, [&](const Node&) {
      flag = ++seen == 2;
      return true;
    });
  } catch (const Cancelled&) {
    flag = false;
  }
  EXPECT_EQ(seen, 2);
}

TEST(interrupt_ends_elaboration_in_a_loop_of_compile_time) {
  Patient host(1000);
  EXPECT(cancelled(kSource, host));
  EXPECT_EQ(host.asked, 1001);
}

TEST(interrupt_leaves_the_passes_that_are_done) {
  Diagnostics sink;
  FuncRef func = read_ir("<test>",
                         "ir(1, level=\"tile\", target=\"mp_31\")\n"
                         "def main(A: tensor(f32, [64])):\n"
                         "    with kernel(\"k\", grid=[1, 1, 1], block=64) as (bx, by, bz):\n"
                         "        for i in parallel(64):\n"
                         "            A[i] = A[i] + 1.0\n",
                         sink);
  EXPECT(func);
  if (!func) return;
  std::atomic<bool> flag{true};
  PipelineOptions options;
  options.interrupt = &flag;
  PipelineResult result = run_passes(func, sink, options);
  EXPECT(result.interrupted && !result.ok);
  EXPECT_EQ(result.snapshots.size(), size_t{1});
  flag = false;
  EXPECT(run_passes(func, sink, options).ok);
}
