// SPDX-License-Identifier: Apache-2.0
// copy(by="engine"): one thread issues boxes to the copy engine.
//     copy(A[m:m + 128, k:k + 64], A_s[s], map=A_map)  ->  tma_load(A_s[s, ...], A_map, [k, m],
//     full[s])
#include <algorithm>
#include <optional>

#include "core/ir/compare.h"
#include "core/ir/regions.h"
#include "core/layout/layout.h"
#include "core/passes/lower_tile_ops/lowering.h"
#include "core/passes/shared/hardware_units.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

/// A dimension of a tensor in its map: one axis, or two that its index is split into.
struct MapAxes {
  size_t inner = 0;
  std::optional<size_t> outer;
  int64_t cut = 0;  // index = outer * cut + inner
};

/// The map axes of each tensor dimension; nullopt if the map describes other dimensions.
class MapReader {
 public:
  MapReader(const TensorMap& map, const Storage& tensor, const LoweringScope& here)
      : map_(map), tensor_(tensor), here_(here), used_(map.dims.size(), false) {
    if (tensor.name == tensor.buffer->name) strides_ = tensor.buffer->strides;
  }

  /// `order`: that of the axes among dimensions of equal extents and strides.
  std::optional<std::vector<MapAxes>> read(const std::vector<size_t>& order) {
    std::vector<MapAxes> out(tensor_.shape.size());
    for (size_t d : order)
      if (!whole(d, out[d]) && !halves(d, out[d])) return std::nullopt;
    for (bool used : used_)
      if (!used) return std::nullopt;
    return out;
  }

 private:
  bool same(const Expr& a, const Expr& b) const {
    const DType dtype = common(a, b);
    return equal(here_.simplified(sub(cast(dtype, a), cast(dtype, b))), int_const(0, dtype));
  }
  static DType common(const Expr& a, const Expr& b) {
    return a->type == b->type ? a->type.dtype : DType::i64;
  }
  static Expr product(const Expr& a, const Expr& b) {
    return mul(cast(common(a, b), a), cast(common(a, b), b));
  }
  /// Bytes from one element of the dimension to the next.
  Expr pitch(size_t d) const {
    const Expr element = int_const(bytes(tensor_.dtype));
    if (!strides_.empty()) return product(element, strides_[d]);
    Expr out = int_const(1);  // in the order of factors that select_copy writes, to be comparable
    for (size_t i = d + 1; i < tensor_.shape.size(); ++i) out = product(out, tensor_.shape[i]);
    return product(out, element);
  }
  Expr stride(size_t axis) const {
    return axis == 0 ? int_const(bytes(tensor_.dtype)) : map_.strides[axis - 1];
  }
  bool whole(size_t d, MapAxes& out) {
    for (size_t a = 0; a < used_.size(); ++a)
      if (!used_[a] && same(stride(a), pitch(d)) && same(map_.dims[a], tensor_.shape[d])) {
        used_[a] = true, out.inner = a;
        return true;
      }
    return false;
  }
  bool halves(size_t d, MapAxes& out) {
    for (size_t a = 0; a < used_.size(); ++a) {
      const auto cut = int_value(map_.dims[a]);
      if (used_[a] || !cut || *cut < 1 || !same(stride(a), pitch(d))) continue;
      for (size_t b = 0; b < used_.size(); ++b)
        if (b != a && !used_[b] && same(stride(b), product(pitch(d), int_const(*cut))) &&
            same(product(map_.dims[b], int_const(*cut)), tensor_.shape[d])) {
          used_[a] = used_[b] = true;
          out = {a, b, *cut};
          return true;
        }
    }
    return false;
  }

  const TensorMap& map_;
  const Storage& tensor_;
  std::vector<Expr> strides_;  // of the tensor, if any
  const LoweringScope& here_;
  std::vector<bool> used_;
};

/// The offset of a group's boxes from those of group 0 along a dimension: digits of the group's
/// index, of which a grid of groups has several.
struct GroupOffset {
  int64_t divisor = 1, modulus = 1, step = 0;
  int64_t of(int64_t group) const { return group / divisor % modulus * step; }

