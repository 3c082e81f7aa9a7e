// SPDX-License-Identifier: Apache-2.0
#include "core/ir/intrinsics/expanded_matrices.h"

#include <utility>
#include <vector>

#include "core/ir/build.h"
#include "core/ir/regions.h"
#include "core/ir/traverse.h"
#include "core/layout/fragments.h"
#include "core/layout/matrix.h"

namespace tilelab {
namespace {

constexpr int64_t kLanes = 32;

Expr lane() { return name_ref("lane", {DType::i32}); }
Expr lane_in_group() { return floormod(lane(), int_const(kLanes)); }

/// The value that a lane of this lane's group has.
Expr from_lane(const Expr& value, const Expr& source) {
  if (is_const(value)) return value;
  const Expr group = sub(lane(), lane_in_group());
  return call(Intrinsic::shfl, value->type, {value, add(group, source)});
}

Stmt store_register(const Region& slice, int64_t k, Expr value) {
  std::vector<RegionDim> dims;
  for (Expr& index : offset_element(slice.dims, k)) dims.push_back(point(std::move(index)));
  return store(slice.buffer, std::move(dims), std::move(value));
}

/// PTX ISA, "ldmatrix": lane l names row l % 8 of matrix l / 8, and gets 4 bytes of every matrix:
/// of row l / 4, or if transposed of column l / 4.
Stmt expanded_load(const Call& call) {
  const Region &held = to<Region>(call.args[0]), &row = to<Region>(call.args[1]);
  const DType dtype = held.type.dtype;
  const int64_t per_matrix = 32 / bits(dtype);
  const Attr* trans = find_attr(call.attrs, "trans");
  std::vector<Stmt> out;
  for (int64_t k = 0; k < elements(held); ++k) {
    Expr r = floordiv(lane_in_group(), int_const(4));
    Expr c =
        add(mul(floormod(lane(), int_const(4)), int_const(per_matrix)), int_const(k % per_matrix));
    if (trans && trans->integer) std::swap(r, c);
    const Expr source = add(int_const(k / per_matrix * 8), r);
    std::vector<Expr> index;
    for (const RegionDim& dim : row.dims) index.push_back(from_lane(dim.lo, source));
    index.back() = offset_by(index.back(), c);
    out.push_back(store_register(held, k, load(row.buffer, dtype, std::move(index))));
  }
  return seq(std::move(out));
}

/// The row of the table that multiplies operands of that dtype by that shape.
const MatrixInstruction& instruction(const MatrixShape& shape, DType dtype) {
  for (const MatrixInstruction& row : matrix_instructions())
    if (expands_to_shuffles(row) && row.has_shape(shape, bits(dtype)) && row.supports(name(dtype)))
      return row;
  UNREACHABLE("no mma of " + to_text(shape));
}

/// A factor as the instruction reads it: of f32 as tf32.
Expr factor(const Region& from, int64_t reg, DType sums) {
  Expr value = load(from.buffer, from.type.dtype, offset_element(from.dims, reg));
  if (from.type.dtype != DType::f32) return cast(sums, value);
  const Expr kept = binary(BinOp::band, call(Intrinsic::bits, {DType::u32}, {value}),
                           int_const(0xffffe000, DType::u32));
  return call(Intrinsic::bits, {DType::f32}, {kept});
}

/// One chain of multiply-adds per accumulator, with increasing k. In all maps of `mma`, lane 4 g +
/// t has the rows of lane 0 shifted by g and the columns of C of lane 0 shifted by 2 t; row g of A
/// and column g of B are in lanes 4 g to 4 g + 3 (PTX ISA, "Matrix fragments for mma").
Stmt expanded_mma(const Call& mma) {
  const Region &c = to<Region>(mma.args[0]), &a = to<Region>(mma.args[1]),
               &b = to<Region>(mma.args[2]);
  const auto shape = parse_matrix_shape(find_attr(mma.attrs, "shape")->string);
  const MatrixInstruction& row = instruction(*shape, a.type.dtype);
  const auto map = [&](MatrixOperand operand, DType dtype) {
    return *fragment_map(row.name, operand, shape->m, shape->n, shape->k, bits(dtype));
  };
  const Layout of_a = map(MatrixOperand::a, a.type.dtype),
               of_b = map(MatrixOperand::b, b.type.dtype),
               of_c = map(MatrixOperand::c, c.type.dtype);
  const DType sums = accumulator_of(a.type.dtype);
  const Expr row_lanes = mul(floordiv(lane_in_group(), int_const(4)), int_const(4));
  const Expr column_lanes = mul(floormod(lane(), int_const(4)), int_const(8));
  std::vector<Stmt> out;
  for (int64_t reg = 0; reg < elements(c); ++reg) {
    const Index first = elements_at(of_c, 0, reg).at(0);
    Expr sum = load(c.buffer, c.type.dtype, offset_element(c.dims, reg));
    for (int64_t step = 0; step < shape->k; ++step) {
      const Place left = place_of(of_a, {first[0], step}), right = place_of(of_b, {step, first[1]});
      Expr x = from_lane(factor(a, left.reg, sums), add(row_lanes, int_const(left.thread)));
      Expr y = from_lane(factor(b, right.reg, sums), add(column_lanes, int_const(right.thread)));
      sum = is_float(sums) ? call(Intrinsic::fma, {sums}, {std::move(x), std::move(y), sum})
                           : add(sum, mul(std::move(x), std::move(y)));
    }
    out.push_back(store_register(c, reg, std::move(sum)));
  }
  return seq(std::move(out));
}

}  // namespace

bool expands_to_shuffles(const MatrixInstruction& row) {
  return row.intrinsic == name(Intrinsic::mma) && row.lanes == kLanes &&
         row.targets.find('H') != std::string_view::npos;
}

const Call* warp_matrices(const Stmt& stmt) {
  const Call* call = called(stmt);
  if (!call || !expands_to_shuffles(call->intrinsic)) return nullptr;
  for (const Expr& arg : call->args)
    if (!as<Region>(arg)) return nullptr;
  return call;
}

Stmt expanded_matrices(const Call& call) {
  return call.intrinsic == Intrinsic::mma ? expanded_mma(call) : expanded_load(call);
}

}  // namespace tilelab
