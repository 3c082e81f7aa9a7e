// SPDX-License-Identifier: Apache-2.0
// IR text as people leave it: the rules, the passes and the simulator refuse it in words.
#include <atomic>
#include <chrono>
#include <thread>

#include "core/ir/verify/verify.h"
#include "core/passes/pipeline/pipeline.h"
#include "core/targets/target.h"
#include "tests/unit/sim/kernels.h"

using namespace tilelab;
using namespace tilelab::test;

namespace {

/// The errors of the rules and then of the passes, or "".
std::string refused(const std::string& text) {
  Diagnostics sink;
  FuncRef func = read_ir("<edited>", text, sink);
  if (func) run_passes_on_text(func, sink);
  return sink.all().empty() ? "" : sink.all().front().message;
}

std::string not_simulated(const std::string& text) {
  FuncRef func = read_kernel("<edited>", text);
  std::vector<float> a(256), c(256);
  sim::Argument args[] = {sim::tensor_argument(DType::f32, {256}, a.data()),
                          sim::tensor_argument(DType::f32, {256}, c.data())};
  return func ? sim::run(*func, args).error : "";
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

std::string tile(const std::string& body, const std::string& target = "mp_31") {
  return "ir(1, level=\"tile\", target=\"" + target + "\")\n" +
         R"text(def main(A: tensor(f32, [256]), C: tensor(f32, [256])):
    with kernel("k", grid=[2, 1, 1], block=128) as (bx, by, bz):
        s = shared(f32, [128])
        m = shared(f32, [16, 16])
        d = fragment(f32, [64])
)text" + body;
}

std::string thread(const std::string& shared) {
  return R"text(ir(1, level="thread", target="sm_80", after="lower_tile_ops")
def main(A: tensor(f32, [256]), C: tensor(f32, [256])):
    with kernel("k", grid=[2, 1, 1], block=128, smem=512) as (bx, by, bz):
        s = shared()text" +
         shared + R"text()
        s[tid] = A[bx * 128 + tid] * 2.0
)text";
}

}  // namespace

TEST(edited_text_regions_have_the_same_extents) {
  EXPECT(has(refused(tile("        copy(A[0:64], s)\n")), "[64] and [128]"));
  EXPECT(has(refused(tile("        copy(m[0:8, 0:8], s[0:64])\n")),
             "copy iterates over regions of [8, 8] and [64] together"));
  EXPECT(has(refused(tile("        copy(m[0:8, 0:8], s[0])\n")), "[8, 8] and []"));
  EXPECT(has(refused(tile("        scan(s[0:64], d[0:32], op=\"sum\", dim=0)\n")),
             "scan iterates over regions of [64] and [32] together"));
  EXPECT(has(refused(tile("        atomic(C[0:64], s[0:32], op=\"add\")\n")),
             "atomic iterates over regions of [64] and [32] together"));
  EXPECT_EQ(refused(tile("        copy(A[0:128], s)\n        copy(m[3, 0:16], s[0:16])\n")), "");
}

TEST(edited_text_header_names_what_exists) {
  EXPECT(has(refused(tile("        fill(s, 0.0)\n", "mp_99")), "`mp_99` is not a target"));
  EXPECT(has(refused(replaced(thread("f32, [128], at=0"), "lower_tile_ops", "lower_everything")),
             "`lower_everything` is not a pass"));
}

TEST(edited_text_that_no_pass_makes_is_refused_in_words) {
  EXPECT_EQ(refused(thread("f32, [128], lay=[[a(128, 1)]], at=-1")),
            "`s` has no offset in shared memory after plan_shared_memory");
}

TEST(edited_text_memory_is_bounded) {
  EXPECT_EQ(not_simulated(thread("f32, [128], at=0")), "");
  EXPECT(has(not_simulated(thread("f32, [128], lay=[[a(128, 2)]], at=0")),
             "1020 bytes in shared memory of 512 bytes"));
  EXPECT(has(not_simulated(replaced(thread("f32, [128], at=0"), "smem=512", "smem=2147483647")),
             "so much shared memory"));
  EXPECT(has(not_simulated(tile("        big = shared(f32, [1048576, 1048576])\n")),
             "1099511627776 elements"));
}

/// The copies that every thread issued complete when its block ends, and watched for
/// minutes; the user does not wait.
TEST(edited_text_interrupt_ends_the_engine) {
  FuncRef func =
      read_kernel("<edited>", R"text(ir(1, level="flat", target="sm_90a", after="simplify")
def f(O: tensor(f16, [64, 64])):
    O_map = tensor_map(O, dims=[64, 64], strides=[128], box=[64, 64])
    with kernel("k", grid=[1, 1, 1], block=256, smem=8192, params=[O_map]) as (bx, by, bz):
        s = shared(f16, [4096], at=0)
        for i in serial(64):
            tma_store(O_map, [0, 0], 0)
            bulk_commit()
)text");
  std::vector<uint16_t> out(4096);
  sim::Argument args[] = {sim::tensor_argument(DType::f16, {64, 64}, out.data())};
  std::atomic<bool> interrupt{false};
  sim::RunOptions options;
  options.watch = sim::Watch::all();
  options.threads = 1;
  options.interrupt = &interrupt;
  std::thread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    interrupt = true;
  });
  const sim::RunResult result = sim::run(*func, args, options);
  user.join();
  EXPECT(result.status == sim::RunResult::Status::interrupted);
}

/// The body of a loop of one iteration becomes a part of the block around it.
TEST(edited_text_memory_of_one_iteration_has_a_separate_name) {
  EXPECT_EQ(refused(R"text(ir(1, level="flat", target="sm_90a", after="flatten")
def f(A: tensor(f32, [64]), N: tensor(i32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64, params=[A, N]) as (bx, by, bz):
        for p in unroll(1):
            s = local(f32, [4])
            s[p] = 1.0
            A[tid] = s[0]
        s = N[tid]
        N[tid] = s + 1
)text"),
            "");
}