  static std::optional<GroupOffset> fitted(const Index& offsets) {
    const int64_t groups = std::ssize(offsets);
    for (int64_t divisor = 1; divisor < groups; ++divisor)
      for (int64_t modulus = groups; modulus > 1; --modulus) {
        const GroupOffset fit{divisor, modulus, offsets[static_cast<size_t>(divisor)]};
        int64_t group = 0;
        while (group < groups && fit.of(group) == offsets[static_cast<size_t>(group)]) ++group;
        if (group == groups) return fit;
      }
    return std::nullopt;
  }
  Expr of(const Expr& group, int64_t groups) const {
    Expr digit = divisor == 1 ? group : floordiv(group, int_const(divisor));
    if (divisor * modulus < groups) digit = floormod(digit, int_const(modulus));
    return mul(digit, int_const(step));
  }
};

class EngineCopy {
 public:
  EngineCopy(const Copy& copy, LoweringScope here, Lowering& lowering)
      : copy_(copy), here_(std::move(here)), lowering_(lowering) {
    loads_ = lowering.storage(to<Region>(copy.src).buffer).scope() == Scope::global;
    tensor_ = &to<Region>(loads_ ? copy.src : copy.dst);
    shared_ = &to<Region>(loads_ ? copy.dst : copy.src);
  }

  Stmt lower() {
    if (std::string what = unfit(); !what.empty()) return lowering_.refuse(copy_, what);
    const int64_t groups = by_groups_ ? here_.threads / lowering_.group_threads() : 1;
    const std::vector<Index> boxes = starts();
    std::vector<Stmt> out;
    if (groups == 1) {
      for (const Index& start : boxes) out.push_back(issue(start, groups));
    } else {
      const auto shares = shares_of(boxes, groups);
      if (shares.empty())
        return lowering_.refuse(copy_, "a store of boxes that several groups of the role write");
      for (const Index& start : shares[0]) out.push_back(issue(start, groups));
    }
    if (copy_.barrier) {
      out.insert(out.begin(), do_call(Intrinsic::bar_expect, {barrier(), int_const(box_bytes())}));
      // Threads may have read what the engine overwrites: a barrier alone does not order the two
      // (seen on an H200: ldmatrix read what the next copy had brought).
      if (lowering_.target().proxy_fence)
        out.insert(out.begin(), do_call(Intrinsic::fence_proxy, {}));
    }
    Stmt all = seq(std::move(out));
    if (here_.single) return all;
    return if_then(lowering_.leader(here_, by_groups_), all);
  }

 private:
  /// The reason why the copy cannot be lowered; "" if it can, and then the members below are set.
  std::string unfit() {
    const Storage tensor = lowering_.storage(tensor_->buffer),
                  memory = lowering_.storage(shared_->buffer);
    map_ = copy_.map ? lowering_.map(copy_.map) : nullptr;
    if (!lowering_.target().has(Feature::tensor_copy)) return "a TMA copy for this target";
    if (!map_) return "a TMA copy without a tensor map";
    if (copy_.adds && (loads_ || !lowering_.target().has(Feature::tensor_sums)))
      return "a TMA copy that adds for this target";
    if (tensor.scope() != Scope::global || memory.scope() != Scope::shared)
      return "a TMA copy other than between global and shared memory";
    if (map_->buffer != tensor.buffer->name) return "a TMA copy with the map of another tensor";
    if (bits(map_->element(tensor.buffer->dtype)) != bits(tensor.dtype))
      return "a TMA copy whose map has another element type";
    if (tensor.dtype != memory.dtype) return "a TMA copy that converts";
    if (tensor.buffer->safe && !is_zero(tensor.buffer->safe))
      return "a TMA copy with a padding value other than zero";
    if (!here_.single && (here_.divergent || !here_.all_threads_reach()))
      return "a TMA copy under a condition that depends on the thread";
    buffer_ = memory.buffer;
    if (copy_.barrier && !loads_) return "a TMA store with a barrier";
    if (std::string what = copy_.barrier ? "" : unfit_slot(); !what.empty()) return what;
    const auto slot_layout = memory.addresses();
    if (!slot_layout) return "a TMA copy of shared memory without digits";
    slot_layout_ = *slot_layout;
    auto axes = MapReader(*map_, tensor, here_).read(map_order(*tensor_, lowering_.target()));
    if (!axes) return "a TMA copy whose map does not match the dimensions of its tensor";
    axes_ = *axes;
    if (!pieces()) return "a TMA copy whose boxes are not contiguous in memory";
    return "";
  }

