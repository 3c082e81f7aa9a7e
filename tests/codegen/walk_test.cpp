// SPDX-License-Identifier: Apache-2.0
// Every text of tests/ir and tests/codegen/tile for every target, stopped after every pass, printed
// and written as C: a result or a diagnostic, never an internal error.
#include <filesystem>
#include <fstream>

#include "codegen/codegen.h"
#include "core/diagnostics/render.h"
#include "core/ir/text/print.h"
#include "core/ir/verify/verify.h"
#include "core/ir_text/ir_text.h"
#include "core/passes/pass.h"
#include "core/targets/target.h"
#include "tests/codegen/harness.h"

using namespace tilelab;
using namespace tilelab::test;

namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// One text for one target; returns how many snapshots were seen.
int walk_text(const std::string& name, const FuncRef& read, const char* target) {
  Func copy(*read);
  copy.target = target;
  Diagnostics sink, lacks;
  if (!verify(copy, limits_of(copy), lacks)) return 0;  // what it does not have
  const PipelineResult passes = run_passes(make(std::move(copy)), sink);
  if (passes.ok == !sink.ok()) fail(name.c_str(), 0, "neither a result nor a diagnostic");
  for (const Snapshot& s : passes.snapshots) {
    if (print(*s.func).empty()) fail(name.c_str(), 0, "nothing printed");
    if (s.func->level != Level::flat) continue;
    Diagnostics refused;
    const auto c = codegen::render(*s.func, *find_target(target), {.host = true}, refused);
    if (!c == refused.ok()) fail(name.c_str(), 0, "neither C nor a diagnostic");
  }
  return int(passes.snapshots.size());
}

}  // namespace

TEST(every_text_ends_in_a_result_or_a_diagnostic) {
  int texts = 0, snapshots = 0;
  const std::string tests = TILELAB_TEST_DIR "/../";
  for (const char* folder : {"ir/kernels", "ir/levels", "ir/diag", "codegen/tile"})
    for (const auto& entry : std::filesystem::directory_iterator(tests + folder)) {
      const std::string name = entry.path().filename().string();
      Diagnostics sink;
      const FuncRef func = read_ir(name, contents(entry.path()), sink);
      if (!func) {
        if (sink.ok()) fail(name.c_str(), 0, "not read, and nothing said");
        continue;
      }
      if (!verify(*func, limits_of(*func), sink))
        continue;  // refused like this wherever a text comes in
      ++texts;
      for (const char* target : {"mp_31", "mp_22", "sm_80", "sm_90a"}) {
        try {
          snapshots += walk_text(name, func, target);
        } catch (const std::exception& e) {
          fail(name.c_str(), 0, std::string(target) + ": " + e.what());
        }
      }
    }
  EXPECT(texts >= 30);
  EXPECT(snapshots > 4 * texts);
}

namespace {

std::string said_of(const std::string& name) {
  Diagnostics sink;
  const FuncRef func = read_ir(name, contents(TILELAB_TEST_DIR "/../ir/" + name), sink);
  if (func) run_passes(func, sink);
  return render(sink).plain();
}

void expect_said(const std::string& name, const std::string& first_line) {
  const std::string said = said_of(name);
  EXPECT_EQ(said.substr(0, said.find('\n')), first_line);
}

}  // namespace

TEST(texts_that_passes_do_not_lower_say_so) {
  expect_said("../passes/lower_tile_ops/fail_store_beside_engine.py",
              "error[pass-not-built]: lower_tile_ops cannot lower a store by threads into a slot "
              "that a copy engine fills yet");
  expect_said("diag/fail_rule_break.py",
              "error[pass-level]: canonicalize expects tile level, but this is thread level");
}
