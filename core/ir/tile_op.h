// SPDX-License-Identifier: Apache-2.0
// Tile operations: statements of a whole block (or role). Only at tile level, except Record.
// select_instructions and infer_layouts fill fields that are "unset". The field lists define the
// text (node.h, `Is`).
#pragma once

#include "core/ir/stmt.h"

namespace tilelab {

/// dst <- src, element by element over the extents that are not 1, in order; casts to dst's dtype.
/// Outside a global tensor, reads give the source's safe value and stores are dropped silently.
/// `map`: tensor map of an engine copy. `attrs`: user annotations.
struct Copy : Base<Copy, Kind::Copy, StmtNode> {
  Expr src, dst;  // Regions
  CopyBy by = CopyBy::unset;
  bool adds = false;  // a copy engine adds to the elements of dst, each atomically
  Symbol map;
  Expr barrier;     // of a copy engine: explicit barrier that counts its bytes and that the kernel
                    // waits for
  int64_t vec = 0;  // elements per access, 0 = unset
  Layout layout;    // element of the copied box -> thread, register
  std::vector<Attr> attrs;
  static constexpr const char* kCall = "copy";
  static void fields(auto&& f) {
    f("src", &Copy::src, Is::positional | Is::read);
    f("dst", &Copy::dst, Is::positional | Is::written | Is::paired);
    f("by", &Copy::by), f("adds", &Copy::adds), f("map", &Copy::map, Is::map);
    f("barrier", &Copy::barrier, Is::barrier);
    f("vec", &Copy::vec), f("layout", &Copy::layout), f("attrs", &Copy::attrs);
  }
};

struct Fill : Base<Fill, Kind::Fill, StmtNode> {
  Expr dst;  // Region
  Expr value;
  int64_t vec = 0;
  Layout layout;
  static constexpr const char* kCall = "fill";
  static void fields(auto&& f) {
    f("dst", &Fill::dst, Is::positional | Is::written);
    f("value", &Fill::value, Is::positional | Is::typed);
    f("vec", &Fill::vec), f("layout", &Fill::layout);
  }
};

/// c += op(a) op(b), or = if `clear` holds. Every element of c is one chain of fused multiply-adds
/// in increasing k, in c's dtype. `wait`: -1 complete on return; n >= 0: issued and committed, then
/// at most n groups stay pending. `workspaces`: shared buffers that stage the fragment operands a
/// and b; empty names if not needed. `tf32`: the lower 13 bits of each f32 significand are ignored,
/// as in the matrix units.
struct Gemm : Base<Gemm, Kind::Gemm, StmtNode> {
  Expr a, b, c;  // Regions
  bool trans_a = false, trans_b = false;
  Expr clear;  // bool
  bool tf32 = false;
  WarpPolicy policy = WarpPolicy::square;
  GemmBy by = GemmBy::unset;
  std::vector<int64_t> inst;   // m, n, k of the instruction
  std::vector<int64_t> warps;  // along m, n
  int64_t wait = -1;
  std::vector<Symbol> workspaces;
  static constexpr const char* kCall = "gemm";
  static void fields(auto&& f) {
    f("a", &Gemm::a, Is::positional | Is::read), f("b", &Gemm::b, Is::positional | Is::read);
    f("c", &Gemm::c, Is::positional | Is::updated);
    f("tA", &Gemm::trans_a), f("tB", &Gemm::trans_b), f("clear", &Gemm::clear, Is::condition);
    f("tf32", &Gemm::tf32), f("policy", &Gemm::policy), f("by", &Gemm::by), f("inst", &Gemm::inst);
    f("warps", &Gemm::warps), f("wait", &Gemm::wait);
    f("ws", &Gemm::workspaces, Is::buffer | Is::updated);
  }
};

/// dst = op over `dims` of src; without `clear` dst = op(old dst, result). Accumulates in dst's
/// dtype. sum and abssum: pairwise over the element order at tile level; in `order` below.
/// `nan_propagate` (max, min, absmax of floats): a NaN operand gives NaN; otherwise NaN is ignored.
/// `workspace`: the shared buffer of a reduction across warps (infer_layouts).
struct Reduce : Base<Reduce, Kind::Reduce, StmtNode> {
  Expr src, dst;  // Regions; dst's shape is src's without `dims` (or with them 1)
  ReduceOp op = ReduceOp::sum;
  std::vector<int64_t> dims;
  bool clear = true;
  bool nan_propagate = false;
  Symbol workspace;
  std::vector<std::string> order;
  static constexpr const char* kCall = "reduce";
  static void fields(auto&& f) {
    f("src", &Reduce::src, Is::positional | Is::read);
    f("dst", &Reduce::dst, Is::positional | Is::updated);
    f("dims", &Reduce::dims, Is::always), f("op", &Reduce::op, Is::always);
    f("clear", &Reduce::clear, Is::always), f("nan_propagate", &Reduce::nan_propagate);
    f("ws", &Reduce::workspace, Is::buffer | Is::updated), f("order", &Reduce::order);
  }
};

/// Inclusive prefix sum or maximum along `dim`.
struct Scan : Base<Scan, Kind::Scan, StmtNode> {
  Expr src, dst;  // Regions
  ScanOp op = ScanOp::sum;
  int64_t dim = 0;
  bool reverse = false;
  static constexpr const char* kCall = "scan";
  static void fields(auto&& f) {
    f("src", &Scan::src, Is::positional | Is::read);
    f("dst", &Scan::dst, Is::positional | Is::written | Is::paired);
    f("op", &Scan::op, Is::always), f("dim", &Scan::dim, Is::always);
    f("reverse", &Scan::reverse);
  }
};

/// Sorts each line of a shared tile along the last dimension of its box, in place and in increasing
/// order, by the network below. With a NaN the order is unspecified; no element is lost.
struct Sort : Base<Sort, Kind::Sort, StmtNode> {
  Expr tile;  // Region
  bool descending = false;
  static constexpr const char* kCall = "sort";
  static void fields(auto&& f) {
    f("tile", &Sort::tile, Is::positional | Is::updated);
    f("descending", &Sort::descending);
  }
};

/// A step of a sorting network: each pair of elements is exchanged if it is in the wrong order.
/// Pair p has the elements `low = p / distance * 2 * distance + p % distance` and `low + distance`;
/// if `mirrored`, the second is the mirror image of the first within the 2 * distance elements.
struct SortStep {
  int64_t distance = 1;
  bool mirrored = false;
};
/// Batcher's bitonic network for n elements (Sorting networks and their applications, AFIPS 1968),
/// with all exchanges in one direction: elements from n on would never move, so pairs with them are
/// left out.
inline std::vector<SortStep> sort_network(int64_t n) {
  std::vector<SortStep> out;
  for (int64_t half = 1; half < n; half *= 2) {
    out.push_back({half, true});
    for (int64_t distance = half / 2; distance >= 1; distance /= 2)
      out.push_back({distance, false});
  }
  return out;
}

/// dst = op(dst, value) atomically, element by element; value is a Region with dst's extents or a
/// scalar. An atomic on one element whose result is used is the intrinsic atomic_*.
struct Atomic : Base<Atomic, Kind::Atomic, StmtNode> {
  Expr dst;    // Region
  Expr value;  // Region or scalar
  AtomicOp op = AtomicOp::add;
  std::string order = "relaxed";
  int64_t vec = 0;
  Layout layout;
  static constexpr const char* kCall = "atomic";
  static void fields(auto&& f) {
    f("dst", &Atomic::dst, Is::positional | Is::updated);
    f("value", &Atomic::value, Is::positional | Is::typed | Is::paired);
    f("op", &Atomic::op, Is::always), f("order", &Atomic::order, Is::always);
    f("vec", &Atomic::vec), f("layout", &Atomic::layout);
  }
};

/// Copies to the buffer `dst` of the block with rank `block` in the cluster, with the casts of a
/// Copy. Complete, for the threads of that block, after the next barrier of the cluster.
struct ClusterCopy : Base<ClusterCopy, Kind::ClusterCopy, StmtNode> {
  Expr src, dst;  // Regions; dst of shared memory
  Expr block;
  int64_t vec = 0;
  Layout layout;
  static constexpr const char* kCall = "copy_cluster";
  static void fields(auto&& f) {
    f("src", &ClusterCopy::src, Is::positional | Is::read);
    f("dst", &ClusterCopy::dst, Is::positional | Is::written | Is::paired);
    f("block", &ClusterCopy::block, Is::always);
    f("vec", &ClusterCopy::vec), f("layout", &ClusterCopy::layout);
  }
};

/// acquire and wait bind `slot`; commit and release do not.
struct RingOp : Base<RingOp, Kind::RingOp, StmtNode> {
  RingOpKind op = RingOpKind::acquire;
  Symbol ring, slot;
  static constexpr const char* kCall = "ring_";
  static void fields(auto&& f) {
    f("op", &RingOp::op, Is::callee), f("ring", &RingOp::ring, Is::positional | Is::ring);
    f("slot", &RingOp::slot, Is::bound | Is::optional);
  }
};

/// An event: print shows `message` and `values`; device_assert reports if values[0] is false and
/// stops the block; so does assume in the simulator, while passes use its condition as a fact and
/// flatten drops it. opaque stops it where a foreign function without a model would run; `message`
/// is the function. A Region among the values: the whole box (tile level). Below tile level
/// `index` identifies the element of a printed value. Allowed at every level.
/// Encloses the format of a value in a message; the values of the message are the last of `values`.
inline constexpr char kMessageMark = '\x1a';

struct Record : Base<Record, Kind::Record, StmtNode> {
  RecordKind what = RecordKind::print;
  std::string message;
  std::string buffer;  // name of the printed buffer, or empty
  std::vector<Expr> values;
  std::vector<Expr> index;
  static constexpr const char* kCall = "";
  static void fields(auto&& f) {
    f("what", &Record::what, Is::callee), f("message", &Record::message, Is::positional);
    f("values", &Record::values, Is::rest), f("buffer", &Record::buffer);
    f("index", &Record::index);
  }
};

}  // namespace tilelab
