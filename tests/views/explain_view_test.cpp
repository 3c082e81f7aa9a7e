// SPDX-License-Identifier: Apache-2.0
#include "views/explain_view.h"

#include <set>

#include "core/diagnostics/usage.h"
#include "core/elaborate/ir_text.h"
#include "core/support/text.h"
#include "tests/unit/test.h"

using namespace tilelab;
using tilelab::test::fail;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Messages that have a reason not to say what to do.
std::set<std::string> without_help() {
  std::set<std::string> out;
#define HELP(id, text)
#define NO_HELP(id, reason) out.emplace(info(id).name);
#include "core/diagnostics/helps.def"
#undef NO_HELP
#undef HELP
  return out;
}

constexpr const char* kSource =
    "def scale(A, B):\n"
    "    with T.Kernel(2, threads=64) as bx:\n"
    "        s = T.alloc_shared((64,), 'float32')\n"
    "        unused = A[0]\n"
    "        T.copy(A[bx * 64], s)\n"
    "        T.copy(s, B[bx * 64])\n";

/// The IR of kSource with the places that it comes from.
PipelineResult compiled(Diagnostics& said) {
  add_source("scale.py", kSource);
  FuncRef func = read_ir("scale ir",
                         "ir(1, level=\"tile\", target=\"mp_31\")\n"
                         "def scale(A: tensor(f32, [128]), B: tensor(f32, [128])):\n"
                         "    with kernel(\"k0\", grid=[2, 1, 1], block=64) as (bx, by, bz):  "
                         "# @scale.py:2:5\n"
                         "        s = shared(f32, [64])  # @scale.py:3:9\n"
                         "        unused = A[0]  # @scale.py:4:9\n"
                         "        copy(A[bx * 64:bx * 64 + 64], s)  # @scale.py:5:9\n"
                         "        copy(s, B[bx * 64:bx * 64 + 64])  # @scale.py:6:9\n",
                         said);
  EXPECT(bool(func));
  return run_passes(func, said, {});
}

}  // namespace

TEST(explain_knows_every_message_and_finding) {
  std::string problem;
  for (const std::string& name : message_names()) {
    auto shown = explain_message(name, &problem);
    EXPECT(shown && has(shown->text, name) && has(shown->html, name));
    for (const std::string& line : split(shown->text, '\n')) EXPECT(line.size() <= 100);
    EXPECT(!has(shown->text, "{}"));
    if (!has(shown->text, "What to do: ") && !has(shown->text, "\n    help: ") &&
        !without_help().count(name))
      fail(name.c_str(), 0, "its page does not say what to do");
    if (!has(shown->text, "For example:") && name != "output-not-finite" && name != "pass-level")
      fail(name.c_str(), 0, "its page has no example");
  }
  EXPECT(!explain_message("copy-shpe", &problem));
  EXPECT_EQ(problem, std::string("there is no message copy-shpe; did you mean copy-shape?"));
}

TEST(explain_gives_the_reasons_of_lines) {
  Diagnostics said;
  PipelineResult result = compiled(said);
  std::string problem;
  auto all = explain_kernel(result, said, "scale#1", 0, &problem);
  EXPECT(all && has(all->text, "  line 5  T.copy(A[bx * 64], s)\n    select_instructions  "));
  EXPECT(has(all->text, "  in the whole kernel\n"));
  auto one = explain_kernel(result, said, "scale#1", 6, &problem);
  EXPECT(one && has(one->text, "line 6") && !has(one->text, "line 5"));
  EXPECT(!explain_kernel(result, said, "scale#1", 4, &problem));
  EXPECT(has(problem, "nothing was decided in line 4 of scale#1; in 5, 6"));
}

TEST(map_relates_source_to_ir_and_code) {
  Diagnostics said;
  PipelineResult result = compiled(said);
  std::string problem;
  auto shown = show_map(result, "scale#1", "", &problem);
  EXPECT(shown.has_value());
  EXPECT(has(shown->text, "    5  T.copy(A[bx * 64], s)\n       ir copy(A[bx * 64:"));
  EXPECT(has(shown->text, "       c  "));
  EXPECT(has(shown->text,
             "    4  unused = A[0]\n       ir unused = A[0]\n"
             "       nothing is left of it since "));
  EXPECT(has(shown->html, "generated code"));
  EXPECT(!show_map(result, "scale#1", "nowhere", &problem));
  EXPECT(has(problem, "nowhere"));
}
