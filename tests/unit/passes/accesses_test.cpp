// SPDX-License-Identifier: Apache-2.0
// Maps of accesses: loops of 4 x 32 iterations in a warp, and what they need of a fragment.
#include "core/passes/infer_layouts/accesses.h"

#include "core/ir/build.h"
#include "core/ir/linear.h"
#include "core/layout/text.h"
#include "tests/unit/test.h"

using namespace tilelab;

namespace {

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

const Layout kByRows{{4, 32}, {{r_digit(4, 1)}, {t_digit(32, 1)}}, {}, 0};
const Layout kByColumns{{32, 4}, {{t_digit(32, 1)}, {r_digit(4, 1)}}, {}, 0};

std::string text(const std::optional<Layout>& layout) {
  return layout ? digits_text(layout->dims) : "none";
}

}  // namespace

TEST(access_map_says_who_holds_the_element) {
  EXPECT_EQ(text(access_map(loop(), access({name_ref("i"), name_ref("j")}), kByRows)),
            "[[r(4, 1)], [t(32, 1)]]");
  EXPECT_EQ(text(access_map(loop(), access({name_ref("j"), name_ref("i")}), kByColumns)),
            "[[r(4, 1)], [t(32, 1)]]");
  // Every iteration over j needs the same element: thread 3 holds it.
  EXPECT_EQ(access_map(loop(), access({name_ref("i"), int_const(3)}), kByRows)->base, 3);
  // The thread follows what is outside of the loop.
  EXPECT(!access_map(loop(), access({name_ref("i"), name_ref("n")}), kByRows));
  // Registers may: a round of them each.
  EXPECT(access_map(loop(), access({name_ref("k"), name_ref("j")}), kByRows).has_value());
}

TEST(access_map_of_arithmetic_is_tabulated) {
  Expr swapped = binary(BinOp::bxor, name_ref("j"), int_const(1));  // neighbours change places
  auto map = access_map(loop(), access({name_ref("i"), swapped}), kByRows);
  EXPECT(!map || place_of(*map, {0, 0}).thread == 1);
  Expr half = floordiv(name_ref("j"), int_const(2));
  auto pairs = access_map(loop(), access({name_ref("i"), half}), kByRows);
  EXPECT(pairs && place_of(*pairs, {0, 7}).thread == 3);
  EXPECT(!access_map(loop(), access({name_ref("i"), add(name_ref("j"), int_const(1))}),
                     kByRows));  // leaves it
}

TEST(fragment_for_gives_each_thread_its_own) {
  EXPECT_EQ(text(fragment_for(loop(), access({name_ref("j"), name_ref("i")}), {32, 4}, kByRows)),
            "[[t(32, 1)], [r(4, 1)]]");
  // x[i] is read by all threads of a row: each of them holds it.
  auto replicated = fragment_for(loop(), access({name_ref("i")}), {4}, kByRows);
  EXPECT(replicated && replicated->rep == Digits{t_digit(32, 1)});
  // x[i + j] would have to be in several threads, but not in all.
  EXPECT(!fragment_for(loop(), access({add(name_ref("i"), name_ref("j"))}), {35}, kByRows));
}

TEST(loops_fit_fragments_that_own_what_they_touch) {
  EXPECT(fits(loop(), access({name_ref("i"), name_ref("j")}, true), kByRows, kByRows));
  EXPECT(!fits(loop(), access({name_ref("j"), name_ref("i")}), kByRows, kByRows));
  EXPECT(covers(loop(), access({name_ref("i"), name_ref("j")})) &&
         !covers(loop(), access({name_ref("i")})));
  EXPECT(fills(loop(), access({name_ref("i"), name_ref("j")}), {4, 32}));
  EXPECT(!fills(loop(), access({name_ref("i"), name_ref("j")}), {4, 64}));
}

TEST(width_of_an_access) {
  const std::vector<Expr> shape{int_const(4), int_const(32)};
  AccessedMemory plain{DType::f32, shape, {}, {}, {}};
  auto width = [&](std::vector<Expr> index, const AccessedMemory& memory) {
    return access_width(loop(), access(std::move(index)), memory, 16);
  };
  EXPECT_EQ(width({name_ref("i"), name_ref("j")}, plain), 4);
  EXPECT_EQ(width({name_ref("i"), add(name_ref("j"), name_ref("k"))}, plain),
            4);  // k is a multiple of 4
  EXPECT_EQ(width({name_ref("i"), add(name_ref("j"), int_const(2))}, plain),
            2);                                                // starts in the middle
  EXPECT_EQ(width({name_ref("j"), name_ref("i")}, plain), 1);  // down a column
  EXPECT_EQ(width({name_ref("i"), mul(name_ref("j"), int_const(2))}, plain), 1);  // every second
  AccessedMemory odd{DType::f32, {int_const(4), int_const(6)}, {}, {}, {}};
  EXPECT_EQ(width({name_ref("i"), name_ref("j")}, odd), 2);  // rows of 24 bytes
  AccessedMemory swizzled{DType::f16, shape, {}, row_major({4, 32}), {8, 128, 7}};
  EXPECT_EQ(width({name_ref("i"), name_ref("j")}, swizzled), 4);  // within a granule
}

TEST(evaluate_has_the_arithmetic_of_fold) {
  auto seven = [](Symbol name) {
    return name == Symbol("x") ? std::optional<int64_t>(7) : std::nullopt;
  };
  EXPECT_EQ(evaluate(floordiv(sub(name_ref("x"), int_const(9)), int_const(4)), seven), -1);
  EXPECT_EQ(evaluate(binary(BinOp::shl, name_ref("x"), int_const(40)), seven),
            0);  // wider than i32
  EXPECT_EQ(evaluate(cast(DType::i8, mul(name_ref("x"), int_const(20))), seven), -116);
  EXPECT(!evaluate(add(name_ref("x"), name_ref("y")), seven));
}
