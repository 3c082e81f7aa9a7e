// SPDX-License-Identifier: Apache-2.0
#include "core/syntax/parser.h"

#include <random>

#include "core/diagnostics/render.h"
#include "core/support/text.h"
#include "tests/unit/test.h"

using namespace tilelab;
using namespace tilelab::syntax;

namespace {

std::string parsed(const std::string& text) {
  Diagnostics sink;
  Tree tree = parse("<test>", text, sink);
  if (!tree) return render(sink).plain();
  std::vector<std::string> lines;
  for (const Tree& statement : tree->body) lines.push_back(dump(statement));
  return join(lines, "\n");
}

std::string expression(const std::string& text) {
  Diagnostics sink;
  Tree tree = parse("<test>", text, sink);
  if (!tree || tree->body.size() != 1) return render(sink).plain();
  EXPECT(tree->body[0]->kind == syntax::Kind::expression);
  return dump(tree->body[0]->parts[0]);
}

/// Name and message of the first diagnostic.
std::string error(const std::string& text) {
  Diagnostics sink;
  Tree tree = parse("<test>", text, sink);
  if (tree || sink.empty()) return "no error";
  const Diagnostic& d = sink.all().front();
  return std::to_string(d.span.line) + ":" + std::to_string(d.span.col) + " " +
         std::string(info(d.id).name) + ": " + d.message;
}

}  // namespace

TEST(parser_precedence) {
  EXPECT_EQ(expression("-a ** -b * c"),
            std::string("(binary * (unary - (binary ** (name a) (unary - (name b)))) (name c))"));
  EXPECT_EQ(expression("a - b - c"),
            std::string("(binary - (binary - (name a) (name b)) (name c))"));
  EXPECT_EQ(expression("a ^ b | c & d << 1 + 2"),
            std::string("(binary | (binary ^ (name a) (name b)) (binary & (name c) (binary << "
                        "(name d) (binary + (integer 1) (integer 2)))))"));
  EXPECT_EQ(expression("not a < b <= c or d and e"),
            std::string("(logical or (unary not (compare < <= (name a) (name b) (name c))) "
                        "(logical and (name d) (name e)))"));
  EXPECT_EQ(expression("a if b else c if d else e"),
            std::string("(if_else (name a) (name b) (if_else (name c) (name d) (name e)))"));
  EXPECT_EQ(expression("x is not None and y not in z"),
            std::string("(logical and (compare is not (name x) (None)) (compare not in (name y) "
                        "(name z)))"));
}

TEST(parser_calls_subscripts_displays) {
  EXPECT_EQ(
      expression("T.copy(A[i, 0:32, ::2], *rest, by=\"tme\", **more)"),
      std::string("(call (attribute copy (name T)) (subscript (name A) (tuple (name i) (slice "
                  "(integer 0) (integer 32) _) (slice _ _ (integer 2)))) (starred (name rest)) "
                  "(keyword by (string \"tme\")) (keyword (name more)))"));
  EXPECT_EQ(expression("[(), (1,), [x for x, y in z if x if y], {1: 2, **d}, ...]"),
            std::string("(list (tuple) (tuple (integer 1)) (comprehension (name x) (clause (tuple "
                        "(name x) (name y)) (name z) (name x) (name y))) (dict (integer 1) "
                        "(integer 2) _ (name d)) (Ellipsis))"));
  EXPECT_EQ(expression("lambda i, j=1, *a, k, **b: i"),
            std::string("(lambda (name i) (parameter i _ _) (parameter j _ (integer 1)) (parameter "
                        "* a _ _) (parameter kw k _ _) (parameter ** b _ _))"));
}

