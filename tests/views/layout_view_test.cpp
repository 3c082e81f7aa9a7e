// SPDX-License-Identifier: Apache-2.0
#include "views/layout_view.h"

#include "core/layout/text.h"
#include "core/support/text.h"
#include "tests/unit/test.h"
#include "views/json.h"

using namespace tilelab;
using namespace tilelab::test;

static LayoutView view(const LayoutSubject& subject, const LayoutQuery& query = {}) {
  std::string problem;
  std::optional<LayoutView> made = view_layout(subject, query, &problem);
  EXPECT_EQ(problem, std::string());
  return made.value_or(LayoutView{});
}
static LayoutSubject accumulator() {
  return layout_subject(
      "C_local", DType::f32,
      *parse_layout("frag([128, 128], [[r(8, 8), t(16, 8)], [t(2, 128), r(8, 1), t(8, 1)]])"));
}
static LayoutSubject operand() {
  return layout_subject("A_s", DType::f16,
                        *parse_layout("addr([64, 64], [[a(64, 64)], [a(64, 1)]])"), {16, 128, 7});
}

TEST(layout_view_answers_both_ways) {
  LayoutQuery element{Index{17, 40}, {}, {}, false};
  EXPECT_EQ(view(accumulator(), element).answers.at(0),
            std::string("C_local[17, 40]  ->  warp 0, lane 8, register 13   (thread 8)"));
  LayoutQuery thread{{}, 8, {}, false};
  LayoutView held = view(accumulator(), thread);
  EXPECT_EQ(held.answers.at(0), std::string("thread 8 (warp 0, lane 8) holds 64 elements"));
  EXPECT_EQ(held.answers.at(14), std::string("  register 13  [17, 40]"));
  LayoutQuery far{Index{3, 9}, {}, {}, false};
  std::string answer = view(operand(), far).answers.at(0);
  EXPECT_EQ(answer,
            std::string("A_s[3, 9]  ->  byte 418, bank 8"));  // 3 * 128 + 18, granule 1 ^ 3 = 2
  LayoutQuery address{{}, {}, 418, false};
  EXPECT_EQ(view(operand(), address).answers.at(0),
            std::string("byte 418 (bank 8)  ->  A_s[3, 9]"));
}

TEST(layout_view_answers_stand_alone) {
  LayoutQuery element{Index{17, 40}, {}, {}, false};
  LayoutView asked = view(accumulator(), element);
  EXPECT_EQ(layout_text(asked),
            std::string("  C_local[17, 40]  ->  warp 0, lane 8, register 13   (thread 8)\n"));
  EXPECT(contains(layout_html(asked), "<details><summary><b>C_local"));  // the picture is at hand
  std::string problem;
  LayoutQuery no_such_thread{{}, 256, {}, false};
  EXPECT(!view_layout(accumulator(), no_such_thread, &problem));
  EXPECT_EQ(problem,
            std::string("C_local is distributed over threads 0 to 255; there is no thread 256"));
}

TEST(layout_view_swizzle_counts_from_the_arena) {
  LayoutSubject subject = operand();
  subject.at = 1024 + 128;  // one line further: the exclusive or differs
  for (int64_t i : {0, 5, 63})
    for (int64_t j : {0, 9, 63}) {
      LayoutQuery ask{Index{i, j}, {}, {}, false};
      std::string there = view(subject, ask).answers.at(0);
      int64_t byte = std::stoll(there.substr(there.find("byte ") + 5));
      LayoutQuery back{{}, {}, byte, false};
      EXPECT(contains(view(subject, back).answers.at(0),
                      "A_s[" + std::to_string(i) + ", " + std::to_string(j) + "]"));
    }
}

TEST(layout_view_names_what_a_byte_holds) {
  LayoutSubject subject =
      layout_subject("A_s", DType::i8, *parse_layout("addr([64, 32], [[a(64, 32)], [a(32, 1)]])"));
  EXPECT_EQ(view(subject).summary, std::string("2048 bytes"));
  subject.pairs = Pairs::i4;
  EXPECT_EQ(view(subject).summary, std::string("2048 bytes, each two of int4"));
}

