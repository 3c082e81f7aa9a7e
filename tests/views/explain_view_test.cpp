// SPDX-License-Identifier: Apache-2.0
#include "views/explain_view.h"

#include <algorithm>
#include <set>

#include "core/diagnostics/usage.h"
#include "core/ir_text/ir_text.h"
#include "core/support/text.h"
#include "tests/unit/test.h"
#include "views/glossary.h"
#include "views/pipeline_view.h"

using namespace tilelab;
using namespace tilelab::test;

namespace {

/// The width of the widest line of HTML, of lines that can be broken.
size_t widest_line(const std::string& html) {
  size_t widest = 0, columns = 0;
  bool in_tag = false;
  for (char c : html) {
    if (c == '<' || c == '\n') {
      widest = std::max(widest, columns);
      if (c == '\n') columns = 0;
    }
    in_tag = (in_tag || c == '<') && c != '>';
    if (!in_tag && c != '>' && c != '\n') ++columns;
  }
  return widest;
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

/// A kernel of kSource with `body` and the places that it comes from.
PipelineResult compiled_with(const std::string& body, Diagnostics& said) {
  add_source("scale.py", kSource);
  FuncRef func = read_ir("scale ir",
                         "ir(1, level=\"tile\", target=\"mp_31\")\n"
                         "def scale(A: tensor(f32, [128]), B: tensor(f32, [128])):\n"
                         "    with kernel(\"k0\", grid=[2, 1, 1], block=64) as (bx, by, bz):  "
                         "# @scale.py:2:5\n"
                         "        s = shared(f32, [64])  # @scale.py:3:9\n" +
                             body,
                         said);
  EXPECT(bool(func));
  return run_passes(func, said, {});
}

PipelineResult compiled(Diagnostics& said) {
  return compiled_with(
      "        unused = A[0]  # @scale.py:4:9\n"
      "        copy(A[bx * 64:bx * 64 + 64], s)  # @scale.py:5:9\n"
      "        copy(s, B[bx * 64:bx * 64 + 64])  # @scale.py:6:9\n",
      said);
}

}  // namespace

TEST(explain_knows_every_message_and_finding) {
  std::string problem;
  for (const std::string& name : message_names()) {
    auto shown = explain_word(name, &problem);
    EXPECT(shown && contains(shown->text, name) && contains(shown->html, name));
    for (const std::string& line : split(shown->text, '\n')) EXPECT(line.size() <= 100);
    EXPECT(!contains(shown->text, "{}"));
    if (!contains(shown->text, "What to do: ") && !contains(shown->text, "\n    help: ") &&
        !without_help().count(name))
      fail(name.c_str(), 0, "its page does not say what to do");
    if (!contains(shown->text, "For example:") && name != "output-not-finite" &&
        name != "pass-level")
      fail(name.c_str(), 0, "its page has no example");
  }
  EXPECT(!explain_word("copy-shpe", &problem));
  EXPECT_EQ(problem, std::string("unknown message or term copy-shpe; did you mean copy-shape?"));
}

TEST(explain_knows_every_term_of_the_glossary) {
  const std::vector<std::string> words = glossary_words();
  EXPECT_EQ(std::set<std::string>(words.begin(), words.end()).size(), words.size());
  EXPECT(glossary().size() >= 60);
  std::string problem;
  for (const std::string& word : words) {
    const GlossaryTerm* term = find_term(word);
    if (!term || term->text.empty()) fail(word.c_str(), 0, "a term without a text");
    EXPECT(explain_word(word, &problem));
  }
  auto shown = explain_word("Bank Conflicts", &problem);
  EXPECT(shown && contains(shown->text, "bank conflict\n\n  Lanes of a warp"));
  EXPECT(shown && contains(shown->text, "\n      32 lanes read a column"));
  auto barrier = explain_word("barrier", &problem);
  EXPECT(barrier && contains(barrier->text, "\n  Old words: "));
  auto finding = explain_word("deadlock", &problem);  // a finding goes before a term
  EXPECT(finding && contains(finding->text, "found by the simulator"));
  EXPECT(!explain_word("swizle", &problem));
  EXPECT_EQ(problem, std::string("unknown message or term swizle; did you mean swizzle?"));
}

TEST(explain_gives_the_reasons_of_lines) {
  Diagnostics said;
  PipelineResult result = compiled(said);
  std::string problem;
  auto all = explain_kernel(result, said, "scale#1", 0, &problem);
  EXPECT(all && contains(all->text, "  line 5  T.copy(A[bx * 64], s)\n    moves  "));
  EXPECT(contains(all->text, "64 elements, 256 bytes, from global A to shared s"));
  EXPECT(contains(all->text, "s: accesses of a warp have no bank conflicts (1 cycle)"));
  EXPECT(contains(all->text, "1 element, 4 bytes per access; 2 would leave threads without work"));
  EXPECT(contains(all->text, "\n    select_instructions  "));
  EXPECT(contains(all->text, "  in the whole kernel\n"));
  auto one = explain_kernel(result, said, "scale#1", 6, &problem);
  EXPECT(one && contains(one->text, "line 6") && !contains(one->text, "line 5"));
  auto plain = explain_kernel(result, said, "scale#1", 4, &problem);
  EXPECT(plain && contains(plain->text, "becomes                 unused = A[0]"));
  EXPECT(!explain_kernel(result, said, "scale#1", 1, &problem));
  EXPECT(
      contains(problem, "the compiler made no decisions in line 1 of scale#1; in 2, 3, 4, 5, 6"));
  said.report(usage::option_no_effect, {0, 6, 1, 6, 2}, "T.use_swizzle").note("no panels");
  one = explain_kernel(result, said, "scale#1", 6, &problem);
  EXPECT(one && contains(one->text, "T.use_swizzle has no effect here: no panels"));
}

TEST(explain_has_every_statement_of_a_kernel) {
  Diagnostics said;
  add_source("each.py",
             "def each(A, n):\n    with T.Kernel(1) as bx:\n        for k in range(4):\n"
             "            v = v + 1\n        if False:\n            v = 2\n        A[0] = v\n");
  FuncRef func = read_ir("each ir",
                         "ir(1, level=\"tile\", target=\"mp_31\")\n"
                         "def each(A: tensor(i32, [4])):\n"
                         "    with kernel(\"k0\", grid=[1, 1, 1], block=32) as (bx, by, bz):"
                         "  # @each.py:2:5\n"
                         "        v = var(i32, 0)  # @each.py:2:5\n"
                         "        for k in serial(4):  # @each.py:3:9\n"
                         "            v = v + 1  # @each.py:4:13\n"
                         "        if False:  # @each.py:5:9\n"
                         "            v = 2  # @each.py:6:13\n"
                         "        A[0] = v  # @each.py:7:9\n",
                         said);
  EXPECT(bool(func));
  std::string problem;
  auto all = explain_kernel(run_passes(func, said, {}), said, "each#1", 0, &problem);
  EXPECT(all && contains(all->text, "runs                    4 iterations, in sequence\n"));
  EXPECT(contains(all->text, "becomes                 v = v + 1\n"));
  EXPECT(contains(all->text, "  line 6  v = 2\n    canonicalize            removed\n"));
  EXPECT(contains(all->text, "becomes                 A[0] = v\n"));
}

TEST(explain_gives_what_is_inside_a_parallel) {
  Diagnostics said;
  PipelineResult result = compiled_with(
      "        copy(A[bx * 64:bx * 64 + 64], s)  # @scale.py:4:9\n"
      "        for i in parallel(64):  # @scale.py:5:9\n"
      "            s[i] = s[i] * 2  # @scale.py:6:13\n",
      said);
  std::string problem;
  auto loop = explain_kernel(result, said, "scale#1", 5, &problem);
  auto inner = explain_kernel(result, said, "scale#1", 6, &problem);
  EXPECT(loop && !contains(loop->text, "banks"));
  EXPECT(inner && contains(inner->text, "in each of the 64 iterations of line 5, by its thread"));
  const std::string free = "s: accesses of a warp have no bank conflicts (1 cycle)";
  EXPECT(inner && contains(inner->text, free));
  EXPECT_EQ(split(inner->text, '\n').size(), size_t{5});  // what is read and written alike, once
}

TEST(explain_counts_what_a_lane_has_of_a_column) {
  Diagnostics said;
  add_source("turned.py",
             "def turned(A, B):\n    with T.Kernel(1, threads=128):\n        s = "
             "T.alloc_shared((64, 64), \"float16\")\n"
             "        T.copy(A, s)\n        for i, j in T.Parallel(64, 64):\n            B[i, j] = "
             "s[j, i]\n");
  FuncRef func = read_ir("turned ir",
                         "ir(1, level=\"tile\", target=\"sm_90a\")\n"
                         "def turned(A: tensor(f16, [64, 64]), B: tensor(f16, [64, 64])):\n"
                         "    with kernel(\"turned_k0\", grid=[1, 1, 1], block=128) as (bx, by, "
                         "bz):  # @turned.py:2:5\n"
                         "        s = shared(f16, [64, 64])  # @turned.py:3:9\n"
                         "        copy(A, s)  # @turned.py:4:9\n"
                         "        for i, j in parallel(64, 64):  # @turned.py:5:9\n"
                         "            B[i, j] = s[j, i]  # @turned.py:6:13\n",
                         said);
  EXPECT(bool(func));
  std::string problem;
  auto all = explain_kernel(run_passes(func, said, {}), said, "turned#1", 6, &problem);
  EXPECT(all && contains(all->text, "s: accesses of a warp have no bank conflicts (8 cycles)"));
}

TEST(map_relates_source_to_ir_and_code) {
  Diagnostics said;
  PipelineResult result = compiled(said);
  std::string problem;
  auto shown = show_map(result, "scale#1", {}, &problem);
  EXPECT(shown.has_value());
  auto line_with = [](const std::string& text, const std::string& part) {
    for (const std::string& line : split(text, '\n'))
      if (contains(line, part)) return line;
    return std::string();
  };
  EXPECT(contains(line_with(shown->text, "  5      T.copy(A[bx * 64], s)"), " |   "));
  EXPECT(contains(shown->text, "\n    ir copy(A[bx * 64:"));
  EXPECT(contains(line_with(shown->text, "  4      unused = A[0]"), "| "));
  EXPECT(contains(line_with(shown->text, "  4      unused = A[0]"), "removed by "));
  EXPECT(contains(shown->html, "generated code"));
  EXPECT(!show_map(result, "scale#1", {.after = "nowhere"}, &problem));
  EXPECT(contains(problem, "nowhere"));
  auto one = show_map(result, "scale#1", {.line = 5}, &problem);
  EXPECT(one && contains(one->text, "T.copy(A[bx * 64], s)") && !contains(one->text, "unused"));
  EXPECT(!show_map(result, "scale#1", {.line = 500}, &problem));
  EXPECT_EQ(problem, std::string("line 500 of scale#1 has no statement"));
  // The other way: a line of the code leads to all that its statement became.
  auto number = [](const std::string& line) {
    return std::atoi(line.substr(line.find(" | ") + 3).c_str());
  };
  const int at = number(line_with(one->text, "T.copy(A[bx * 64], s)"));
  auto back = show_map(result, "scale#1", {.line = at, .by_code = true}, &problem);
  EXPECT(at > 1 && back && back->text == one->text);
  auto head = show_map(result, "scale#1", {.line = 1, .by_code = true}, &problem);
  EXPECT(head && contains(head->text, "#include") && !contains(head->text, "T.copy"));
  EXPECT(!show_map(result, "scale#1", {.line = 900, .by_code = true}, &problem));
  EXPECT(contains(problem, "the code of scale#1 has lines 1 to "));
}

TEST(map_knows_the_lines_of_a_file_in_a_folder) {
  Diagnostics said;
  add_source("/some/folder/three.py", "def three(A, B):\n    B[0] = A[0]\n");
  FuncRef func = read_ir("three ir",
                         "ir(1, level=\"tile\", target=\"mp_31\")\n"
                         "def three(A: tensor(f32, [2]), B: tensor(f32, [2])):\n"
                         "    with kernel(\"k0\", grid=[1, 1, 1], block=64) as (bx, by, bz):"
                         "  # @/some/folder/three.py:1:1\n"
                         "        B[0] = A[0]  # @/some/folder/three.py:2:5\n",
                         said);
  EXPECT(bool(func));
  std::string problem;
  auto shown = show_map(run_passes(func, said, {}), "three#1", {.line = 2}, &problem);
  EXPECT(shown && contains(shown->text, "B[0] = A[0];"));
}

TEST(map_gives_code_that_is_wrapped_to_its_own_line) {
  Diagnostics said;
  add_source("two.py", "def two(A, B):\n    x = A[0]\n    y = sum(A)\n    B[0] = x / y\n");
  std::string sum = "A[bx]";
  for (int i = 1; i < 12; ++i) sum += " + A[bx + " + std::to_string(100000 * i) + "]";
  FuncRef func = read_ir("two ir",
                         "ir(1, level=\"tile\", target=\"mp_31\")\n"
                         "def two(A: tensor(f32, [2000000]), B: tensor(f32, [2])):\n"
                         "    with kernel(\"k0\", grid=[2, 1, 1], block=64) as (bx, by, bz):"
                         "  # @two.py:1:1\n"
                         "        x = A[0]  # @two.py:2:5\n"
                         "        y = " +
                             sum +
                             "  # @two.py:3:5\n"
                             "        B[0] = x / y  # @two.py:4:5\n",
                         said);
  EXPECT(bool(func));
  std::string problem;
  auto first = show_map(run_passes(func, said, {}), "two#1", {.line = 2}, &problem);
  auto second = show_map(run_passes(func, said, {}), "two#1", {.line = 3}, &problem);
  EXPECT(first && contains(first->text, "float x = A[0];") && !contains(first->text, "float y"));
  EXPECT(second && contains(second->text, "float y") && contains(second->text, "1100000]"));
  EXPECT(contains(second->html, "1100000]") || contains(second->html, "1100000</span>]"));
  EXPECT(widest_line(second->html.substr(second->html.find("<pre"))) <= 48);  // three fit a page
}

TEST(map_of_code_for_the_hosts_cores) {
  Diagnostics said;
  FuncRef func = read_ir("cpu ir",
                         "ir(1, level=\"tile\", target=\"cpu\")\n"
                         "def a(A: tensor(f32, [64])):\n"
                         "    with kernel(\"k0\", grid=[1, 1, 1], block=1) as (bx, by, bz):\n"
                         "        A[3] = 2.0\n",
                         said);
  std::string problem;
  auto shown = show_map(run_passes(func, said, {}), "a#1", {.line = 4}, &problem);
  EXPECT(shown && contains(shown->text, "A[3] = 2.0f;"));
}

TEST(map_knows_files_in_any_directory) {
  Diagnostics said;
  add_source("/home/ann/my kernels/a.py", "def a(A, B):\n    x = f(A)\n    B[0] = x\n");
  add_source("/usr/lib/f.py", "\n\n    y = A[0]\n");
  FuncRef func = read_ir("files ir",
                         "ir(1, level=\"tile\", target=\"mp_31\")\n"
                         "def a(A: tensor(f32, [64]), B: tensor(f32, [64])):\n"
                         "    with kernel(\"k0\", grid=[1, 1, 1], block=64) as (bx, by, bz):"
                         "  # @/home/ann/my kernels/a.py:1:1\n"
                         "        y = A[3] * 2.0  # @/usr/lib/f.py:3:5\n"
                         "        x = y * y  # @/home/ann/my kernels/a.py:2:5\n"
                         "        B[0] = x  # @/home/ann/my kernels/a.py:3:5\n",
                         said);
  EXPECT(bool(func));
  std::string problem;
  const PipelineResult result = run_passes(func, said, {});
  auto two = show_map(result, "a#1", {.line = 2}, &problem);
  EXPECT(two && contains(two->text, "x = y * y;") && !contains(two->text, "float y"));
  auto code = show_map(result, "a#1", {.by_code = true}, &problem);
  EXPECT(code && contains(code->text, "// f.py:3") && !contains(code->text, "// a.py"));
}

TEST(map_gives_each_line_of_the_code_its_source) {
  Diagnostics said;
  PipelineResult result = compiled(said);
  std::string problem;
  set_page_columns(200);
  auto by_code = show_map(result, "scale#1", {.by_code = true}, &problem);
  EXPECT(by_code.has_value());
  Diagnostics sink;
  auto source = show_source(*result.func(), "scale#1", {}, sink);
  size_t statements = 0;
  for (const std::string& line : split(source->text, '\n')) {
    const size_t code = line.find_first_not_of(' ');
    if (code == std::string::npos || line.find("//") <= code) continue;
    // Unchanged, with its indentation.
    EXPECT(contains(by_code->text, "  " + line.substr(0, line.find("  // "))));
    ++statements;
  }
  EXPECT(statements > 8);
  for (size_t columns : {40, 80, 200}) {
    set_page_columns(columns);
    for (const auto& shown : {show_map(result, "scale#1", {}, &problem),
                              show_map(result, "scale#1", {.by_code = true}, &problem)})
      for (const std::string& line : split(shown->text, '\n'))
        if (line.size() > columns && strip(line).find(' ') != std::string::npos)
          EXPECT_EQ(line, std::to_string(columns) + " columns");
  }
  set_page_columns(100);
}
