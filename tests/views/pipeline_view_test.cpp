// SPDX-License-Identifier: Apache-2.0
#include "views/pipeline_view.h"

#include "core/ir/text/print.h"
#include "core/ir_text/ir_text.h"
#include "core/support/text.h"
#include "core/support/width.h"
#include "tests/unit/test.h"
#include "views/diff.h"
#include "views/highlight.h"
#include "views/report_view.h"

using namespace tilelab;
using namespace tilelab::test;

namespace {

std::string without_colours(const std::string& ansi) {
  std::string out;
  for (size_t i = 0; i < ansi.size(); ++i) {
    if (ansi[i] == '\x1b')
      i = ansi.find('m', i);
    else
      out += ansi[i];
  }
  return out;
}

/// Without the lines of ^ that represent colours.
std::string without_marks(const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  std::erase_if(lines, [](const std::string& line) {
    return !line.empty() && line.find_first_not_of(" ^") == std::string::npos;
  });
  return join(lines, "\n");
}

void expect_page(const Shown& shown) {
  EXPECT_EQ(without_colours(shown.ansi), without_marks(shown.text));
  for (const std::string& line : split(shown.text, '\n'))
    if (display_width(line) > int(page_columns()))
      EXPECT_EQ(line, std::to_string(page_columns()) + " columns");
  EXPECT(!contains(shown.html, "<script") && !contains(shown.html, "class="));
}

constexpr const char* kScale = R"(ir(1, level="tile", target="mp_31")
def scale(A: tensor(f32, [256, 64]), B: tensor(f32, [256, 64])):
    check_tensor(A, align=16)
    check_tensor(B, align=16, write=True)
    with kernel("scale_k0", grid=[4, 1, 1], block=128) as (bx, by, bz):
        A_shared = shared(f32, [64, 64])
        C_local = fragment(f32, [64, 64])
        copy(A[bx * 64:bx * 64 + 64, 0:64], A_shared)
        copy(A_shared, C_local)
        for i, j in parallel(64, 64):
            C_local[i, j] = C_local[i, j] * 2.0 + 1.0
        copy(C_local, B[bx * 64:bx * 64 + 64, 0:64])
)";

PipelineResult scale() {
  Diagnostics sink;
  FuncRef func = read_ir("scale.tile", kScale, sink);
  EXPECT_EQ(summary(sink), std::string());
  return run_passes(func, sink);
}

}  // namespace

TEST(diff_is_shortest_and_rebuilds_both_sides) {
  LineDiff diff = diff_lines("a\nb\nc\nd\n", "a\nx\nc\nd\ne\n");
  EXPECT_EQ(diff.count(), std::string("+2 -1"));
  std::string before, after;
  for (const auto& line : diff.lines) {
    if (line.what != LineDiff::What::added) before += line.text;
    if (line.what != LineDiff::What::removed) after += line.text;
  }
  EXPECT_EQ(before, std::string("abcd"));
  EXPECT_EQ(after, std::string("axcde"));
  EXPECT_EQ(diff_lines("a\n", "a\n").count(), std::string("="));
  EXPECT_EQ(diff_lines("", "a\nb\n").count(), std::string("+2"));
  EXPECT_EQ(diff_lines("a\nb\n", "c\nd\n").count(), std::string("~2"));
}

TEST(diff_folds_what_did_not_change) {
  std::string long_text;
  for (int i = 0; i < 40; ++i) long_text += "line " + std::to_string(i) + "\n";
  Shown shown = show_diff("k", {{"first", diff_lines(long_text, long_text)},
                                {"second", diff_lines(long_text, long_text + "<new>\n")}});
  expect_page(shown);
  EXPECT(contains(shown.text, "no change: first"));
  EXPECT(contains(shown.text, "  ... 37 lines unchanged\n"));
  EXPECT(contains(shown.text, "+ <new>"));
  EXPECT(contains(shown.html, "+ &lt;new&gt;"));
}

TEST(diff_marks_the_words_that_changed) {
  auto diff = [](const char* before, const char* after) {
    return show_diff("k", {{"", diff_lines(before, after)}});
  };
  Shown inserted = diff("copy(A, s)\n", "copy(A, s, by=\"simt\")\n");
  EXPECT(
      contains(inserted.text, "- copy(A, s)\n+ copy(A, s, by=\"simt\")\n           ^^^^^^^^^^^\n"));
  EXPECT(contains(inserted.ansi, "\x1b[1;4;32m, by=\"simt\"\x1b[0m"));
  EXPECT(contains(inserted.json, "[1,9,20]"));
  Shown moved = diff("for i in f(1):\nx = A[i + 1]\n", "x = A[j + 1]\ny = B[k]\n");
  EXPECT(
      contains(moved.text, "- x = A[i + 1]\n        ^\n+ x = A[j + 1]\n        ^\n+ y = B[k]\n"));
  // Lines that share little are other lines.
  EXPECT(!contains(diff("a = 1\n", "call(b, c, d)\n").text, "^"));
}

TEST(lines_break_where_a_reader_would) {
  auto wrapped = [](const char* line, size_t columns) {
    return wrap_code(line, Language::python, columns);
  };
  const char* store = "S[t * 8 + 1] = A[b * 64 + t * 8 + v * 2048 + 7]";
  EXPECT_EQ(wrapped(store, 40),
            std::string("S[t * 8 + 1] = A[\n    b * 64 + t * 8 + v * 2048 + 7]\n"));
  EXPECT_EQ(wrapped("copy(A[i * 8 + 1, j], A_shared, by=\"simt\")", 34),
            std::string("copy(A[i * 8 + 1, j], A_shared,\n    by=\"simt\")\n"));
  // A slice that is longer than a line is broken between its bounds.
  EXPECT_EQ(
      wrapped("x = A[aaaaaaaaaaaa * 16 + bbbb:aaaaaaaaaaaa * 16 + bbbb + 8]", 40),
      std::string("x = A[\n    aaaaaaaaaaaa * 16 + bbbb:\n    aaaaaaaaaaaa * 16 + bbbb + 8]\n"));
}

