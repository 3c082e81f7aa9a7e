// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/rewrites/half_bytes.h"

#include "core/ir/build.h"
#include "core/ir/traverse.h"

namespace tilelab::elaborate {
namespace {

/// A constant of the type of `x`.
Expr constant_like(const Expr& x, int64_t value) {
  return broadcast(int_const(value, x->type.dtype), x->type.lanes);
}

/// The lower four bits of a value, extended to its type.
Expr wrapped(const Expr& x) {
  if (is_unsigned(x->type.dtype)) return binary(BinOp::band, x, constant_like(x, 15));
  const Expr four = constant_like(x, 4);
  return binary(BinOp::shr, binary(BinOp::shl, x, four), four);
}

/// Clamped to the range of the dtype.
Expr saturated(const Expr& x, DType dtype) {
  const Expr above = call(Intrinsic::maximum, x->type, {x, constant_like(x, min_int(dtype))});
  return call(Intrinsic::minimum, x->type, {above, constant_like(x, max_int(dtype))});
}

Expr with_type(const Expr& e, Type type) {
  return visit(*e, [&](const auto& node) -> Expr {
    using Node = std::remove_cvref_t<decltype(node)>;
    if constexpr (std::is_base_of_v<ExprNode, Node>) {
      Node out(node);
      out.type = type;
      return at(e->span, make(std::move(out)));
    } else {
      UNREACHABLE("not an expression");
    }
  });
}

/// Whether the operation can leave the range of its operands.
bool leaves_range(const Expr& e) {
  if (const Bin* bin = as<Bin>(e))
    return bin->op != BinOp::band && bin->op != BinOp::bor && bin->op != BinOp::bxor &&
           bin->op != BinOp::shr;
  if (const Call* call = as<Call>(e))
    return call->intrinsic != Intrinsic::maximum && call->intrinsic != Intrinsic::minimum;
  return e->kind == Kind::Un;
}

/// Whose operands are done.
Expr widened(const Expr& e) {
  const DType dtype = e->type.dtype;
  const Cast* conversion = as<Cast>(e);
  if (!is_four_bit_integer(dtype))
    return conversion && conversion->a->type == e->type ? conversion->a : e;
  const Type type{byte_type(dtype), e->type.lanes};
  if (conversion) {
    const Expr made = cast(type.dtype, conversion->a);
    return is_float(conversion->a->type.dtype) ? saturated(made, dtype) : wrapped(made);
  }
  const Call* call = as<Call>(e);
  if (call && call->intrinsic == Intrinsic::bits && call->args[0]->type == type)
    return call->args[0];  // four bits of memory
  const Expr made = with_type(e, type);
  return leaves_range(e) ? wrapped(made) : made;
}

Stmt with_widened_dtype(const Stmt& stmt) {
  return visit(*stmt, [&](const auto& node) -> Stmt {
    if constexpr (requires { DType(node.dtype); } &&
                  std::is_base_of_v<StmtNode, std::remove_cvref_t<decltype(node)>>) {
      if (!is_four_bit_integer(node.dtype)) return stmt;
      std::remove_cvref_t<decltype(node)> out(node);
      out.dtype = byte_type(node.dtype);
      return at(stmt->span, make(std::move(out)));
    } else {
      return stmt;
    }
  });
}

}  // namespace

Stmt widened_integers(const Stmt& body) {
  const bool some = any_of(*body, [](const Node& node) {
    return visit(node, [](const auto& n) {
      if constexpr (requires { DType(n.dtype); })
        return is_four_bit_integer(n.dtype);
      else if constexpr (requires { DType(n.type.dtype); })
        return is_four_bit_integer(n.type.dtype);
      else
        return false;
    });
  });
  return some ? rewrite(
                    body, [](const Expr& e) { return widened(e); },
                    [](const Stmt& s) { return with_widened_dtype(s); })
              : body;
}

}  // namespace tilelab::elaborate
