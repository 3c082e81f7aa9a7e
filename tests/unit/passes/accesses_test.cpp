// SPDX-License-Identifier: Apache-2.0
// Maps of accesses: loops of 4 x 32 iterations in a warp, and what they need of a fragment.
#include "core/passes/infer_layouts/accesses.h"

#include "core/ir/build.h"
#include "core/ir/linear.h"
#include "core/layout/text.h"
#include "tests/unit/test.h"

using namespace tilelab;

namespace {

Expr v(const char* name) { return name_ref(name); }

/// for i, j in parallel(4, 32)
LayoutOp loop() {
  LayoutOp op;
  op.vars = {"i", "j"};
  op.extents = {4, 32};
  op.facts.set("i", {0, 3});
  op.facts.set("j", {0, 31});
  op.facts.set("k", {0, 7, 4});
  return op;
}

BufferAccess access(std::vector<Expr> index, bool write = false) { return {"x", index, write, {}}; }

const Layout kRows{{4, 32}, {{r_digit(4, 1)}, {t_digit(32, 1)}}, {}, 0};
const Layout kColumns{{32, 4}, {{t_digit(32, 1)}, {r_digit(4, 1)}}, {}, 0};

std::string text(const std::optional<Layout>& layout) {
  return layout ? digits_text(layout->dims) : "none";
}

}  // namespace

TEST(access_map_says_who_holds_the_element) {
  EXPECT_EQ(text(access_map(loop(), access({v("i"), v("j")}), kRows)), "[[r(4, 1)], [t(32, 1)]]");
  EXPECT_EQ(text(access_map(loop(), access({v("j"), v("i")}), kColumns)),
            "[[r(4, 1)], [t(32, 1)]]");
  // Every iteration over j needs the same element: thread 3 holds it.
  EXPECT_EQ(access_map(loop(), access({v("i"), int_const(3)}), kRows)->base, 3);
  // The thread follows what is outside of the loop.
  EXPECT(!access_map(loop(), access({v("i"), v("n")}), kRows));
  // Registers may: a round of them each.
  EXPECT(access_map(loop(), access({v("k"), v("j")}), kRows).has_value());
}

TEST(access_map_of_arithmetic_is_tabulated) {
  Expr swapped = binary(BinOp::bxor, v("j"), int_const(1));  // neighbours change places
  auto map = access_map(loop(), access({v("i"), swapped}), kRows);
  EXPECT(!map || place_of(*map, {0, 0}).thread == 1);
  Expr half = floordiv(v("j"), int_const(2));
  auto pairs = access_map(loop(), access({v("i"), half}), kRows);
  EXPECT(pairs && place_of(*pairs, {0, 7}).thread == 3);
  EXPECT(!access_map(loop(), access({v("i"), add(v("j"), int_const(1))}), kRows));  // leaves it
}

TEST(fragment_for_gives_each_thread_its_own) {
  EXPECT_EQ(text(fragment_for(loop(), access({v("j"), v("i")}), {32, 4}, kRows)),
            "[[t(32, 1)], [r(4, 1)]]");
  // x[i] is read by all threads of a row: each of them holds it.
  auto replicated = fragment_for(loop(), access({v("i")}), {4}, kRows);
  EXPECT(replicated && replicated->rep == Digits{t_digit(32, 1)});
  // x[i + j] would have to be in several threads, but not in all.
  EXPECT(!fragment_for(loop(), access({add(v("i"), v("j"))}), {35}, kRows));
}

TEST(loops_fit_fragments_that_own_what_they_touch) {
  EXPECT(fits(loop(), access({v("i"), v("j")}, true), kRows, kRows));
  EXPECT(!fits(loop(), access({v("j"), v("i")}), kRows, kRows));
  EXPECT(covers(loop(), access({v("i"), v("j")})) && !covers(loop(), access({v("i")})));
  EXPECT(fills(loop(), access({v("i"), v("j")}), {4, 32}));
  EXPECT(!fills(loop(), access({v("i"), v("j")}), {4, 64}));
}

TEST(width_of_an_access) {
  const std::vector<Expr> shape{int_const(4), int_const(32)};
  AccessedMemory plain{DType::f32, shape, {}, {}, {}};
  auto width = [&](std::vector<Expr> index, const AccessedMemory& memory) {
    return access_width(loop(), access(std::move(index)), memory, 16);
  };
  EXPECT_EQ(width({v("i"), v("j")}, plain), 4);
  EXPECT_EQ(width({v("i"), add(v("j"), v("k"))}, plain), 4);        // k is a multiple of 4
  EXPECT_EQ(width({v("i"), add(v("j"), int_const(2))}, plain), 2);  // starts in the middle
  EXPECT_EQ(width({v("j"), v("i")}, plain), 1);                     // down a column
  EXPECT_EQ(width({v("i"), mul(v("j"), int_const(2))}, plain), 1);  // every second
  AccessedMemory odd{DType::f32, {int_const(4), int_const(6)}, {}, {}, {}};
  EXPECT_EQ(width({v("i"), v("j")}, odd), 2);  // rows of 24 bytes
  AccessedMemory swizzled{DType::f16, shape, {}, row_major({4, 32}), {8, 128, 7}};
  EXPECT_EQ(width({v("i"), v("j")}, swizzled), 4);  // within a granule
}

TEST(evaluate_has_the_arithmetic_of_fold) {
  auto seven = [](Symbol name) {
    return name == Symbol("x") ? std::optional<int64_t>(7) : std::nullopt;
  };
  EXPECT_EQ(evaluate(floordiv(sub(v("x"), int_const(9)), int_const(4)), seven), -1);
  EXPECT_EQ(evaluate(binary(BinOp::shl, v("x"), int_const(40)), seven), 0);  // wider than i32
  EXPECT_EQ(evaluate(cast(DType::i8, mul(v("x"), int_const(20))), seven), -116);
  EXPECT(!evaluate(add(v("x"), v("y")), seven));
}