TEST(layout_view_says_which_slice_is_next) {
  auto shown = [](const char* layout, const LayoutQuery& query = {}) {
    return layout_text(view(layout_subject("s", DType::f32, *parse_layout(layout)), query));
  };
  EXPECT(contains(shown("addr([40, 4], [[a(40, 4)], [a(4, 1)]])"), "others: [16:32, :]\n"));
  EXPECT(contains(shown("addr([16, 64], [[a(16, 64)], [a(64, 1)]])"), "others: [:, 28:56]\n"));
  EXPECT(contains(shown("addr([2, 20, 4], [[a(2, 80)], [a(20, 4)], [a(4, 1)]])"),
                  "others: [0, 16:20, :]\n"));
  EXPECT(contains(shown("addr([2048], [[a(2048, 1)]])"), "others: [448:896]\n"));
  EXPECT(!contains(shown("addr([16, 8], [[a(16, 8)], [a(8, 1)]])"), "others"));
  const std::string html = layout_html(view(
      layout_subject("s", DType::f32, *parse_layout("addr([40, 4], [[a(40, 4)], [a(4, 1)]])"))));
  EXPECT(contains(html, "others: [32:40, :]"));
}

TEST(layout_view_text_fits_a_terminal) {
  for (const LayoutSubject& subject :
       {accumulator(), operand(),
        layout_subject("v", DType::f32,
                       *parse_layout("frag([1000], [[r(2, 4), t(128, 1), r(4, 1)]])"))}) {
    LayoutQuery banks;
    banks.banks = subject.name == operand().name;
    std::string text = layout_text(view(subject, banks));
    for (const std::string& line : split(text, '\n')) EXPECT(line.size() <= 100);
    EXPECT(contains(layout_text(view(subject), true), "\x1b[30;48;5;"));
  }
  std::string text = layout_text(view(accumulator()));
  EXPECT(contains(text, "fragment over 256 threads with 64 registers each"));
  EXPECT(contains(text, "i0 // 16            r(8, 8)       register + 8 each"));
  std::erase(text, ' ');
  EXPECT(contains(text, "\n0|0:01:02:03:04:05:06:07:00:1"));
}

TEST(layout_view_shows_offsets) {
  LayoutQuery offsets;
  offsets.offsets = true;
  LayoutSubject subject = layout_subject("s", DType::f16, row_major({4, 16}));
  subject.at = 64;  // offsets begin at the buffer
  const LayoutView::Grid grid = view(subject, offsets).grid;
  EXPECT(grid.what == "offset");
  for (size_t n = 0; n < grid.cells.size(); ++n) EXPECT(grid.cells[n].number == int64_t(n));
  EXPECT(view(accumulator(), offsets).grid.what == "thread:register");
}

TEST(layout_view_counts_banks) {
  LayoutQuery banks;
  banks.banks = true;
  EXPECT(contains(layout_text(view(operand(), banks)),
                  "8 rows, 16 bytes each (a matrix load)     free of conflicts (1 cycle)"));
  LayoutSubject plain = layout_subject("A_s", DType::f16, row_major({64, 64}));
  EXPECT(contains(layout_text(view(plain, banks)),
                  "8 rows, 16 bytes each (a matrix load)     8 cycles instead of 1 (8-way)"));
}

TEST(layout_view_html_is_static) {
  std::string html = layout_html(view(accumulator()));
  EXPECT(contains(html, "title=\"thread 8, register 0\""));
  EXPECT(!contains(html, "<script") && !contains(html, "<style") && !contains(html, "<svg"));
  EXPECT(html.size() < 150000);
  // Text wider than a page is placed below; 32 numbers of two digits are not.
  EXPECT(contains(html, ", columns 0 to 15 of ") && contains(html, ", columns 16 to 31 of "));
  EXPECT(!contains(layout_html(view(operand())), ", columns 16 to 31 of "));
}

TEST(layout_view_latex_shows_the_same_colours) {
  LayoutView shown = view(accumulator());
  std::string latex = layout_latex(shown), html = layout_html(shown);
  EXPECT(contains(latex, "C\\_local"));  // names are escaped
  size_t open = 0, close = 0, cells = 0;
  for (size_t i = 0; i < latex.size(); ++i) {
    bool escaped = i > 0 && latex[i - 1] == '\\';
    open += latex[i] == '{' && !escaped;
    close += latex[i] == '}' && !escaped;
  }
  EXPECT_EQ(open, close);
  for (size_t at = 0; (at = latex.find("\\colorbox[HTML]{", at)) != std::string::npos; ++at) {
    EXPECT(contains(html, "#" + latex.substr(at + 16, 6)));
    ++cells;
  }
  EXPECT(cells >= 16 * 16);
}