TEST(views_are_as_wide_as_their_page) {
  PipelineResult result = scale();
  for (size_t columns : {40, 80, 200}) {
    set_page_columns(columns);
    std::string problem;
    for (const Shown& shown :
         {show_passes(result, "scale"), *show_pass_diff(result, "scale", "", "", &problem),
          show_ir(*result.func(), "scale"), show_pass_list()})
      expect_page(shown);
  }
  set_page_columns(100);
}

TEST(long_lines_break_inside_brackets_only) {
  std::string line = "    x = f(";
  for (int i = 0; i < 30; ++i) line += "argument_" + std::to_string(i) + ", ";
  line += "last)  # @cell 1:2:3\n";
  std::string wrapped = wrap_code(line, Language::python);
  for (const std::string& part : split(wrapped, '\n')) EXPECT(part.size() <= page_columns());
  EXPECT(contains(wrapped, "    # @cell 1:2:3\n"));
  std::string joined;
  for (char c : wrapped) joined += c == '\n' || c == ' ' ? "" : std::string(1, c);
  EXPECT(contains(joined, "argument_29,last)"));
  EXPECT_EQ(wrap_code("short\n", Language::c), std::string("short\n"));
}

TEST(wrapped_ir_reads_back) {
  PipelineResult result = scale();
  EXPECT(result.ok);
  for (const Snapshot& snapshot : result.snapshots) {
    Diagnostics sink;
    FuncRef again = read_ir("again", show_ir(*snapshot.func, "scale").text, sink);
    EXPECT_EQ(summary(sink), std::string());
    if (again) EXPECT_EQ(print(*again), print(*snapshot.func));
  }
}

TEST(views_of_a_pipeline) {
  PipelineResult result = scale();
  EXPECT(result.ok);
  Shown passes = show_passes(result, "scale#1@mp_31");
  expect_page(passes);
  EXPECT(contains(passes.text, "scale#1@mp_31   128 threads\n"));
  for (const PassInfo& pass : all_passes()) EXPECT(contains(passes.text, pass.name));
  std::string problem;
  std::optional<Shown> diff = show_pass_diff(result, "scale", "", "", &problem);
  EXPECT(diff.has_value());
  expect_page(*diff);
  EXPECT(contains(diff->text, "infer_layouts  "));
  EXPECT(!show_pass_diff(result, "scale", "infer_layout", "", &problem));
  EXPECT_EQ(problem, std::string("unknown pass infer_layout; did you mean infer_layouts?"));
  Diagnostics sink;
  std::optional<Shown> source = show_source(*result.func(), "scale", {}, sink);
  EXPECT(source.has_value());
  expect_page(*source);
  EXPECT(contains(source->text, "__global__"));
  EXPECT(contains(source->html, "&lt;"));
}

TEST(calls_with_aligned_rows_are_named) {
  Diagnostics sink;
  const auto note = [&](const std::string& target) {
    const FuncRef func =
        read_ir("rows ir",
                "ir(1, level=\"tile\", target=\"" + target +
                    "\")\n"
                    "def f(A: tensor(f16, [m, n]), B: tensor(f32, [4, n]), *, "
                    "m: dim(i32, 0, 4096), n: dim(i32, 0, 4096)):\n"
                    "    bind(m, A, 0)\n"
                    "    bind(n, A, 1)\n"
                    "    with kernel(\"k0\", grid=[1, 1, 1], block=32) as (bx, by, bz):\n"
                    "        B[0, 0] = 1.0\n",
                sink);
    return func ? note_of_aligned_calls(*func) : std::string("not read");
  };
  EXPECT_EQ(note("sm_90a"),
            std::string("calls on a GPU with n % 8 == 0 run f.aligned(), made for aligned rows"));
  EXPECT_EQ(note("cpu"), std::string());
}

TEST(layouts_by_buffer_name_after_every_pass) {
  PipelineResult result = scale();
  std::string problem;
  EXPECT(!subject_of(*result.after("canonicalize")->func, "C_local", &problem));
  EXPECT(contains(problem, "C_local has no layout after canonicalize"));
  EXPECT(subject_of(*result.after("infer_layouts")->func, "C_local", &problem).has_value());
  EXPECT(subject_of(*result.after("vectorize")->func, "C_local", &problem).has_value());
  EXPECT(!subject_of(*result.func(), "C_loca", &problem));
  EXPECT(contains(problem, "did you mean C_local?"));
}

TEST(styled_text_keeps_its_styles_when_it_is_wrapped) {
  StyledText text;
  text.add("  head  ", Style::strong).add("some text that is long, long and long", Style::dim);
  text.add(" to the end\n").add("short\n", Style::error);
  EXPECT_EQ(text.hanging().plain(), text.plain());
  set_page_columns(40);
  const StyledText broken = text.hanging();
  EXPECT_EQ(broken.plain(), hanging(text.plain()));
  EXPECT_EQ(without_colours(broken.ansi()), broken.plain());
  EXPECT(contains(broken.ansi(),
                  "\x1b[1m  head  \x1b[0m\x1b[90msome text that is long, long and\x1b[0m\n"));
  set_page_columns(100);
}
