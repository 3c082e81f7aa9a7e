// SPDX-License-Identifier: Apache-2.0
// Kernels of tests/ir/levels: after every pass they run with every watcher, find nothing, and
// compute the bits of the snapshot before; only what a pass may reassociate is held to a tolerance.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "core/ir/build.h"
#include "core/passes/pass.h"
#include "tests/unit/sim/kernels.h"

using namespace tilelab;
using namespace tilelab::test;

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Tensors for the parameters, filled with a fixed sequence.
std::vector<Tensor> inputs(const Func& f) {
  std::vector<Tensor> v;
  sim::Random random(7);
  for (const Stmt& p : f.params) {
    const Buffer& b = to<Buffer>(to<Param>(p).tensor);
    Tensor t(b.dtype, const_shape(b));
    for (int64_t i = 0; i < t.count(); ++i) {
      uint64_t bits = random.next() % 1000;
      if (is_float(b.dtype))
        bits = encode_float(b.dtype, static_cast<double>(random.next() % 2001) / 500 - 2);
      std::memcpy(&t.bytes[static_cast<size_t>(i * bytes(b.dtype))], &bits,
                  static_cast<size_t>(bytes(b.dtype)));
    }
    v.push_back(std::move(t));
  }
  return v;
}

std::string findings_of(const sim::RunResult& r) {
  std::string s = r.error;
  for (const sim::Finding& f : r.findings)
    s += std::string(" ") + sim::finding_name(f.kind) + " " + f.buffer + f.element + " " + f.detail;
  return s;
}

double element(const Tensor& t, int64_t i) {
  uint64_t bits = 0;
  std::memcpy(&bits, &t.bytes[static_cast<size_t>(i * bytes(t.dtype))],
              static_cast<size_t>(bytes(t.dtype)));
  return is_float(t.dtype) ? decode_float(t.dtype, bits)
                           : static_cast<double>(wrap_int(t.dtype, static_cast<int64_t>(bits)));
}

/// Whether two results agree: in their bits, or, where a pass may reassociate, within 8 f32 ulp.
bool agree(const std::vector<Tensor>& a, const std::vector<Tensor>& b, bool exact) {
  for (size_t t = 0; t < a.size(); ++t) {
    if (a[t].bytes == b[t].bytes) continue;
    if (exact) return false;
    for (int64_t i = 0; i < a[t].count(); ++i) {
      double x = element(a[t], i), y = element(b[t], i);
      if (std::fabs(x - y) > 8 * 0x1p-24 * std::max(std::fabs(x), 1.0)) return false;
    }
  }
  return true;
}

void check_levels(const std::string& name, const FuncRef& func) {
  Diagnostics sink;
  PipelineResult passes = run_passes(func, sink);
  for (const Diagnostic& d : sink.all())
    fail(name.c_str(), static_cast<int>(d.span.line), d.message);
  EXPECT(passes.ok);
  std::optional<std::vector<Tensor>> before;
  FuncRef previous;
  for (const Snapshot& s : passes.snapshots) {
    std::string where = name + " after " + (s.pass ? s.pass->name : "reading");
    std::vector<Tensor> tensors = inputs(*func);
    std::vector<sim::Argument> arguments;
    for (Tensor& t : tensors)
      arguments.push_back(sim::tensor_argument(t.dtype, t.shape, t.bytes.data()));
    sim::RunOptions options;
    options.watch = sim::Watch::all();
    sim::RunResult r = sim::run(*s.func, arguments, options);
    if (!r.ok()) fail(where.c_str(), 0, findings_of(r));
    bool exact = !s.pass || !has_reassociated(*s.pass, *previous, *s.func);
    previous = s.func;
    if (before && !agree(*before, tensors, exact))
      fail(where.c_str(), 0, "computes something else than before");
    before = std::move(tensors);
  }
}

}  // namespace

TEST(sim_levels_compute_the_same_after_every_pass) {
  int kernels = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(TILELAB_SOURCE_DIR) + "/tests/ir/levels")) {
    std::string name = entry.path().filename().string();
    FuncRef f = read_kernel(name, text_of(entry.path()));
    if (!f) continue;
    check_levels(name, f);
    ++kernels;
  }
  EXPECT(kernels >= 10);
}

TEST(sim_levels_notice_a_wrong_pass) {
  // The same comparison must fail for a function that differs by one operation.
  std::string text = text_of(std::string(TILELAB_SOURCE_DIR) + "/tests/ir/levels/dequant.tile");
  FuncRef right = read_kernel("right", text),
          wrong = read_kernel("wrong", replaced(text, "- 8.0", "- 7.0"));
  auto result = [](const FuncRef& f) {
    std::vector<Tensor> tensors = inputs(*f);
    std::vector<sim::Argument> arguments;
    for (Tensor& t : tensors)
      arguments.push_back(sim::tensor_argument(t.dtype, t.shape, t.bytes.data()));
    EXPECT(sim::run(*f, arguments).ok());
    return tensors;
  };
  EXPECT(agree(result(right), result(right), true));
  EXPECT(!agree(result(right), result(wrong), false));
}