TEST(layout_view_replicas_tables_and_mistakes) {
  LayoutSubject m =
      layout_subject("m", DType::f32, *parse_layout("frag([2], [[r(2, 1)]], rep=[t(128, 1)])"));
  LayoutQuery one{Index{1}, {}, {}, false};
  EXPECT(contains(layout_text(view(m, one)), "and in threads 1, 2, 3"));
  LayoutTable table{{2, 2}, {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}};
  LayoutSubject odd = layout_subject("odd", DType::f32, {});
  odd.layout = {{}, table, 4};
  EXPECT(!odd.layout.is_digits());
  LayoutQuery thread{{}, 1, {}, false};
  EXPECT_EQ(view(odd, thread).answers.at(2), std::string("  register 1  [1, 0]"));
  std::string problem;
  LayoutQuery outside{Index{7, 0}, {}, {}, false}, address{{}, {}, 64, false};
  EXPECT(!view_layout(odd, outside, &problem));
  EXPECT_EQ(problem, std::string("odd has the shape [2, 2]; [7, 0] is out of bounds"));
  EXPECT(!view_layout(m, address, &problem));
}

TEST(layout_view_json_answers_in_numbers) {
  LayoutQuery element{Index{17, 40}, {}, {}, false}, thread{{}, 8, {}, false},
      address{{}, {}, 418, false};
  EXPECT(contains(json_of(view(accumulator(), element)),
                  "\"held\":[{\"element\":[17,40],\"thread\":8,\"register\":13}]"));
  const std::string all = json_of(view(accumulator(), thread));
  EXPECT(contains(all, "{\"element\":[17,40],\"thread\":8,\"register\":13}"));
  EXPECT(contains(json_of(view(operand(), address)),
                  "\"held\":[{\"element\":[3,9],\"byte\":418,\"bank\":8}]"));
}

TEST(layout_view_json_has_the_digits) {
  std::string json = json_of(view(accumulator()));
  EXPECT(contains(json, "{\"dim\":0,\"kind\":\"r\",\"extent\":8,\"stride\":8}"));
}

TEST(layout_view_shows_any_slice_whole) {
  LayoutQuery rows;
  rows.window = {{60, 64}, {0, -1}};
  LayoutSubject plain = layout_subject("A_s", DType::f32, row_major({64, 64}));
  LayoutView shown = view(plain, rows);
  const std::string text = layout_text(shown);
  for (int64_t row = 60; row < 64; ++row)
    EXPECT(contains(text, "\n" + std::to_string(row) + " |") ||
           contains(text, " " + std::to_string(row) + " |"));
  EXPECT(contains(text, "columns 0 to ") && contains(text, " to 63 of 64)"));
  for (const std::string& line : split(text, '\n')) EXPECT(line.size() <= 100);
  LayoutSubject deep = layout_subject("d", DType::f32, row_major({3, 4, 2, 2}));
  LayoutQuery part;
  part.window = {{1, 3}, {2, 4}, {0, -1}, {0, -1}};
  LayoutView sheets = view(deep, part);
  EXPECT_EQ(sheets.more.size(), size_t(3));
  EXPECT(contains(layout_text(sheets), "at [1, 2, :, :]") &&
         contains(layout_text(sheets), "at [2, 3, :, :]"));
  std::string problem;
  part.window = {{1, 3}, {4, 5}, {0, -1}, {0, -1}};
  EXPECT(!view_layout(deep, part, &problem));
  EXPECT(contains(problem, "no element is in [4:4] of dimension 1"));
  part.window.pop_back();
  EXPECT(!view_layout(deep, part, &problem) && contains(problem, "a slice of it has 4 "));
}

TEST(layouts_are_compared_element_by_element) {
  LayoutSubject a = layout_subject("a", DType::f32, row_major({8, 8}));
  LayoutSubject b = layout_subject("b", DType::f32, strided({8, 8}, {1, 8}));
  std::string problem;
  auto found = compare_layouts(a, b, &problem);
  EXPECT(found && !found->equal && found->count == 56);
  EXPECT_EQ(difference_text(*found),
            std::string("a and b differ in 56 of 64 elements, first in [0, 1]\n"
                        "  a: byte 4, bank 1\n  b: byte 32, bank 8\n"));
  EXPECT(compare_layouts(a, a, &problem)->equal);
  EXPECT(!compare_layouts(a, accumulator(), &problem));
  EXPECT(contains(problem, "they cannot be compared"));
}

