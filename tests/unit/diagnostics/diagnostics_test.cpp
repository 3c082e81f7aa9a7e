// SPDX-License-Identifier: Apache-2.0
#include "core/diagnostics/diagnostics.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "core/diagnostics/allow.h"
#include "core/diagnostics/render.h"
#include "core/diagnostics/usage.h"
#include "core/support/check.h"
#include "core/support/width.h"
#include "tests/unit/test.h"

using namespace tilelab;

namespace {

/// The span of the `n`th occurrence of `text` in line `line` of `file`.
Span find(FileId file, uint32_t line, const std::string& text) {
  uint32_t col = static_cast<uint32_t>(source_line(file, line).find(text)) + 1;
  return {file, line, col, line, col + static_cast<uint32_t>(text.size())};
}

}  // namespace

TEST(diagnostics_two_labels_in_one_line) {
  FileId file =
      add_source("cell 3", "def f():\n    T.copy(A[by * BM : by * BM + BM, 0:32], A_shared)\n");
  Diagnostics sink;
  sink.report(Diag::syntax_unexpected, find(file, 2, "A[by * BM : by * BM + BM, 0:32]"), "a", "b")
      .mark("128x32, because BM = 128")
      .label(find(file, 2, "A_shared"), "64x32, allocated in line 8")
      .help("allocate A_shared as (BM, 32), or copy 64 rows");
  EXPECT_EQ(render(sink).plain(), std::string(
                                      R"(error[syntax-unexpected]: expected a, found b
  --> cell 3, line 2
  2 |     T.copy(A[by * BM : by * BM + BM, 0:32], A_shared)
    |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^  ~~~~~~~~ 64x32, allocated in line 8
    |            128x32, because BM = 128
help: allocate A_shared as (BM, 32), or copy 64 rows
)"));
}

TEST(diagnostics_labels_on_several_lines_and_files) {
  FileId file = add_source("cell 7", "x = 1\ny\nz\n\tw = x + y\n");
  FileId other = add_source("cell 2", "q = 2");
  Diagnostics sink;
  sink.report(Diag::syntax_character, find(file, 4, "x"), "x")
      .label(find(file, 1, "x"), "bound here")
      .label(find(file, 4, "y"), "second")
      .label(find(file, 4, "w"), "first")
      .label(find(other, 1, "q"), "")
      .note("one\ntwo");
  EXPECT_EQ(render(sink).plain(), std::string(
                                      R"(error[syntax-character]: unexpected character x
  --> cell 7, line 4
  1 | x = 1
    | ~ bound here
 ...
  4 |     w = x + y
    |     ~   ^   ~ second
    |     first
  --> cell 2, line 1
  1 | q = 2
    | ~
note: one
      two
help: remove it, or put it into a string or a comment
)"));
}

TEST(diagnostics_wide_characters_and_long_lines) {
  FileId file = add_source(
      "cell 8", "\"块\" + é + bad\n" + std::string(150, 'a') + " + bad + " + std::string(90, 'b'));
  Diagnostics sink;
  sink.report(Diag::syntax_character, find(file, 1, "bad"), "x");
  sink.report(Diag::syntax_character, find(file, 2, "bad"), "x").mark("here");
  std::string text = render(sink).plain();
  EXPECT(text.find("  1 | \"块\" + é + bad\n    |            ^^^\n") != std::string::npos);
  size_t begin = 0;
  for (size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    EXPECT(display_width(text.substr(begin, end - begin)) <= 100);
  size_t line = text.find("  2 | "), marker = text.find('\n', line) + 1;
  size_t bad = text.find("bad", line), caret = text.find('^', marker);
  EXPECT_EQ(display_width(text.substr(line, bad - line)),
            display_width(text.substr(marker, caret - marker)));
}

TEST(diagnostics_places_that_are_not_there) {
  FileId file = add_source("cell 9", "ab");
  Diagnostics sink;
  sink.report(Diag::syntax_character, Span{}, "x");
  sink.report(Diag::syntax_character, Span{file, 9, 5, 9, 6}, "x");
  sink.report(Diag::syntax_character, Span{file, 1, 40, 3, 2}, "x");
  sink.report(Diag::syntax_character, Span{file, 1, 0, 1, 0}, "x").mark("whole");
  EXPECT_EQ(render(sink).plain(), std::string(
                                      R"(error[syntax-character]: unexpected character x
help: remove it, or put it into a string or a comment

error[syntax-character]: unexpected character x
  --> cell 9, line 9
help: remove it, or put it into a string or a comment

error[syntax-character]: unexpected character x
  --> cell 9, line 1
  1 | ab
    |   ^
help: remove it, or put it into a string or a comment

error[syntax-character]: unexpected character x
  --> cell 9, line 1
  1 | ab
    | ^^ whole
help: remove it, or put it into a string or a comment
)"));
}

TEST(diagnostics_html_and_ansi) {
  FileId file = add_source("cell <i>", "a < b && c");
  Diagnostics sink;
  sink.report(Diag::syntax_character, find(file, 1, "&&"), "<script>");
  std::string html = render(sink).html();
  EXPECT(html.find("<script") == std::string::npos);
  EXPECT(html.find("a &lt; b &amp;&amp; c") != std::string::npos);
  EXPECT(html.find("cell &lt;i&gt;") != std::string::npos);
  EXPECT(html.find("class=") == std::string::npos);
  EXPECT(render(sink).ansi().find("\033[1;31merror[syntax-character]\033[0m") != std::string::npos);
}

TEST(diagnostics_sort_and_count) {
  Diagnostics sink;
  sink.report(Diag::syntax_character, Span{1, 5, 1, 5, 2}, "b");
  sink.report(Diag::syntax_character, Span{1, 2, 1, 2, 2}, "a");
  sink.report(Diag::syntax_character, Span{1, 5, 1, 5, 2}, "b");
  sink.sort();
  EXPECT_EQ(sink.errors(), 2);
  EXPECT_EQ(sink.all().front().span.line, 2u);
  EXPECT_EQ(summary(sink), std::string("2 errors"));
}

TEST(diagnostics_arguments_are_counted) {
  int thrown = 0;
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{}, {"a", "b"}}) {
    try {
      make_diagnostic(Diag::syntax_character, {}, arguments);
    } catch (const InternalError&) {
      ++thrown;
    }
  }
  EXPECT_EQ(thrown, 2);
}

TEST(diagnostics_have_examples) {
  EXPECT(example_of("syntax-unclosed").starts_with("error[syntax-unclosed]: "));
  EXPECT(example_of("race").starts_with("race: "));
  // A finding that shares its name with a message shows the message.
  EXPECT(example_of("out-of-bounds").starts_with("warning[out-of-bounds]: "));
  EXPECT_EQ(example_of("no-such-message"), std::string_view());
}

/// Names of earlier versions lead to rows, and none of them is a row's.
TEST(diagnostics_renamed) {
  std::set<std::string_view> names;
  for (int i = 0; i < diagnostics_count; ++i) names.insert(info(static_cast<Diag>(i)).name);
#define RENAMED(old, now)        \
  EXPECT(names.count(now) == 1); \
  EXPECT(names.count(old) == 0); \
  EXPECT_EQ(current_name(old), now);
#include "core/diagnostics/renamed.def"
#undef RENAMED
  EXPECT_EQ(current_name("race"), "race");
}

TEST(diagnostics_allowed) {
  const FileId file = add_source("allowed.py",
                                 "def k():\n"
                                 "    a()  # tilelab: allow(unread-elements, extent-zero)\n"
                                 "    # tilelab: allow(unread-elements)\n"
                                 "    b()  # of line 3\n"
                                 "    c()\n");
  const auto at = [&](uint32_t line) { return Span{file, line, 5, line, 8}; };
  EXPECT(is_allowed("unread-elements", at(2), ""));
  EXPECT(is_allowed("extent-zero", at(2), ""));
  EXPECT(!is_allowed("rest-unwritten", at(2), ""));
  EXPECT(is_allowed("unread-elements", at(4), ""));
  EXPECT(!is_allowed("extent-zero", at(4), ""));
  EXPECT(!is_allowed("unread-elements", at(5), ""));
  EXPECT(is_allowed("unread-elements", at(5), "extent-zero, unread-elements"));
  EXPECT(!is_allowed("unread-elements", {}, "extent-zero"));
  allow_everywhere("unread-elements", true);
  EXPECT(is_allowed("unread-elements", {}, ""));
  allow_everywhere("unread-elements", false);
  EXPECT(!is_allowed("unread-elements", {}, ""));
  EXPECT_EQ(unknown_warning("unread-elements"), "");
  EXPECT_EQ(unknown_warning("unread-elments"), "did you mean `unread-elements`?");
  EXPECT_EQ(unknown_warning("copy-shape"), "only warnings can be disabled");
  EXPECT_EQ(names_in_comments({file, 1, 1, 5, 8}).size(), size_t{3});
}

/// Every row has a golden text: its name is in a file under tests/.
TEST(diagnostics_have_golden_texts) {
  namespace fs = std::filesystem;
  std::string all;
  for (const auto& item :
       fs::recursive_directory_iterator(std::string(TILELAB_SOURCE_DIR) + "/tests")) {
    std::string kind = item.path().extension().string();
    if (!item.is_regular_file() || (kind != ".cpp" && kind != ".py" && kind != ".txt")) continue;
    std::ifstream file(item.path());
    all.append(std::istreambuf_iterator<char>(file), {});
  }
  for (int i = 0; i < diagnostics_count; ++i) {
    std::string name(info(static_cast<Diag>(i)).name);
    // As a rendered text has it, or "name: message" of a finding or a test's own form.
    if (all.find("[" + name + "]") == std::string::npos &&
        all.find(name + ": ") == std::string::npos)
      test::fail(__FILE__, __LINE__, "no golden text of " + name);
  }
}