  static bool is_zero(const Expr& e) { return number_value(e) == 0.0; }

  std::string unfit_slot() {
    const bool slot = buffer_->ring && !shared_->dims.empty() && shared_->dims[0].extent == 1;
    if (!slot) return "a TMA copy without a slot of a ring";
    const Ring& ring = *lowering_.ring(buffer_->ring).ring;
    if (ring.fill != (loads_ ? RingFill::tx : RingFill::store))
      return "a TMA copy with a ring that is filled by " + std::string(name(ring.fill));
    by_groups_ = lowering_.by_groups(ring, here_);
    return "";
  }

  // ---- boxes

  /// Finds the box's extents along the long dimensions of the copy such that its elements, in the
  /// order of the map's axes, are contiguous in shared memory.
  bool pieces() {
    tensor_dims_ = long_dims(*tensor_), shared_dims_ = long_dims(*shared_);
    for (size_t d : shared_dims_)
      if (!int_value(shared_->dims[d].lo)) return false;
    if (lowering_.target().tensor.box_in_descriptor) return from_map() && in_order();
    // The instruction's box has the map's first dimensions.
    for (size_t d : tensor_dims_)
      if (axes_[d].inner >= tensor_dims_.size()) return false;
    piece_.assign(tensor_dims_.size(), 1);
    for (size_t i = piece_.size(); i-- > 0;) piece_[i] = longest_piece(i);
    return piece_.empty() || (piece_.back() > 1 && are_aligned());
  }

  /// Whether every box starts at an address that engines accept.
  bool are_aligned() const {
    for (size_t i = 0; i < piece_.size(); ++i)
      if (piece_[i] < tensor_->dims[tensor_dims_[i]].extent &&
          (address(i, piece_[i]) - address(i, 0)) * bytes(shared_->type.dtype) % kBoxAlignment != 0)
        return false;
    return true;
  }

  /// The longest piece of a dimension that is contiguous with those of the dimensions after it.
  int64_t longest_piece(size_t i) {
    const int64_t all = tensor_->dims[tensor_dims_[i]].extent;
    for (int64_t n = std::min<int64_t>(all, lowering_.target().tensor.max_box); n > 1; --n) {
      piece_[i] = n;
      if (all % n == 0 && in_order()) return n;
    }
    return 1;
  }

  bool from_map() {
    if (map_->box.size() != map_->dims.size() || map_->swizzle != buffer_->swizzle) return false;
    for (size_t d = 0; d < tensor_->dims.size(); ++d) {
      const MapAxes& axes = axes_[d];
      const int64_t extent = tensor_->dims[d].extent;
      const int64_t inner = map_->box[axes.inner], outer = axes.outer ? map_->box[*axes.outer] : 1;
      if (outer > 1 && inner != axes.cut) return false;
      if (axes.outer && inner > axes.cut) return false;
      if (extent % (inner * outer) != 0) return false;
      if (axes.outer && here_.facts.range(tensor_->dims[d].lo).multiple % inner != 0) return false;
      if (extent != 1) piece_.push_back(inner * outer);
    }
    return true;
  }