TEST(layouts_are_figures_and_latex) {
  LayoutQuery corner;
  corner.window = {{0, 2}, {0, 3}};
  LayoutView shown = view(accumulator(), corner);
  const std::string svg = layout_svg(shown), latex = layout_latex(shown);
  EXPECT(contains(svg, "<svg ") && contains(svg, ">1:0</text>") && !contains(svg, "<script"));
  EXPECT(contains(latex, "*{3}{c}}") && contains(latex, "{1:0}"));
}

TEST(layout_view_has_all_grids_of_a_slice_in_every_form) {
  LayoutQuery part;
  part.window = {{1, 3}, {0, 2}, {0, 2}};
  part.banks = true;
  const LayoutView shown = view(layout_subject("d", DType::f32, row_major({3, 2, 32})), part);
  const std::string svg = layout_svg(shown), json = json_of(shown), latex = layout_latex(shown);
  for (const char* words : {"at [1, :, :]", "at [2, :, :]"}) {
    EXPECT(contains(svg, words) && contains(latex, words));
    EXPECT(contains(layout_html(shown), words) && contains(layout_text(shown), words));
  }
  EXPECT(contains(json, "\"at\":[1]") && contains(json, "\"at\":[2]"));
  EXPECT(contains(json, "\"bytes\":[256,260,384,388]") &&
         contains(json, "\"bytes\":[512,516,640,644]"));
  EXPECT(contains(latex, "32 lanes along a row: free of conflicts"));
}

TEST(layout_view_numbers_the_elements_of_a_vector) {
  const LayoutSubject v = layout_subject("v", DType::f32, row_major({100}));
  const std::string text = layout_text(view(v)), html = layout_html(view(v));
  for (const char* row : {"\n   0 |", "\n  28 |", "\n  56 |", "\n  84 |"})
    EXPECT(contains(text, row));
  EXPECT(!contains(text, "others") && contains(html, ">96</th>"));
  LayoutQuery part;
  part.window = {{35, 41}};
  EXPECT(contains(layout_text(view(v, part)),
                  "bank of each element (elements 35 to 40 of 100)\n 35 | 3 4 5 6 7 8\n"));
}

TEST(layout_view_says_which_index_in_front_is_next) {
  const LayoutSubject deep = layout_subject("d", DType::f32, row_major({2, 3, 4, 4}));
  EXPECT(contains(layout_text(view(deep)), "a slice shows others: [0, 1, :, :]\n"));
}

TEST(layout_view_of_a_map_without_digits) {
  ForwardMap map{{4, 4}, {}, 0, {}};
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t j = 0; j < 4; ++j) map.coordinates.push_back({i, (i * i + j) % 4});
  std::string problem;
  const auto lean = layout_subject("lean", DType::f32, map, &problem);
  EXPECT(contains(layout_text(view(*lean)), "64 bytes; a table: the map has no digits"));
  LayoutQuery element{Index{1, 3}, {}, {}, false};
  EXPECT_EQ(view(*lean, element).answers.at(0), std::string("lean[1, 3]  ->  byte 16, bank 4"));
  map.coordinates[5] = {0, 1};
  EXPECT(contains(layout_text(view(*layout_subject("twice", DType::f32, map, &problem))),
                  "several elements share a location"));
  map.coordinates[5] = {0, -1};
  EXPECT(!layout_subject("wild", DType::f32, map, &problem));
  EXPECT_EQ(problem, std::string("wild[1, 1] has a negative location"));
  ForwardMap dealt{{9}, {}, 2, {0, 0, 0, 1, 1, 2, 2, 2, 2, 4, 4, 4, 5, 5, 6, 6, 6, 6}};
  const auto frag = layout_subject("f", DType::f32, dealt, &problem);
  EXPECT(contains(layout_text(view(*frag)), "fragment over 3 threads with 4 registers each"));
  EXPECT(contains(layout_text(view(*frag)), "each element is in 2 threads"));
  LayoutQuery thread{{}, 3, {}, false}, below{{}, {}, -4, false};
  EXPECT(!view_layout(*frag, thread, &problem));
  EXPECT_EQ(problem, std::string("f is distributed over threads 0 to 2; there is no thread 3"));
  EXPECT(!view_layout(*lean, below, &problem) && problem == "there is no byte -4");
}
