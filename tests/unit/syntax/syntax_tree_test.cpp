// SPDX-License-Identifier: Apache-2.0
#include "core/syntax/tree.h"
#include "tests/unit/test.h"

namespace tilelab::syntax {

namespace {
Tree name(const char* text, Span span = {}) {
  return make({.kind = Kind::name, .span = span, .name = text});
}
Tree number(Int value, const char* text) {
  return make({.kind = Kind::integer, .text = text, .integer = value});
}
Tree sum(Tree a, Tree b) { return make({.kind = Kind::binary, .op = Op::add, .parts = {a, b}}); }
}  // namespace

TEST(syntax_tree_dump_and_depth) {
  Tree tree = sum(sum(name("a"), name("b")), number(16, "0x10"));
  EXPECT_EQ(dump(tree), std::string("(binary + (binary + (name a) (name b)) (integer 16))"));
  EXPECT_EQ(int(tree->depth), 3);
  Tree slice = make({.kind = Kind::slice, .parts = {nullptr, name("n"), nullptr}});
  EXPECT_EQ(dump(slice), std::string("(slice _ (name n) _)"));
}

TEST(syntax_tree_equality_ignores_spans_and_spelling) {
  EXPECT(equal(name("a", {1, 2, 3, 2, 4}), name("a")));
  EXPECT(equal(number(16, "0x10"), number(16, "16")));
  EXPECT(!equal(name("a"), name("b")));
  EXPECT(!equal(name("a"), nullptr));
  EXPECT(!equal(sum(name("a"), name("b")), sum(name("b"), name("a"))));
}

TEST(syntax_tree_decimals) {
  EXPECT_EQ(to_decimal(0), std::string("0"));
  EXPECT_EQ(to_decimal(-120), std::string("-120"));
  Int least = Int(1) << 126;
  EXPECT_EQ(to_decimal(-least - least), std::string("-170141183460469231731687303715884105728"));
}

}  // namespace tilelab::syntax