  /// Whether the box's elements are contiguous in the slot, in the order of the map's axes, the
  /// first one fastest. Address contributions of dimensions are independent, so each is checked
  /// separately.
  bool in_order() const {
    std::vector<std::pair<size_t, std::pair<size_t, bool>>> order;  // axis -> long dimension, outer
    for (size_t i = 0; i < tensor_dims_.size(); ++i) {
      const MapAxes& axes = axes_[tensor_dims_[i]];
      order.push_back({axes.inner, {i, false}});
      if (axes.outer) order.push_back({*axes.outer, {i, true}});
    }
    std::sort(order.begin(), order.end());
    std::vector<int64_t> inner_step(piece_.size()), outer_step(piece_.size());
    int64_t step = 1;
    for (const auto& [axis, what] : order) {
      const auto [dim, outer] = what;
      (outer ? outer_step : inner_step)[dim] = step;
      step *= outer ? piece_[dim] / inner_extent(dim) : inner_extent(dim);
    }
    for (size_t dim = 0; dim < tensor_dims_.size(); ++dim) {
      const int64_t inner = inner_extent(dim);
      for (int64_t p = 0; p < piece_[dim] / inner * inner; ++p)
        if (address(dim, p) - address(dim, 0) !=
            p % inner * inner_step[dim] + p / inner * outer_step[dim])
          return false;
    }
    return true;
  }

  int64_t inner_extent(size_t dim) const {
    const MapAxes& axes = axes_[tensor_dims_[dim]];
    return axes.outer ? std::min(piece_[dim], axes.cut) : piece_[dim];
  }

  /// Slot offset, in elements, of a position in a long dimension of the copied box.
  int64_t address(size_t dim, int64_t position) const {
    const size_t d = shared_dims_[dim];
    return contribution(slot_layout_, d, *int_value(shared_->dims[d].lo) + position).address;
  }

  /// Origins of the boxes in the copied box, the last dimension fastest.
  std::vector<Index> starts() const {
    std::vector<Index> out{Index()};
    for (size_t i = 0; i < piece_.size(); ++i) {
      std::vector<Index> next;
      for (const Index& begun : out)
        for (int64_t at = 0; at < tensor_->dims[tensor_dims_[i]].extent; at += piece_[i]) {
          next.push_back(begun);
          next.back().push_back(at);
        }
      out = std::move(next);
    }
    return out;
  }

  // ---- boxes of groups

  /// Whether a copy writes the part of its slot that this one reads.
  bool same_part(const Region& written) const {
    for (size_t d = 1; d < written.dims.size(); ++d)
      if (written.dims[d].extent != shared_->dims[d].extent ||
          !equal(written.dims[d].lo, shared_->dims[d].lo))
        return false;
    return written.dims[0].extent == 1;
  }

  /// The group whose threads write all of the box, by the one copy that writes the buffer.
  std::optional<int64_t> owner(const Index& start) const {
    const std::vector<const Copy*> writers = lowering_.writers(buffer_->name);
    const Copy* writer = writers.size() == 1 ? writers[0] : nullptr;
    if (!writer || writer->by != CopyBy::simt || !writer->layout.known()) return std::nullopt;
    if (!same_part(to<Region>(writer->dst)) || writer->layout.dims.size() != start.size())
      return std::nullopt;
    std::optional<int64_t> group;
    Index at(start.size(), 0);
    do {
      Index element = start;
      for (size_t i = 0; i < at.size(); ++i) element[i] += at[i];
      for (int64_t thread : threads_of(writer->layout, element)) {
        const int64_t g = thread / lowering_.group_threads();
        if (group && *group != g) return std::nullopt;
        group = g;
      }
    } while (advance(at, piece_));
    return group;
  }

