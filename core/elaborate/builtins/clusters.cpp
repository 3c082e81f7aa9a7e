// SPDX-License-Identifier: Apache-2.0
// Clusters of blocks: `cluster_dims` of T.Kernel, T.ClusterKernel, the position of a block in its
// cluster, and the cluster-wide barrier.
#include <bit>

#include "core/diagnostics/usage.h"
#include "core/elaborate/builtins/hints.h"
#include "core/elaborate/elaborator.h"
#include "core/ir/regions.h"
#include "core/support/extents.h"

namespace tilelab::elaborate {

constexpr int64_t kMostBlocks = 8;  // of a cluster: what every GPU with clusters can run together

/// Reads `cluster_dims`, a number or up to three of them. False after an error.
bool Elaborator::read_cluster(Arguments& args, KernelFrame& frame) {
  if (!args.row->has_parameter("cluster_dims")) return true;
  const Argument& given = args["cluster_dims"];
  if (given.value.is<None>()) return true;
  std::vector<Value> items{given.value};
  if (const Sequence* list = given.value.get<Sequence>()) items = *list->items;
  std::vector<int64_t> dims;
  for (const Value& item : items) {
    const auto count = static_count(item, given.span, "an extent of cluster_dims", 1, kMostBlocks);
    if (!count) return false;
    dims.push_back(*count);
  }
  if (dims.empty() || dims.size() > 3 || volume(dims) > kMostBlocks) {
    report(Diag::cluster_size, given.span, tuple_text(dims))
        .help("use one to three extents whose product is at most " + std::to_string(kMostBlocks) +
              ": cluster_dims=2, cluster_dims=(2, 2, 1)");
    return false;
  }
  dims.resize(3, 1);
  if (volume(dims) > 1) frame.cluster = std::move(dims);
  return check_cluster_grid(frame, given.span);
}

/// The grid consists of whole clusters: checked now, or by each call.
bool Elaborator::check_cluster_grid(const KernelFrame& frame, Span span) {
  for (size_t d = 0; d < frame.cluster.size(); ++d) {
    const int64_t dim = frame.cluster[d];
    const Expr extent = d < frame.grid.size() ? frame.grid[d] : int_const(1);
    const std::string axis(1, "xyz"[d]);
    if (dim == 1) continue;
    if (const auto blocks = int_value(extent); blocks && *blocks % dim != 0) {
      report(Diag::cluster_grid, span, *blocks, axis, dim)
          .help("round the number of blocks up to whole clusters, T.ceildiv(n, " +
                std::to_string(dim) + ") * " + std::to_string(dim) +
                ", and let the last ones do nothing");
      return false;
    } else if (!blocks) {
      check_on_host(eq(floormod(extent, int_const(dim)), int_const(0)),
                    "the number of blocks along " + axis + " is not a multiple of cluster_dims, " +
                        std::to_string(dim),
                    span);
    }
  }
  return true;
}

/// The extents of a cluster along x, y, z; [1, 1, 1] without clusters.
std::vector<int64_t> Elaborator::cluster_dims() const {
  return kernel_frame_.cluster.empty() ? std::vector<int64_t>{1, 1, 1} : kernel_frame_.cluster;
}

/// Index of the block along dimension `d` of the grid.
Expr Elaborator::block_index(size_t d) const {
  return d < kernel_frame_.grid.size() ? Expr(name_ref(kernel_indices_[d], {DType::i32}))
                                       : int_const(0);
}

/// T.block_rank_in_cluster(): x is the fastest dimension.
Value Elaborator::on_cluster_rank(Arguments& args) {
  if (!need_kernel(args.span, "T." + args.row->name)) return {};
  const std::vector<int64_t> dims = cluster_dims();
  Expr rank = int_const(0);
  int64_t below = 1;
  for (size_t d = 0; d < dims.size(); below *= dims[d++])
    if (dims[d] > 1)
      rank = add(rank, mul(floormod(block_index(d), int_const(dims[d])), int_const(below)));
  return rank;
}

/// T.get_cluster_id(dim), T.get_cluster_extent(dim) and their plurals; T.get_cluster_dims,
/// T.get_cluster_size.
Value Elaborator::on_cluster_geometry(Arguments& args) {
  if (!need_kernel(args.span, "T." + args.row->name)) return {};
  const std::vector<int64_t> dims = cluster_dims();
  const std::string& what = args.row->data;
  if (what == "size") return volume(dims);
  std::vector<Value> all;
  const size_t axes = what == "id" ? kernel_frame_.grid.size() : dims.size();
  for (size_t d = 0; d < axes; ++d) {
    const Expr extent = d < kernel_frame_.grid.size() ? kernel_frame_.grid[d] : int_const(1);
    const Expr of = what == "id" ? block_index(d) : extent;
    if (what == "dims")
      all.emplace_back(dims[d]);
    else
      all.emplace_back(dims[d] == 1 ? of : floordiv(of, int_const(dims[d])));
  }
  if (!args.row->has_parameter("dim")) return tuple_of(std::move(all));
  const auto dim = static_int(args["dim"].value, args["dim"].span, "the dimension");
  if (!dim) return {};
  if (*dim >= 0 && *dim < 3)
    return size_t(*dim) < all.size() ? all[size_t(*dim)] : Value(int64_t{0});
  report(Diag::index_static, args.span, "clusters have dimensions 0, 1 and 2")
      .help("omit the argument for dimension 0");
  return {};
}

/// Replaces the index of the block with that `rank` by that of the block with the lowest rank in
/// `mask`, for the blocks in the mask. `dims`: of a cluster.
static Expr as_first_of(int64_t mask, const std::vector<int64_t>& dims,
                        const std::vector<Symbol>& indices, const Expr& rank, const Expr& own) {
  int64_t first = std::countr_zero(uint64_t(mask));
  Substitution its_indices;
  for (size_t d = 0; d < dims.size() && d < indices.size(); first /= dims[d++])
    if (const Expr dim = int_const(dims[d]); dims[d] > 1)
      its_indices[indices[d]] = add(mul(floordiv(name_ref(indices[d], {DType::i32}), dim), dim),
                                    int_const(first % dims[d]));
  const Expr other = substitute(own, its_indices), bit = int_const(1);
  if (equal(own, other)) return own;
  if (mask + 1 == int64_t{1} << volume(dims)) return other;  // all blocks
  return select(eq(binary(BinOp::band, binary(BinOp::shr, int_const(mask), rank), bit), bit), other,
                own);
}

/// T.copy_cluster(src, dst, cluster_mask=bits). Each block loads the tile: on an H200, loads to all
/// blocks of a cluster at once took as long (matmuls of 128 x 256 and 128 x 128 tiles).
Value Elaborator::copy_to_mask(Arguments& args) {
  auto src = operand(args["src"], true), dst = operand(args["dst"], true);
  if (!src || !dst || !need_threads(args)) return {};
  std::string why;
  if (args.has("dst_block") || args.has("remote_barrier"))
    why = "T.copy_cluster with cluster_mask and the rank or the barrier of one block";
  else if (src->buffer->scope != Scope::global || dst->buffer->scope != Scope::shared)
    why = "T.copy_cluster with cluster_mask other than from a tensor to a shared buffer";
  if (!why.empty()) {
    report(Diag::statement_unsupported, args.span, why)
        .help("write T.copy_cluster(tensor[...], shared, cluster_mask=bits), or dst_block=rank");
    return {};
  }
  const int64_t all = (int64_t{1} << volume(cluster_dims())) - 1;
  const auto mask =
      static_count(args["cluster_mask"].value, args["cluster_mask"].span, "cluster_mask", 0, all);
  const Expr rank = to_index(on_cluster_rank(args), args.span);
  if (!mask || !rank) return {};
  for (SliceDim& dim : src->dims) {
    const Expr own = inline_lets(dim.lo);
    if (*mask != 0 && !is_invariant(own, vars_)) {
      report(Diag::statement_unsupported, src->span,
             "T.copy_cluster with cluster_mask from an offset that depends on a variable")
          .help("compute the offset from the block's index, without T.alloc_var");
      return {};
    }
    if (*mask != 0) dim.lo = as_first_of(*mask, cluster_dims(), kernel_indices_, rank, own);
  }
  return copy_tile(args, *src, *dst);
}

/// T.copy_cluster(src, dst, dst_block=rank).
Value Elaborator::on_copy_cluster(Arguments& args) {
  if (args.has("cluster_mask")) return copy_to_mask(args);
  auto src = operand(args["src"], true), dst = operand(args["dst"], true);
  if (!src || !dst || !need_threads(args)) return {};
  std::string why;
  if (args.has("remote_barrier"))
    why = "a copy that signals a barrier of the other block";
  else if (!args.has("dst_block"))
    why = "T.copy_cluster without dst_block";
  else if (dst->buffer->scope != Scope::shared)
    why = "T.copy_cluster to other than a shared buffer";
  else if (src->is_dynamic() || dst->is_dynamic())
    why = "T.copy_cluster with dynamic extents";
  if (!why.empty()) {
    report(Diag::statement_unsupported, args.span, why)
        .help(
            "write T.copy_cluster(src, dst, dst_block=rank) for each block, with a shared buffer "
            "as dst, then T.cluster_sync()");
    return {};
  }
  Expr block = to_index(args["dst_block"].value, args["dst_block"].span);
  extend_past_edge(*src, *dst, lets_), extend_past_edge(*dst, *src, lets_);
  if (!block || !match_extents(*src, *dst)) return {};
  if (const auto rank = int_value(block); rank && (*rank < 0 || *rank >= volume(cluster_dims()))) {
    report(Diag::cluster_rank, args["dst_block"].span, *rank, volume(cluster_dims()))
        .help("the ranks are 0 to " + std::to_string(volume(cluster_dims()) - 1) +
              "; cluster_dims of T.Kernel sets their number");
    return {};
  }
  ClusterCopy copy;
  copy.src = region_of(*src), copy.dst = region_of(*dst), copy.block = cast(DType::i32, block);
  if (!copy.src || !copy.dst) return {};
  if (!loop_layout(args, long_extents(copy.dst), copy.layout)) return {};
  emit(make(std::move(copy)), args.span);
  return None{};
}

/// T.cluster_sync, or one half of it.
Value Elaborator::on_cluster_barrier(Arguments& args) {
  if (!need_threads(args)) return {};
  const bool relaxed = args.row->data == "relaxed";
  const auto intrinsic = intrinsic_from_name(relaxed ? "cluster_arrive" : args.row->data);
  CHECK(intrinsic, args.row->data);
  std::vector<Attr> attrs;
  if (relaxed) attrs.push_back(attr("relaxed", true));
  const Stmt made = do_call(*intrinsic, {}, std::move(attrs));
  emit(make(Do{{}, at(args.span, to<Do>(made).call)}), args.span);
  return None{};
}

}  // namespace tilelab::elaborate
