// SPDX-License-Identifier: Apache-2.0
// Tile operations: statements of a whole block (or role). Only at tile level, but for Record.
// Fields that read "unset" are filled by select_instructions and infer_layouts.
#pragma once

#include "core/ir/stmt.h"

namespace tilelab {

/// dst <- src, element by element over the extents that are not 1, in order; casts to dst's
/// dtype. Outside a global tensor: reads give the source's safe value, stores are dropped,
/// silently. `map`: tensor map of an engine copy. `attrs`: what the user asked for.
struct Copy : Base<Copy, Kind::Copy, StmtNode> {
  Expr src, dst;  // Regions
  CopyBy by = CopyBy::unset;
  Symbol map;
  int64_t vec = 0;  // elements per access, 0 = unset
  Layout layout;    // element of the copied box -> thread, register
  std::vector<Attr> attrs;
  static void fields(auto&& f) {
    f("src", &Copy::src), f("dst", &Copy::dst), f("by", &Copy::by), f("map", &Copy::map);
    f("vec", &Copy::vec), f("layout", &Copy::layout), f("attrs", &Copy::attrs);
  }
};

struct Fill : Base<Fill, Kind::Fill, StmtNode> {
  Expr dst;  // Region
  Expr value;
  Layout layout;
  int64_t vec = 0;
  static void fields(auto&& f) {
    f("dst", &Fill::dst), f("value", &Fill::value), f("layout", &Fill::layout);
    f("vec", &Fill::vec);
  }
};

/// c += op(a) op(b), or = where `clear` holds. Every element of c is one chain of fused
/// multiply-adds in increasing k, in c's dtype. `wait`: -1 complete on return; n >= 0: issued and
/// committed, then at most n groups stay pending. `workspaces`: shared buffers that stage
/// the fragment operands a and b; empty names where an operand needs none.
struct Gemm : Base<Gemm, Kind::Gemm, StmtNode> {
  Expr a, b, c;  // Regions
  bool trans_a = false, trans_b = false;
  Expr clear;  // bool
  WarpPolicy policy = WarpPolicy::square;
  GemmBy by = GemmBy::unset;
  std::vector<int64_t> inst;   // m, n, k of the instruction
  std::vector<int64_t> warps;  // along m, n
  int64_t wait = -1;
  std::vector<Symbol> workspaces;
  static void fields(auto&& f) {
    f("a", &Gemm::a), f("b", &Gemm::b), f("c", &Gemm::c), f("trans_a", &Gemm::trans_a);
    f("trans_b", &Gemm::trans_b), f("clear", &Gemm::clear), f("policy", &Gemm::policy);
    f("by", &Gemm::by), f("inst", &Gemm::inst), f("warps", &Gemm::warps);
    f("wait", &Gemm::wait), f("workspaces", &Gemm::workspaces);
  }
};

/// dst = op over `dims` of src; without `clear` dst = op(old dst, that). Accumulates in dst's
/// dtype. sum and abssum: pairwise over the element order at tile level; in `order` below.
/// `nan_propagate` (max, min, absmax of floats): a NaN among the values wins, else it loses.
/// `workspace`: the shared buffer of a reduction across warps (infer_layouts).
struct Reduce : Base<Reduce, Kind::Reduce, StmtNode> {
  Expr src, dst;  // Regions; dst's shape is src's without `dims` (or with them 1)
  ReduceOp op = ReduceOp::sum;
  std::vector<int64_t> dims;
  bool clear = true;
  bool nan_propagate = false;
  Symbol workspace;
  std::vector<std::string> order;
  static void fields(auto&& f) {
    f("src", &Reduce::src), f("dst", &Reduce::dst), f("op", &Reduce::op);
    f("dims", &Reduce::dims), f("clear", &Reduce::clear);
    f("nan_propagate", &Reduce::nan_propagate), f("workspace", &Reduce::workspace);
    f("order", &Reduce::order);
  }
};

/// Inclusive prefix sum or maximum along `dim`.
struct Scan : Base<Scan, Kind::Scan, StmtNode> {
  Expr src, dst;  // Regions
  ScanOp op = ScanOp::sum;
  int64_t dim = 0;
  bool reverse = false;
  static void fields(auto&& f) {
    f("src", &Scan::src), f("dst", &Scan::dst), f("op", &Scan::op), f("dim", &Scan::dim);
    f("reverse", &Scan::reverse);
  }
};

/// dst = op(dst, value) atomically, element by element; value is a Region of dst's extents or a
/// scalar. One element with a result that is used is the intrinsic atomic_* instead.
struct Atomic : Base<Atomic, Kind::Atomic, StmtNode> {
  Expr dst;    // Region
  Expr value;  // Region or scalar
  AtomicOp op = AtomicOp::add;
  std::string order = "relaxed";
  int64_t vec = 0;
  Layout layout;
  static void fields(auto&& f) {
    f("dst", &Atomic::dst), f("value", &Atomic::value), f("op", &Atomic::op);
    f("order", &Atomic::order), f("vec", &Atomic::vec), f("layout", &Atomic::layout);
  }
};

/// acquire and wait bind `slot`; commit and release do not.
struct RingOp : Base<RingOp, Kind::RingOp, StmtNode> {
  RingOpKind op = RingOpKind::acquire;
  Symbol ring, slot;
  static void fields(auto&& f) {
    f("op", &RingOp::op), f("ring", &RingOp::ring), f("slot", &RingOp::slot);
  }
};

/// An event: print shows `message` and `values`; assert_ makes one if values[0] is false and
/// stops the block; so does assume in the simulator, while passes take its condition for a fact and
/// flatten drops it. A Region among the values: the whole box (tile level). Below tile level
/// `index` names the element that a printed value belongs to. Allowed at every level.
struct Record : Base<Record, Kind::Record, StmtNode> {
  RecordKind what = RecordKind::print;
  std::string message;
  std::string buffer;  // name of the printed buffer, or empty
  std::vector<Expr> values;
  std::vector<Expr> index;
  static void fields(auto&& f) {
    f("what", &Record::what), f("message", &Record::message), f("buffer", &Record::buffer);
    f("values", &Record::values), f("index", &Record::index);
  }
};

}  // namespace tilelab