TEST(parser_constants) {
  EXPECT_EQ(expression("[0x_ff, 0b101, 0o17, 1_000, 170141183460469231731687303715884105727]"),
            std::string("(list (integer 255) (integer 5) (integer 15) (integer 1000) (integer "
                        "170141183460469231731687303715884105727))"));
  EXPECT_EQ(expression("[1., .5, 1e-30, 1_0.2_5e1_5, 1e999, 1e-999]"),
            std::string("(list (float 1.0) (float 0.5) (float 1e-30) (float 1.025e+16) (float "
                        "inf) (float 0.0))"));
  EXPECT_EQ(expression("'a' \"b\\n\\x41\\u00e9\" r'\\n'"),
            std::string("(string \"ab\\nAé\\\\n\")"));
  EXPECT_EQ(expression("f'{a}-{b!r:>{w}}{{}}' 'x'"),
            std::string("(fstring (formatted (name a) _) (string \"-\") (formatted r (name b) "
                        "(fstring (string \">\") (formatted (name w) _))) (string \"{}x\"))"));
}

TEST(parser_statements) {
  EXPECT_EQ(
      parsed("@T.prim_func\ndef f(A: T.Tensor((M,), 'f16'), *, N: dim(i32)=1) -> None:\n"
             "    with kernel('k', grid=[N]) as (bx, by), role('p', 0, 1):\n"
             "        x: i32 = 1; y += 2\n"
             "        a, b = b, a\n"),
      std::string("(function f (None) (parameter A (call (attribute Tensor (name T)) (tuple "
                  "(name M)) (string \"f16\")) _) (parameter kw N (call (name dim) (name "
                  "i32)) (integer 1)) (decorators (attribute prim_func (name T))) (body (with "
                  "(with_item (call (name kernel) (string \"k\") (keyword grid (list (name "
                  "N)))) (tuple (name bx) (name by))) (with_item (call (name role) (string "
                  "\"p\") (integer 0) (integer 1)) _) (body (annotated_assign (name x) (name "
                  "i32) (integer 1)) (augmented_assign + (name y) (integer 2)) (assign (tuple "
                  "(name b) (name a)) (tuple (name a) (name b)))))))"));
  EXPECT_EQ(parsed("if a:\n  pass\nelif b: break\nelse:\n  continue\nwhile 1: x = y = 2\n"
                   "for i, j in z:\n\treturn\nelse: assert a, 'm'\nimport os\n"),
            std::string("(if (name a) (body (pass)) (else (if (name b) (body (break)) (else "
                        "(continue)))))\n(while (integer 1) (body (assign (integer 2) (name x) "
                        "(name y))))\n(for (tuple (name i) (name j)) (name z) (body (return _)) "
                        "(else (assert (name a) (string \"m\"))))\n(unsupported import)"));
}

TEST(parser_lines_and_comments) {
  EXPECT_EQ(
      parsed("# only a comment\n\nx = (1 +  # here\n\n  2)\ny = 1 \\\n  + 2\n   # deeper\nz\n\n"),
      std::string("(assign (binary + (integer 1) (integer 2)) (name x))\n(assign (binary + "
                  "(integer 1) (integer 2)) (name y))\n(expression (name z))"));
  EXPECT_EQ(parsed("if a:\r\n    b\r\n\r\n    c"),
            std::string("(if (name a) (body (expression "
                        "(name b)) (expression (name c))))"));
  EXPECT_EQ(parsed(""), std::string(""));
}

TEST(parser_origin_nowhere) {
  Diagnostics sink;
  Tree tree = parse("<nowhere>", "a = 1  # @\nb = 2\n", sink);
  EXPECT(tree->body[0]->origin == syntax::kNowhere && syntax::has_origin(tree->body[0]->origin));
  EXPECT(!syntax::has_origin(tree->body[1]->origin));
  EXPECT_EQ(syntax::origin_text(Span{}), "@");
}

