// SPDX-License-Identifier: Apache-2.0
#include "core/ir_text/operators.h"

namespace tilelab {

std::optional<BinOp> ir_op(syntax::Op op) {
  using syntax::Op;
  switch (op) {
    case Op::add: return BinOp::add;
    case Op::sub: return BinOp::sub;
    case Op::mul: return BinOp::mul;
    case Op::div: return BinOp::div;
    case Op::floordiv: return BinOp::floordiv;
    case Op::mod: return BinOp::floormod;
    case Op::shl: return BinOp::shl;
    case Op::shr: return BinOp::shr;
    case Op::bit_and: return BinOp::band;
    case Op::bit_or: return BinOp::bor;
    case Op::bit_xor: return BinOp::bxor;
    case Op::eq: return BinOp::eq;
    case Op::ne: return BinOp::ne;
    case Op::lt: return BinOp::lt;
    case Op::le: return BinOp::le;
    case Op::gt: return BinOp::gt;
    case Op::ge: return BinOp::ge;
    case Op::and_: return BinOp::land;
    case Op::or_: return BinOp::lor;
    default: return std::nullopt;
  }
}

}  // namespace tilelab