  /// The boxes of each group; empty if their arrangements differ. Sets `offsets_`.
  std::vector<std::vector<Index>> shares_of(const std::vector<Index>& boxes, int64_t groups) {
    std::vector<std::vector<Index>> shares(static_cast<size_t>(groups));
    for (const Index& start : boxes) {
      const auto group = owner(start);
      if (!group || *group >= groups) return {};
      shares[size_t(*group)].push_back(start);
    }
    if (shares[0].empty()) return {};
    for (const auto& share : shares)
      if (share.size() != shares[0].size()) return {};
    for (size_t d = 0; d < piece_.size(); ++d) {
      Index offsets;
      for (const auto& share : shares) offsets.push_back(share[0][d] - shares[0][0][d]);
      const auto fit = GroupOffset::fitted(offsets);
      if (!fit) return {};
      offsets_.push_back(*fit);
      for (size_t g = 0; g < shares.size(); ++g)
        for (size_t b = 0; b < shares[g].size(); ++b)
          if (shares[g][b][d] != shares[0][b][d] + offsets[g]) return {};
    }
    return shares;
  }

  // ---- the call

  /// The explicit barrier of the program.
  Expr barrier() const {
    Region out(to<Region>(copy_.barrier));
    for (RegionDim& dim : out.dims) dim.lo = here_.simplified(lowering_.expr(dim.lo, here_));
    return make(std::move(out));
  }
  int64_t box_bytes() const { return elements(*shared_) * bytes(shared_->type.dtype); }

  Stmt issue(const Index& start, int64_t groups) {
    std::vector<Expr> coordinates(map_->dims.size());
    std::vector<RegionDim> part = shared_->dims;
    for (RegionDim& dim : part) dim.lo = here_.simplified(lowering_.expr(dim.lo, here_));
    size_t next = 0;
    for (size_t d = 0; d < tensor_->dims.size(); ++d) {
      Expr lo = lowering_.expr(tensor_->dims[d].lo, here_), offset;
      if (tensor_->dims[d].extent != 1) {
        offset = int_const(start[next]);
        if (groups > 1 && offsets_[next].step != 0)
          offset =
              add(offsets_[next].of(lowering_.unit(lowering_.group_threads(), 0, here_), groups),
                  offset);
        RegionDim& dim = part[shared_dims_[next]];
        dim = slice(here_.simplified(offset_by(dim.lo, offset)), piece_[next]);
        lo = offset_by(lo, offset);
        ++next;
      }
      lo = here_.simplified(cast(DType::i32, lo));
      const MapAxes& axes = axes_[d];
      if (!axes.outer) {
        coordinates[axes.inner] = lo;
      } else {
        coordinates[axes.inner] = here_.simplified(floormod(lo, int_const(axes.cut)));
        coordinates[*axes.outer] = here_.simplified(floordiv(lo, int_const(axes.cut)));
      }
    }
    Expr box = region(shared_->buffer, shared_->type.dtype, std::move(part)),
         map = name_ref(copy_.map), at = list(std::move(coordinates));
    if (copy_.adds) return do_call(Intrinsic::tma_add, {map, at, box});
    if (!loads_) return do_call(Intrinsic::tma_store, {map, at, box});
    const Expr completion = copy_.barrier
                                ? barrier()
                                : lowering_.full_barrier(buffer_->ring, to<Region>(box).dims[0].lo);
    std::vector<Attr> policy;
    if (lowering_.storage(tensor_->buffer).buffer->evict_first)
      policy = {attr("evict_first", true)};
    return do_call(Intrinsic::tma_load, {box, map, at, completion}, std::move(policy));
  }

  const Copy& copy_;
  LoweringScope here_;
  Lowering& lowering_;
  bool loads_ = false, by_groups_ = false;
  const Region *tensor_ = nullptr, *shared_ = nullptr;
  const TensorMap* map_ = nullptr;
  const Buffer* buffer_ = nullptr;                 // in shared memory
  Layout slot_layout_;                             // of its elements, for this copy
  std::vector<MapAxes> axes_;                      // of the tensor's dimensions
  std::vector<size_t> tensor_dims_, shared_dims_;  // those with extent > 1
  Index piece_;                                    // extents of one box along them
  std::vector<GroupOffset> offsets_;               // of the groups' boxes along them
};

}  // namespace

Stmt lower_by_engine(const Copy& copy, LoweringScope here, Lowering& lowering) {
  return EngineCopy(copy, std::move(here), lowering).lower();
}

}  // namespace tilelab
