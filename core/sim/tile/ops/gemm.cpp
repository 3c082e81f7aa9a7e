// SPDX-License-Identifier: Apache-2.0
#include "core/sim/lanes/gemm.h"

#include "core/sim/tile/op.h"

namespace tilelab::sim {
namespace {

struct GemmOp : LateOp {
  TileBox boxes[3];  // c, a, b
  struct Dims {
    size_t row, col;
  } dims[3];
  bool trans_a = false, trans_b = false, tf32 = false;
  int32_t clear = -1;  // operand
  int64_t wait = -1;   // matmuls that may stay in flight

  int64_t extent(size_t which, bool rows) const {
    return boxes[which].dims[rows ? dims[which].row : dims[which].col].extent;
  }

  Step run(TileBlock& block, TileRunner& runner, const CallSite& site) const override {
    TilePending matmul{this, {}, *runner.scalar_bytes(site, clear) != 0, runner.span()};
    for (const TileBox& box : boxes) matmul.regions.push_back(resolve(block, runner, site, box));
    block.async().matmul(std::move(matmul), wait);
    return Step::next;
  }

  void complete(TileBlock& block, const TilePending& matmul) const override {
    Matrix matrix[3];
    for (size_t i = 0; i < 3; ++i) {
      const ResolvedBox& s = matmul.regions[i];
      if (!inside(block, matmul.span, s)) return;
      const auto& strides = s.memory->strides;
      matrix[i] = {s.origin(), s.memory->elem, strides[dims[i].row], strides[dims[i].col]};
    }
    if (trans_a) std::swap(matrix[1].row_stride, matrix[1].col_stride);
    if (trans_b) std::swap(matrix[2].row_stride, matrix[2].col_stride);
    // An element of c depends on a row of a and a column of b.
    const auto row = [&](const Position& at) { return line(matmul, 1, !trans_a, at[dims[0].row]); };
    const auto column = [&](const Position& at) {
      return line(matmul, 2, trans_b, at[dims[0].col]);
    };
    const BoxSource sources[] = {{&matmul.regions[1], row, "a", dims[0].row},
                                 {&matmul.regions[2], column, "b", dims[0].col}};
    block.perform(
        {BoxRule::multiply, "gemm", matmul.span, matmul.regions[0], matmul.clear, sources}, [&] {
          gemm(matrix[0], matrix[1], matrix[2], extent(0, true), extent(0, false),
               extent(1, trans_a), matmul.clear, tf32);
        });
  }

  /// Row or column `i` of a factor.
  BoxPart line(const TilePending& matmul, size_t which, bool rows, int64_t i) const {
    const ResolvedBox& region = matmul.regions[which];
    BoxPart out;
    for (size_t d = 0; d < region.lo.size(); ++d) out.push_back({0, region.extent(d)});
    out[rows ? dims[which].row : dims[which].col] = {i, i + 1};
    return out;
  }
};

}  // namespace

void compile(const Gemm& node, TileCompiler& compiler) {
  auto op = std::make_unique<GemmOp>();
  CallSite site;
  const Expr* operands[] = {&node.c, &node.a, &node.b};
  for (size_t i = 0; i < 3; ++i) {
    TileBox& box = op->boxes[i];
    box = compiler.box(*operands[i], site);
    const std::vector<size_t> slices = box.slices();  // the last two are the matrix
    if (slices.size() < 2) compiler.cannot(node, "an operand of gemm is not a matrix");
    op->dims[i] = {slices[slices.size() - 2], slices.back()};
  }
  op->trans_a = node.trans_a, op->trans_b = node.trans_b, op->tf32 = node.tf32;
  const int64_t m = op->extent(0, true), n = op->extent(0, false), k = op->extent(1, node.trans_a);
  if (op->extent(1, !node.trans_a) != m || op->extent(2, node.trans_b) != n ||
      op->extent(2, !node.trans_b) != k)
    compiler.cannot(node, "the shapes of gemm do not match");
  const Value clear = node.clear ? compiler.expr(node.clear) : compiler.constant(Elem::bool_, 0);
  op->clear = compiler.operand(site, clear);
  if (op->boxes[0].late) op->wait = node.wait;
  compiler.emit(std::move(op), std::move(site));
}

}  // namespace tilelab::sim
