// SPDX-License-Identifier: Apache-2.0
// Checked constructors of expressions and statements. Constants fold if the result is exact and
// cannot trap; nothing is reassociated. Operands must have one dtype: implicit conversion is done
// by core/elaborate. A scalar operand next to a vector is broadcast.
#pragma once

#include "core/ir/func.h"

namespace tilelab {

// ---- constants
Expr constant(Type type, uint64_t bits);
Expr int_const(int64_t value, DType dtype = DType::i32);
Expr float_const(double value, DType dtype = DType::f32);
Expr bool_const(bool value);
/// `value` in any dtype: rounded or wrapped.
Expr number(double value, DType dtype);
bool is_const(const Expr& expr);
/// The value of an integer or bool constant.
std::optional<int64_t> int_value(const Expr& expr);
/// The value of any scalar constant as a double.
std::optional<double> number_value(const Expr& expr);
inline bool is_int(const Expr& e, int64_t value) { return int_value(e) == value; }

// ---- operations
Expr name_ref(Symbol id, Type type = {});
Expr unary(UnOp op, Expr a);
Expr binary(BinOp op, Expr a, Expr b);
Expr select(Expr cond, Expr a, Expr b);
Expr cast(DType dtype, Expr a);
Expr load(const Buffer& buffer, std::vector<Expr> index);
Expr load(Symbol buffer, DType dtype, std::vector<Expr> index);
/// A region as a value: a vector of all elements of its slices.
Expr region(Symbol buffer, DType dtype, std::vector<RegionDim> dims);
/// The whole buffer; its shape must be constant.
Expr whole(const Buffer& buffer);
Expr broadcast(Expr a, int lanes);
Expr call(Intrinsic intrinsic, Type type, std::vector<Expr> args, std::vector<Attr> attrs = {});
Expr list(std::vector<Expr> items);

inline Expr add(Expr a, Expr b) { return binary(BinOp::add, std::move(a), std::move(b)); }
inline Expr sub(Expr a, Expr b) { return binary(BinOp::sub, std::move(a), std::move(b)); }
inline Expr mul(Expr a, Expr b) { return binary(BinOp::mul, std::move(a), std::move(b)); }
inline Expr floordiv(Expr a, Expr b) { return binary(BinOp::floordiv, std::move(a), std::move(b)); }
inline Expr floormod(Expr a, Expr b) { return binary(BinOp::floormod, std::move(a), std::move(b)); }
inline Expr lt(Expr a, Expr b) { return binary(BinOp::lt, std::move(a), std::move(b)); }
inline Expr ge(Expr a, Expr b) { return binary(BinOp::ge, std::move(a), std::move(b)); }
inline Expr eq(Expr a, Expr b) { return binary(BinOp::eq, std::move(a), std::move(b)); }
/// `index` plus `count`, in the dtype of `index`.
inline Expr offset_by(const Expr& index, const Expr& count) {
  return add(index, cast(index->type.dtype, count));
}
Expr land(Expr a, Expr b);  // null operands count as true
/// `not condition`, as a comparison if it is one: of floats only for equality, because a NaN is
/// unordered.
Expr negated(const Expr& condition);

inline RegionDim point(Expr index) { return {std::move(index), 1, true}; }
inline RegionDim slice(Expr lo, int64_t extent) { return {std::move(lo), extent, false}; }

// ---- statements
/// Memory with these extents; further fields are set before it is made a statement.
Buffer new_buffer(Symbol name, Scope scope, DType dtype, std::vector<Expr> shape);
Buffer new_buffer(Symbol name, Scope scope, DType dtype, const std::vector<int64_t>& extents);
/// Flattens nested Seqs, drops nulls.
Stmt seq(std::vector<Stmt> stmts);
Stmt let(Symbol name, Expr value);
Stmt var(Symbol name, DType dtype, Expr init = nullptr);
Stmt assign(Symbol name, Expr value);
Stmt store(Symbol buffer, std::vector<RegionDim> dims, Expr value);
Stmt store(const Buffer& buffer, std::vector<Expr> index, Expr value);
Stmt if_then(Expr cond, Stmt then_, Stmt else_ = nullptr);
Stmt for_loop(Symbol var, Expr lo, Expr hi, Stmt body, LoopMode mode = LoopMode::serial);
Stmt while_loop(Expr cond, Stmt body);
Stmt do_call(Intrinsic intrinsic, std::vector<Expr> args, std::vector<Attr> attrs = {});

/// The same node with a span, if it has none yet.
Expr at(Span span, Expr expr);
Stmt at(Span span, Stmt stmt);
/// The same for each statement of a list: statements left over from a simplified loop or branch
/// inherit its source location.
Stmt on_line(const Span& span, const Stmt& body);

/// Constant extents of a buffer's shape; a bug if one is dynamic.
std::vector<int64_t> const_shape(const Buffer& buffer);
/// Allocation size of a shared or local buffer, in elements and in bytes, including elements that
/// its layout skips or its swizzle reaches.
int64_t allocated_elements(const Buffer& buffer);
int64_t allocated_bytes(const Buffer& buffer);
/// Product of the extents of the sliced dimensions (1 for an element reference).
int64_t elements(const Region& region);

}  // namespace tilelab
