// SPDX-License-Identifier: Apache-2.0
#include "core/host/row_multiples.h"

#include "core/ir/build.h"
#include "core/ir/text/print.h"
#include "core/ir_text/ir_text.h"
#include "tests/unit/test.h"

namespace tilelab {
namespace {

FuncRef with_params(const std::string& params) {
  const std::string text =
      "ir(1, level=\"tile\", target=\"sm_90a\")\ndef f(" + params +
      ", *, m: dim(i32, 0, 4096), n: dim(i32, 0, 4096), k: dim(i32, 0, 4096, multiple=32), s: "
      "dim(i32, 0, 4096)):\n    check_tensor(A, align=16)\n";
  Diagnostics sink;
  const FuncRef func = read_ir("test", text, sink);
  EXPECT(bool(func));
  return func;
}

std::string rows_of(const std::string& params) {
  std::string names;
  for (const Symbol name : host::row_dims(*with_params(params))) names += name.str() + " ";
  return names;
}

TEST(row_dims_are_those_of_strides) {
  EXPECT_EQ(rows_of("A: tensor(f16, [m, n])"), "n ");
  EXPECT_EQ(rows_of("A: tensor(f16, [m])"), "");
  EXPECT_EQ(rows_of("A: tensor(f16, [m, n * 2, 128])"), "n ");
  EXPECT_EQ(rows_of("A: tensor(f16, [m, k])"), "");
  EXPECT_EQ(rows_of("A: tensor(f16, [m, 64], strides=[s, 1])"), "s ");
  EXPECT_EQ(rows_of("A: tensor(f16, [m, n]), B: tensor(f16, [n, m])"), "n m ");
}

TEST(aligned_dims_are_multiples_in_the_call) {
  const FuncRef func = with_params("A: tensor(f16, [m, n]), B: tensor(f16, [n, m])");
  const host::Signature signature(*func);
  const auto rows = host::row_dims(*func);
  for (const auto& [m, n, expected] : {std::tuple{32, 48, "m n "}, {31, 48, "n "}, {32, 8, "m "}}) {
    host::Dims dims;
    for (const Symbol name : signature.dims())
      dims.push_back(name == Symbol("m") ? m : name == Symbol("n") ? n : 0);
    std::string names;
    for (const Symbol name : host::aligned_dims(rows, signature, dims)) names += name.str() + " ";
    EXPECT_EQ(names, expected);
  }
}

TEST(a_variant_declares_the_multiples) {
  const FuncRef func = with_params("A: tensor(f16, [m, n])");
  const std::string text = print(*host::with_multiples(*func, {"n"}));
  EXPECT(text.find("n: dim(i32, 0, 4096, multiple=16)") != std::string::npos);
  EXPECT(text.find("m: dim(i32, 0, 4096),") != std::string::npos);
  EXPECT(host::row_dims(*host::with_multiples(*func, {"n"})).empty());
}

}  // namespace
}  // namespace tilelab