TEST(parser_spans_and_origins) {
  Diagnostics sink;
  Tree tree = parse(
      "<spans>", "with k as b:  # @3:7:9\n    A[i + 1] = f(x)   # @dir/a b.py:12:5\n    y\n", sink);
  const syntax::Node& with = *tree->body[0];
  EXPECT(with.span == Span({source_id("<spans>"), 1, 1, 3, 6}));
  EXPECT_EQ(source_name(with.origin.file), std::string("cell 3"));
  EXPECT_EQ(with.origin.line, 7u);
  const syntax::Node& store = *with.body[0];
  EXPECT_EQ(source_name(store.origin.file), std::string("dir/a b.py"));
  EXPECT_EQ(store.origin.col, 5u);
  EXPECT(store.part(0).span == Span({source_id("<spans>"), 2, 16, 2, 20}));
  EXPECT(store.list[0]->part(1).span == Span({source_id("<spans>"), 2, 7, 2, 12}));
  EXPECT(!with.body[1]->origin.known());
  EXPECT_EQ(origin_text(with.origin), std::string("@3:7:9"));
  EXPECT(parse_origin(" @dir/a b.py:12:5") == store.origin);
  EXPECT(!parse_origin(" @x:1").known());
  for (const char* name : {"two\nlines.py", "100%.py", "a%0Ab\t\r\x01.py", "%", "%zz", "\x7f"}) {
    Span span{source_id(name), 12, 5, 12, 0};
    EXPECT(origin_text(span).find_first_of("\n\r\t\x01\x7f") == std::string::npos);
    EXPECT(parse_origin(origin_text(span)) == span);
  }
}

TEST(parser_errors) {
  EXPECT_EQ(error("x = (1,\n  2"), std::string("1:5 syntax-unclosed: this `(` is never closed"));
  EXPECT_EQ(error("x = [1)"),
            std::string("1:7 syntax-unexpected: expected an expression, found `)`"));
  EXPECT_EQ(error("x = 'abc\n"), std::string("1:5 syntax-unclosed: this string is never closed"));
  EXPECT_EQ(
      error("a = 1 +\n"),
      std::string("1:8 syntax-unexpected: expected an expression, found the end of the line"));
  EXPECT_EQ(error("if x\n  y\n"),
            std::string("1:5 syntax-unexpected: expected `:`, found the end of the line"));
  EXPECT_EQ(error("if x:\ny\n"),
            std::string("2:1 syntax-indent: expected an indented block after the line before"));
  EXPECT_EQ(
      error("x\n  y\n"),
      std::string("2:3 syntax-indent: unexpected indentation: no block starts before this line"));
  EXPECT_EQ(
      error("if x:\n    y\n  z\n"),
      std::string("3:1 syntax-indent: the indentation of this line matches no block above it"));
  EXPECT_EQ(error("if x:\n        y\n\tz\n"),
            std::string("3:1 syntax-indent: inconsistent use of tabs and spaces"));
  EXPECT_EQ(error("x = a ? b"), std::string("1:7 syntax-character: unexpected character `?`"));
  EXPECT_EQ(error("x = 12ab"), std::string("1:5 syntax-number: `12ab` is not a valid number"));
  EXPECT_EQ(error("x = 0x"), std::string("1:5 syntax-number: `0x` is not a valid number"));
  EXPECT_EQ(error("x = 012"), std::string("1:5 syntax-number: `012` is not a valid number"));
  EXPECT_EQ(error("170141183460469231731687303715884105728"),
            std::string("1:1 syntax-integer-size: this integer needs more than 128 bits"));
  EXPECT_EQ(error("x = '\\xg1'"),
            std::string("1:6 syntax-string: this escape is not a valid character"));
  EXPECT_EQ(error("x = '\xff'"), std::string("1:1 syntax-string: this text is not UTF-8"));
  EXPECT_EQ(error("f(x) = 1"), std::string("1:1 syntax-target: cannot assign to this call"));
  EXPECT_EQ(error("def f(a, a): pass"),
            std::string("1:10 syntax-parameters: the parameter `a` occurs twice"));
  EXPECT_EQ(error("f(a=1, 2)"),
            std::string("1:8 syntax-parameters: a positional argument follows a keyword argument"));
  EXPECT_EQ(error("class A: pass"),
            std::string("1:1 syntax-unsupported: `class` is not supported here"));
  EXPECT_EQ(error("x = (y := 1)"),
            std::string("1:8 syntax-unsupported: `:=` is not supported here"));
  EXPECT_EQ(error("x = f'{a'"),
            std::string("1:7 syntax-unclosed: this `{` of an f-string is never closed"));
  EXPECT_EQ(
      error("x = f'{}'"),
      std::string("1:8 syntax-unexpected: expected an expression, found the end of the text"));
  EXPECT_EQ(error("break x"),
            std::string("1:7 syntax-unexpected: expected the end of the line, found the name `x`"));
}

