// SPDX-License-Identifier: Apache-2.0
// Trace events of a block: reproducible numbers, accessed parts, late effects, waits; and
// the state after each event, which is that of a run that ends there.
#include "tests/unit/sim/kernels.h"

using namespace tilelab;
using namespace tilelab::test;

namespace {

constexpr const char* steps = R"text(ir(1, level="tile", target="sm_80")
def main(A: tensor(f32, [4, 8]), B: tensor(f32, [4])):
    with kernel("k", grid=[2, 1, 1], block=32) as (bx, by, bz):
        x = fragment(f32, [2, 8])
        s = shared(f32, [2])
        copy(A[bx * 2:bx * 2 + 2, 0:8], x)
        for r in serial(2):
            for i in parallel(2):
                s[i] = x[i, 0] + x[i, 1]
        for i in parallel(2):
            B[bx * 2 + i] = s[i] + s[0]
)text";

// A producer and a consumer with one slot.
constexpr const char* roles = R"text(ir(1, level="tile", target="sm_90a")
def main(A: tensor(f32, [32]), B: tensor(f32, [32])):
    with kernel("k", grid=[1, 1, 1], block=256) as (bx, by, bz):
        r = ring(1, fill="tx", bytes=64, producer="p", consumer="c")
        S = shared(f32, [1, 16], ring=r)
        with role("c", 0, 128):
            for k in serial(2):
                s = ring_wait(r)
                copy(S[s, 0:16], B[k * 16:k * 16 + 16])
                ring_release(r)
        with role("p", 128, 256):
            for k in serial(2):
                w = ring_acquire(r)
                copy(A[k * 16:k * 16 + 16], S[w, 0:16], by="engine")
                ring_commit(r)
)text";

struct Traced {
  Tensor a, b;
  sim::RunResult result;
};

/// A = 0, 1, 2 ..., B of the second shape.
Traced trace_of(const std::string& text, std::vector<int64_t> a, std::vector<int64_t> b,
                sim::Trace& trace) {
  Traced t{Tensor(DType::f32, std::move(a)), Tensor(DType::f32, std::move(b)), {}};
  auto* values = reinterpret_cast<float*>(t.a.bytes.data());
  for (int64_t i = 0; i < t.a.count(); ++i) values[i] = static_cast<float>(i);
  std::vector<sim::Argument> arguments;
  for (Tensor* tensor : {&t.a, &t.b})
    arguments.push_back(sim::tensor_argument(DType::f32, tensor->shape, tensor->bytes.data()));
  sim::RunOptions options;
  options.trace = &trace;
  t.result = sim::run(*read_kernel("traced", text), arguments, options);
  return t;
}

std::string shown(const sim::TraceTouch& t) {
  std::string s = (t.write ? "writes " : "reads ") + t.buffer.str();
  for (size_t d = 0; d < t.lo.size(); ++d)
    s += " " + std::to_string(t.lo[d]) + ":" + std::to_string(t.lo[d] + t.extent[d]);
  return s + " x" + std::to_string(t.most);
}

const sim::TraceBuffer& buffer(const sim::Trace& trace, const char* name) {
  for (const sim::TraceBuffer& b : trace.state->buffers)
    if (b.name == Symbol(name)) return b;
  fail("<trace>", 0, std::string("no buffer ") + name);
  return trace.state->buffers.front();
}

float element(const sim::Trace& trace, const char* name, size_t i) {
  float value = 0;
  std::memcpy(&value, &buffer(trace, name).bytes[i * 4], 4);
  return value;
}

}  // namespace

TEST(trace_numbers_what_a_block_does) {
  sim::Trace trace;
  trace.block = {1, 0, 0};
  Traced t = trace_of(steps, {4, 8}, {4}, trace);
  EXPECT(t.result.ok());
  EXPECT_EQ(trace.count, int64_t{4});
  EXPECT_EQ(trace.grid[0], int64_t{2});
  EXPECT_EQ(trace.agents[0].name, std::string("the block"));
  EXPECT_EQ(shown(trace.events[0].touched[0]), std::string("reads A 2:4 0:8 x1"));
  EXPECT_EQ(shown(trace.events[0].touched[1]), std::string("writes x 0:2 0:8 x1"));
  EXPECT_EQ(trace.events[0].touched[1].low, 16.0);
  EXPECT_EQ(trace.events[0].touched[1].high, 31.0);
  const sim::TraceEvent& second = trace.events[2];
  EXPECT_EQ(second.names.size(), size_t{1});  // bx is a coordinate
  EXPECT_EQ(second.names[0].name.str() + std::to_string(second.names[0].bits[0]),
            std::string("r1"));
  // Element 0 of s is read by each iteration.
  const std::vector<sim::TraceTouch>& last = trace.events[3].touched;
  EXPECT_EQ(shown(last[0]), std::string("reads s 0:2 x3"));
  EXPECT_EQ(int(last[0].counts[0]), 3);
  EXPECT_EQ(int(last[0].counts[1]), 1);
  EXPECT_EQ(shown(last[1]), std::string("writes B 2:4 x1"));
  // Only that block has run.
  EXPECT(reinterpret_cast<const float*>(t.b.bytes.data())[0] !=
         reinterpret_cast<const float*>(t.b.bytes.data())[0]);
}

TEST(trace_state_is_that_after_an_event) {
  for (int64_t stop = -1; stop < 4; ++stop) {
    sim::Trace trace;
    trace.stop = stop;
    trace_of(steps, {4, 8}, {4}, trace);
    EXPECT(trace.state.has_value());
    EXPECT_EQ(trace.state->event, stop);
    EXPECT_EQ(element(trace, "x", 9) == 9.0f, stop >= 0);
    EXPECT_EQ(element(trace, "s", 1) == 17.0f, stop > 0);
    EXPECT_EQ(element(trace, "B", 1) == 18.0f, stop == 3);
  }
}

