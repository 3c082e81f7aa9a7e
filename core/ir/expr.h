// SPDX-License-Identifier: Apache-2.0
// Expressions. All are typed, and pure except for reads. docs/ir.md, "Numbers", defines the edge
// cases (overflow, division by zero, rounding).
#pragma once

#include "core/ir/intrinsics/intrinsics.h"
#include "core/ir/node.h"

namespace tilelab {

enum class UnOp : uint8_t {
#define UNOP(id, text) id,
#include "core/ir/operators.def"
#undef UNOP
};
enum class BinOp : uint8_t {
#define BINOP(id, text, precedence) id,
#include "core/ir/operators.def"
#undef BINOP
};
const char* text(UnOp op);  // "-", "not ", "~"
const char* text(BinOp op);
int precedence(BinOp op);
inline bool is_compare(BinOp op) { return op >= BinOp::eq && op <= BinOp::ge; }
inline bool is_division(BinOp op) {
  return op == BinOp::floordiv || op == BinOp::floormod || op == BinOp::tdiv || op == BinOp::tmod;
}
inline bool is_logical(BinOp op) { return op == BinOp::land || op == BinOp::lor; }

/// A constant as bits: NaN payloads and -0 are preserved. Integers are sign- or zero-extended to
/// 64.
struct Const : Base<Const, Kind::Const, ExprNode> {
  uint64_t bits = 0;
  static void fields(auto&& f) { f("bits", &Const::bits); }
};

/// A let, var, loop variable, dim or scalar parameter; or a built-in: tid, lane, warp (i32, per
/// thread) and the block indices that the kernel declares.
struct Name : Base<Name, Kind::Name, ExprNode> {
  Symbol id;
  static void fields(auto&& f) { f("id", &Name::id); }
};

struct Un : Base<Un, Kind::Un, ExprNode> {
  UnOp op = UnOp::neg;
  Expr a;
  static void fields(auto&& f) { f("op", &Un::op), f("a", &Un::a); }
};

/// Both operands have one type; comparisons and `and`/`or` return bool. `and`/`or` short-circuit.
struct Bin : Base<Bin, Kind::Bin, ExprNode> {
  BinOp op = BinOp::add;
  Expr a, b;
  static void fields(auto&& f) { f("op", &Bin::op), f("a", &Bin::a), f("b", &Bin::b); }
};

/// `a if cond else b`: evaluates only the selected operand, per lane.
struct Select : Base<Select, Kind::Select, ExprNode> {
  Expr cond, a, b;
  static void fields(auto&& f) { f("cond", &Select::cond), f("a", &Select::a), f("b", &Select::b); }
};

/// Converts `a` to the node's type: round to nearest even; float to integer truncates and
/// saturates, NaN gives 0; integer to integer wraps.
struct Cast : Base<Cast, Kind::Cast, ExprNode> {
  Expr a;
  static void fields(auto&& f) { f("a", &Cast::a); }
};

/// One element. At tile level a read outside a global tensor gives the buffer's safe value; any
/// other out-of-bounds index is an error.
struct Load : Base<Load, Kind::Load, ExprNode> {
  Symbol buffer;
  std::vector<Expr> index;
  static void fields(auto&& f) { f("buffer", &Load::buffer), f("index", &Load::index); }
};

/// A box of a buffer: an operand of tile operations and collectives, or, as a value, a vector of
/// its elements. With points only it refers to one element (atomics, barriers).
struct Region : Base<Region, Kind::Region, ExprNode> {
  Symbol buffer;
  std::vector<RegionDim> dims;
  static void fields(auto&& f) { f("buffer", &Region::buffer), f("dims", &Region::dims); }
};

enum class VecOp : uint8_t {
  broadcast,  // (scalar) -> lanes
  extract,    // (vector, constant lane) -> scalar
  concat,     // scalars or vectors -> one vector
  list,       // several operands as one argument, such as the coordinates of a tensor map
};
const char* text(VecOp op);

struct Vec : Base<Vec, Kind::Vec, ExprNode> {
  VecOp op = VecOp::broadcast;
  std::vector<Expr> parts;
  static void fields(auto&& f) { f("op", &Vec::op), f("parts", &Vec::parts); }
};

/// An intrinsic (intrinsics.def). Rows without effect are allowed in any expression; rows with an
/// effect only as the whole value of a Let, or under Do.
struct Call : Base<Call, Kind::Call, ExprNode> {
  Intrinsic intrinsic{};
  std::vector<Expr> args;
  std::vector<Attr> attrs;
  static void fields(auto&& f) {
    f("intrinsic", &Call::intrinsic), f("args", &Call::args), f("attrs", &Call::attrs);
  }
};

}  // namespace tilelab
