// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/ir/fold.h"
#include "core/ir/traverse.h"
#include "tests/unit/test.h"

using namespace tilelab;

namespace {

Stmt small_loop() {
  Expr i = name_ref("i");
  return for_loop("i", int_const(0), name_ref("n"),
                  store("A", {point(i)}, add(load("A", DType::i32, {i}), int_const(2))));
}

/// "a: r, c: rw" for each operand.
std::string operands_text(const Stmt& stmt) {
  std::string out;
  for (const Operand& o : operands_of(*stmt))
    out += (out.empty() ? "" : ", ") + o.buffer.str() + ": " + (o.read ? "r" : "") +
           (o.written ? "w" : "");
  return out;
}

TEST(operands_come_from_the_field_lists) {
  auto whole = [](const char* name) { return region(name, DType::f32, {slice(int_const(0), 8)}); };
  Copy copy;
  copy.src = whole("a"), copy.dst = whole("b");
  EXPECT_EQ(operands_text(make(std::move(copy))), "a: r, b: w");
  Gemm gemm;
  gemm.a = whole("a"), gemm.b = whole("b"), gemm.c = whole("c");
  gemm.workspaces = {Symbol(), Symbol("w")};
  EXPECT_EQ(operands_text(make(std::move(gemm))), "a: r, b: r, c: rw, w: rw");
  EXPECT_EQ(operands_text(store("a", {point(int_const(0))}, float_const(0, DType::f32))), "a: w");
  EXPECT_EQ(operands_text(let("x", int_const(0))), "");
}

}  // namespace

TEST(a_place_never_reaches_who_shares_the_node) {
  const Span here{1, 2, 3, 2, 9};
  const Expr mine = name_ref("x");
  const Expr placed = at(here, mine);
  EXPECT(!mine->span.known());
  EXPECT(placed->span == here && equal(mine, placed));
  EXPECT(at(here, name_ref("y"))->span == here);
  const Stmt stmt = let("z", mine);
  EXPECT(at(here, stmt)->span == here && !stmt->span.known());
  EXPECT(at(Span{1, 7, 1, 7, 2}, placed).same(placed));
}

TEST(dtype_encodings_round_to_even) {
  EXPECT_EQ(encode_float(DType::f16, 1.0), uint64_t{0x3c00});
  EXPECT_EQ(encode_float(DType::f16, 65519.0), uint64_t{0x7bff});
  EXPECT_EQ(encode_float(DType::f16, 65520.0), uint64_t{0x7c00});
  EXPECT_EQ(encode_float(DType::f16, 0x1p-25), uint64_t{0});
  EXPECT_EQ(encode_float(DType::f16, 0x1.8p-25), uint64_t{1});
  EXPECT_EQ(encode_float(DType::bf16, 1.00390625), uint64_t{0x3f80});  // a tie goes to even
  EXPECT_EQ(encode_float(DType::e4m3, 448.0), uint64_t{0x7e});
  for (DType d : {DType::f16, DType::bf16, DType::e4m3, DType::e5m2, DType::e4m3fnuz,
                  DType::e5m2fnuz, DType::e8m0})
    for (uint64_t b = 0; b < (uint64_t{1} << bits(d)); ++b)
      if (double v = decode_float(d, b); !std::isnan(v)) EXPECT_EQ(encode_float(d, v), b);
}

TEST(integers_wrap_and_floor) {
  EXPECT_EQ(fold_int(BinOp::add, DType::i8, 127, 1), int64_t{-128});
  EXPECT_EQ(fold_int(BinOp::floordiv, DType::i32, -7, 2), int64_t{-4});
  EXPECT_EQ(fold_int(BinOp::floormod, DType::i32, -7, 2), int64_t{1});
  EXPECT_EQ(fold_int(BinOp::tdiv, DType::i32, -7, 2), int64_t{-3});
  EXPECT_EQ(fold_int(BinOp::floordiv, DType::i32, 1, 0), int64_t{0});
  EXPECT_EQ(fold_int(BinOp::shr, DType::i32, -8, 40), int64_t{-1});
  EXPECT_EQ(fold_int(BinOp::shl, DType::u32, 1, 32), int64_t{0});
  EXPECT_EQ(fold_int(BinOp::floordiv, DType::i64, INT64_MIN, -1), INT64_MIN);
}

TEST(equality_ignores_spans_and_hash_agrees) {
  Stmt a = small_loop(), b = at({1, 2, 3, 2, 9}, small_loop());
  EXPECT(!a.same(b));
  EXPECT(equal(a, b));
  EXPECT_EQ(hash(*a), hash(*b));
  EXPECT(!equal(a, substitute(a, {{"n", int_const(4)}})));
}

TEST(rewriting_keeps_what_does_not_change) {
  Stmt loop = small_loop();
  EXPECT(rewrite_exprs(loop, [](const Expr& e) { return e; }).same(loop));
  Stmt changed = substitute(loop, {{"n", int_const(4)}});
  EXPECT(to<For>(changed).body.same(to<For>(loop).body));
  EXPECT(is_int(to<For>(changed).hi, 4));
}

TEST(renaming_reaches_declarations_and_uses) {
  Stmt renamed = rename(small_loop(), {{"i", "j"}, {"A", "B"}});
  EXPECT_EQ(to<For>(renamed).var.str(), std::string("j"));
  EXPECT_EQ(names_in(*renamed).count("i"), size_t{0});
  EXPECT_EQ(names_in(*renamed).count("A"), size_t{0});
}

TEST(fresh_names_do_not_collide) {
  std::unordered_map<Symbol, int> taken{{"x", 0}, {"x_1", 0}};
  EXPECT_EQ(fresh_name("x", taken).str(), std::string("x_2"));
  EXPECT_EQ(fresh_name("y", taken).str(), std::string("y"));
}

TEST(every_intrinsic_is_found_by_its_name) {
  for (int i = 0; i < kIntrinsicCount; ++i) {
    auto row = static_cast<Intrinsic>(i);
    EXPECT(intrinsic_from_name(name(row)) == row);
  }
}

TEST(enums_have_names) {
  EXPECT(name(ReduceOp::bitand_) == "bitand");
  EXPECT(parse_enum<Scope>("shared") == Scope::shared);
  EXPECT(!parse_enum<Scope>("nowhere"));
}