TEST(trace_keeps_a_window) {
  sim::Trace trace;
  trace.first = 1, trace.last = 2;
  trace_of(steps, {4, 8}, {4}, trace);
  EXPECT_EQ(trace.count, int64_t{4});
  EXPECT_EQ(trace.events.size(), size_t{2});
  EXPECT_EQ(trace.events[0].number, int64_t{1});
  sim::Trace small;
  small.max_bytes = 1;
  trace_of(steps, {4, 8}, {4}, small);
  EXPECT_EQ(small.events.size(), size_t{1});
  EXPECT_EQ(small.lost, int64_t{3});
}

TEST(trace_of_a_later_kernel_sees_what_those_before_left) {
  const std::string second =
      "    with kernel(\"k2\", grid=[2, 1, 1], block=32) as (cx, cy, cz):\n"
      "        for i in parallel(2):\n"
      "            B[cx * 2 + i] = B[cx * 2 + i] + B[0]\n";
  for (int64_t launch : {0, 1}) {
    sim::Trace trace;
    trace.launch = launch;
    trace.block = {1, 0, 0};
    trace.stop = INT64_MAX;
    Traced t = trace_of(steps + second, {4, 8}, {4}, trace);
    EXPECT(t.result.ok());
    EXPECT_EQ(trace.launches, int64_t{2});
    EXPECT_EQ(trace.count, launch == 0 ? int64_t{4} : int64_t{1});
    EXPECT_EQ(element(trace, "B", 2), launch == 0 ? 66.0f : 68.0f);
  }
}

TEST(trace_outside_of_the_grid_runs_nothing) {
  sim::Trace trace;
  trace.block = {2, 0, 0};
  Traced t = trace_of(steps, {4, 8}, {4}, trace);
  EXPECT_EQ(trace.count, int64_t{0});
  EXPECT_EQ(t.result.blocks, int64_t{0});
}

TEST(trace_reports_waits_and_completions) {
  sim::Trace trace;
  Traced t = trace_of(roles, {32}, {32}, trace);
  EXPECT(t.result.ok());
  EXPECT_EQ(trace.agents.size(), size_t{2});
  const sim::TraceEvent& first = trace.events[0];
  EXPECT_EQ(first.sync.object, std::string("ring r"));
  EXPECT_EQ(first.sync.verb, std::string("waits for"));
  EXPECT(first.sync.waits);
  int completed = 0, resumed = 0;
  for (const sim::TraceEvent& e : trace.events) {
    if (e.kind == sim::TraceKind::resumes) {
      ++resumed;
      EXPECT(trace.events[size_t(e.of)].sync.waits);
      EXPECT_EQ(trace.events[size_t(e.of)].agent, e.agent);
    }
    if (e.kind != sim::TraceKind::completes) continue;
    const sim::TraceEvent& issued = trace.events[size_t(e.of)];
    EXPECT(issued.late);
    EXPECT_EQ(trace.agents[size_t(issued.agent)].name, std::string("role p"));
    EXPECT_EQ(shown(e.touched[1]), "writes S 0:1 0:16 x1");
    EXPECT_EQ(e.touched[1].low, completed * 16.0);
    ++completed;
  }
  EXPECT_EQ(completed, 2);
  EXPECT_EQ(resumed, 3);  // the consumer twice, the producer before its second slot
  for (size_t i = 0; i < trace.events.size(); ++i)
    EXPECT_EQ(trace.events[i].number, static_cast<int64_t>(i));
}

TEST(trace_of_threads) {
  const std::vector<std::string> levels = levels_of(steps);
  for (size_t level = 1; level < levels.size(); ++level) {
    sim::Trace trace;
    trace.stop = INT64_MAX;
    Traced t = trace_of(levels[level], {4, 8}, {4}, trace);
    EXPECT(t.result.ok());
    EXPECT_EQ(trace.agents[0].name, std::string("warp 0"));
    EXPECT_EQ(trace.agents[0].threads, int64_t{32});
    bool writes = false, synced = false;
    for (const sim::TraceEvent& e : trace.events) {
      synced |= e.sync.verb == "synchronizes at";
      for (const sim::TraceTouch& touch : e.touched)
        writes |= touch.write && touch.buffer == Symbol("B");
    }
    EXPECT(writes);
    EXPECT(synced);
    EXPECT_EQ(element(trace, "B", 1), 18.0f);
    EXPECT_EQ(element(trace, "s", 1), 17.0f);
  }
}

TEST(a_finding_keeps_the_machine) {
  Tensor a(DType::f32, {4, 8}), b(DType::f32, {4});
  std::vector<sim::Argument> arguments;
  for (Tensor* tensor : {&a, &b})
    arguments.push_back(sim::tensor_argument(DType::f32, tensor->shape, tensor->bytes.data()));
  const std::string wrong =
      replaced(steps, "s[i] = x[i, 0] + x[i, 1]", "s[i + 1] = f32(r) + f32(bx)");
  const sim::RunResult result = sim::run(*read_kernel("failed", wrong), arguments);
  EXPECT(!result.findings.empty());
  EXPECT(result.failed.has_value());
  EXPECT_EQ(result.failed->block[0], int64_t{0});
  EXPECT_EQ(result.failed->buffers.size(), size_t{4});
  EXPECT(result.failed->agents[0].span.known());
}
