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
  for (const host::RowDim& row : host::row_dims(*with_params(params)))
    names += row.name.str() + std::to_string(row.multiple) + " ";
  return names;
}

TEST(row_dims_are_those_of_strides) {
  EXPECT_EQ(rows_of("A: tensor(f16, [m, n])"), "n8 ");
  EXPECT_EQ(rows_of("A: tensor(f16, [m])"), "");
  EXPECT_EQ(rows_of("A: tensor(f16, [m, n * 2, 128])"), "n8 ");
  EXPECT_EQ(rows_of("A: tensor(f16, [m, k])"), "");
  EXPECT_EQ(rows_of("A: tensor(f32, [m, 64], strides=[s, 1])"), "s4 ");
  EXPECT_EQ(rows_of("A: tensor(f16, [m, n]), B: tensor(e4m3, [n, m])"), "n8 m16 ");
  EXPECT_EQ(rows_of("A: tensor(e4m3, [m, n]), B: tensor(f32, [m, n])"), "n16 ");
}

TEST(aligned_dims_are_multiples_in_the_call) {
  const FuncRef func = with_params("A: tensor(f16, [m, n]), B: tensor(f16, [n, m])");
  const host::Signature signature(*func);
  const auto rows = host::row_dims(*func);
  for (const auto& [m, n, expected] :
       {std::tuple{32, 48, "n m "}, {31, 48, "n "}, {32, 12, "m "}}) {
    host::Dims dims;
    for (const Symbol name : signature.dims())
      dims.push_back(name == Symbol("m") ? m : name == Symbol("n") ? n : 0);
    std::string names;
    for (const host::RowDim& row : host::aligned_dims(rows, signature, dims))
      names += row.name.str() + " ";
    EXPECT_EQ(names, expected);
  }
}

TEST(a_variant_declares_the_multiples) {
  const FuncRef func = with_params("A: tensor(f16, [m, n])");
  const std::string text = print(*host::with_multiples(*func, host::row_dims(*func)));
  EXPECT(text.find("n: dim(i32, 0, 4096, multiple=8)") != std::string::npos);
  EXPECT(text.find("m: dim(i32, 0, 4096),") != std::string::npos);
  EXPECT(host::row_dims(*host::with_multiples(*func, host::row_dims(*func))).empty());
}

}  // namespace
}  // namespace tilelab