TEST(parser_depth_is_limited) {
  auto repeat = [](const char* text, int n) {
    std::string out;
    for (int i = 0; i < n; ++i) out += text;
    return out;
  };
  for (const std::string& text :
       {repeat("(", 5000), repeat("[", 5000), repeat("-", 5000) + "1", repeat("not ", 5000) + "1",
        repeat("1 + ", 5000) + "1", repeat("a.", 5000) + "a", repeat("1 if 1 else ", 5000) + "1",
        repeat("2 ** ", 5000) + "1", repeat("lambda: ", 5000) + "1", repeat("f(", 5000),
        repeat("a[", 5000), repeat("{1:", 5000)}) {
    Diagnostics sink;
    EXPECT(!parse("<deep>", text, sink));
    EXPECT_EQ(sink.errors(), 1);
  }
  std::string blocks;
  for (int i = 0; i < 300; ++i) blocks += std::string(static_cast<size_t>(i), ' ') + "if a:\n";
  EXPECT(error(blocks).find("syntax-depth") != std::string::npos);
  std::string chain = "if a: pass\n" + repeat("elif a: pass\n", 5000);
  EXPECT(error(chain).find("syntax-depth") != std::string::npos);
  EXPECT(error(repeat("1 + ", 300) + "1") == "no error");
}

TEST(an_f_string_has_one_error) {
  Diagnostics sink;
  EXPECT(!parse("<test>", "x = f'{z\\!rn\"[:>4}'", sink));
  EXPECT_EQ(sink.errors(), 1);
}

/// Mutated text never crashes the parser and gives either a tree or exactly one error.
TEST(parser_fuzz) {
  std::mt19937_64 random(test::seed());
  const std::string good =
      "def f(A: tensor(f32, [N, 2]), *, N: dim(i32, 0, 2**31)):\n"
      "    with kernel(\"k\", grid=[ceildiv(N, 64)], block=64) as bx:\n"
      "        for i in unroll(0, 4):  # @1:2:3\n"
      "            A[i:i + 2] = -x if not a <= b < c else {1: [y for y in f'{z!r:>4}']}\n"
      "        while True:\n\t\tpass\n";
  const std::string alphabet = "()[]{}'\"\\\n\t #:;,.=+-*/0x1e_af\xc3\xa9@!";
  for (int round = 0; round < 3000; ++round) {
    std::string text = good;
    for (int edits = 1 + static_cast<int>(random() % 6); edits--;) {
      size_t at = random() % text.size();
      switch (random() % 4) {
        case 0: text[at] = alphabet[random() % alphabet.size()]; break;
        case 1: text.insert(at, 1, alphabet[random() % alphabet.size()]); break;
        case 2: text.erase(at, random() % 8); break;
        default: text.insert(at, good.substr(random() % good.size(), random() % 30));
      }
      if (text.empty()) text = "x";
    }
    Diagnostics sink;
    Tree tree = parse("<fuzz>", text, sink);
    EXPECT(tree ? sink.empty() : sink.errors() == 1);
    if (!tree) render(sink);
  }
}
