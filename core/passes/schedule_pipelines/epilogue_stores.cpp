// SPDX-License-Identifier: Apache-2.0
// Stores a matmul's result through shared memory and the copy engine, or adds it to a tensor:
// pieces of 128 bytes per row are converted into the slots of a ring of stores, and each warp group
// sends what it wrote while the next piece is written.
//   copy(C_l, C[m:m + 128, n:n + 256])
//   ->  for c in unroll(4): w = ring_acquire(out); copy(C_l[:, c * 64:c * 64 + 64], C_s[w])
//       ring_commit(out); e = ring_wait(out); copy(C_s[e], C[...], by="engine"); ring_release(out)
#include <algorithm>
#include <array>

#include "core/ir/build.h"
#include "core/ir/intrinsics/memory_order.h"
#include "core/ir/regions.h"
#include "core/layout/layout.h"
#include "core/passes/schedule_pipelines/pipeline_plan.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

constexpr int64_t kPieceBytes = 128;  // per row: the widest line that the engine transfers

/// The warp groups along the rows and along the columns of the fragment in which matmuls
/// accumulate, each of which has whole rows or columns; {0, 0} of another fragment.
std::array<int64_t, 2> groups_of(const KernelMemory& memory, Symbol fragment) {
  constexpr int64_t kWarps = 4;
  auto found = memory.matmuls.find(fragment);
  if (found == memory.matmuls.end()) return {0, 0};
  const std::vector<int64_t>& warps = found->second[0]->warps;
  const bool alike = std::all_of(found->second.begin(), found->second.end(), [&](const Gemm* gemm) {
    return asynchronous(*gemm) && gemm->warps == warps;
  });
  if (!alike || warps.size() != 2 || warps[0] % kWarps != 0) return {0, 0};
  return {warps[0] / kWarps, warps[1]};
}

std::string unfit(const FragmentStore& store, const Kernel& kernel, const KernelMemory& memory,
                  const Target& target) {
  const Region &src = *store.src, &dst = *store.dst;
  const Buffer *from = memory.buffer(src), *into = memory.as_buffer(dst.buffer);
  if (target.tensor.store_waits != Waits::exact || !target.tensor.box_in_descriptor)
    return "the stores of the copy engine cannot be waited for separately";
  if (store.adds && !target.tensor.sums) return "the copy engine of the target cannot add";
  if (src.dims.size() != 2 || groups_of(memory, src.buffer)[0] == 0)
    return "no matrix instruction assigns whole rows of `" + src.buffer.str() + "` to its warps";
  for (size_t d = 0; d < 2; ++d)
    if (int_value(from->shape[d]) != src.dims[d].extent) return "it stores a part of the fragment";
  const std::vector<int64_t> box = long_extents(dst);
  if (box.size() != 2 || dst.dims.back().extent != box[1]) return "its rows are not contiguous";
  if (bits(into->dtype) != 16 && bits(into->dtype) != 32) return "its elements are too narrow";
  if (store.adds && !is_float(into->dtype)) return "it adds integers";
  if (memory_orders_in(*kernel.body).releases) return "other blocks may wait until it has arrived";
  if (!store.adds && memory.read(dst.buffer)) return "the kernel reads `" + dst.buffer.str() + "`";
  if (kernel.block % (4 * target.lanes) != 0)
    return "the threads are not a multiple of a warp group";
  return "";
}

}  // namespace

Layout in_chunks(int64_t rows, int64_t cols, int64_t width) {
  Layout out = strided({rows, cols}, {width, 1});
  if (cols != width) out.dims[1] = {a_digit(cols / width, rows * width), a_digit(width, 1)};
  return out;
}

std::optional<FragmentStore> fragment_store(const Stmt& stmt, const KernelMemory& memory) {
  const Copy* copy = as<Copy>(stmt);
  const Atomic* sum = as<Atomic>(stmt);
  if (!copy && !(sum && sum->op == AtomicOp::add && sum->order == "relaxed")) return std::nullopt;
  const Region *src = as<Region>(copy ? copy->src : sum->value),
               *dst = as<Region>(copy ? copy->dst : sum->dst);
  const Buffer *from = src ? memory.buffer(*src) : nullptr, *into = memory.as_buffer(dst->buffer);
  const bool stores =
      from && into && from->scope == Scope::fragment && into->scope == Scope::global;
  return stores ? std::optional(FragmentStore{stmt.get(), src, dst, !copy}) : std::nullopt;
}

StorePlan plan_store(const FragmentStore& store, const Kernel& kernel, const KernelMemory& memory,
                     const Target& target, const RangeAnalysis& facts) {
  StorePlan out;
  out.store = store;
  out.refused = unfit(store, kernel, memory, target);
  if (!out.refused.empty()) return out;
  const Region& dst = *store.dst;
  const Buffer& tensor = *memory.as_buffer(dst.buffer);
  const int64_t rows = store.src->dims[0].extent, cols = store.src->dims[1].extent;
  const auto [along_rows, along_cols] = groups_of(memory, store.src->buffer);
  const int64_t width = kPieceBytes / bytes(tensor.dtype);
  // Each group sends what it has written: with several along the columns a piece has all of them.
  out.piece = along_cols == 1 ? width : cols, out.pieces = cols / out.piece;
  if (cols % (width * along_cols) != 0) out.refused = "its rows are not a multiple of 128 bytes";
  if (rows % along_rows != 0 || rows / along_rows > target.tensor.max_box)
    out.refused = "its rows cannot be split into boxes";
  if (out.refused.empty()) out.refused = describe_tensor(dst, memory, target, facts, out.map);
  if (!out.refused.empty()) return out;
  for (size_t d = dst.dims.size(); d-- > 0;) {
    const int64_t extent = dst.dims[d].extent;
    out.map.box.push_back(d + 1 == dst.dims.size() ? width : extent != 1 ? rows / along_rows : 1);
  }
  out.map.swizzle = {16, int32_t(kPieceBytes), 7};
  out.memory.scope = Scope::shared, out.memory.dtype = tensor.dtype;
  out.memory.shape = {int_const(rows), int_const(out.piece)};
  out.memory.layout = in_chunks(rows, out.piece, width);
  out.memory.swizzle = out.map.swizzle;
  return out;
}

Stmt store_in_pieces(const StorePlan& plan, Symbol ring, const StoreNames& names) {
  const Symbol c = names.piece;
  const Expr from = mul(name_ref(c), int_const(plan.piece));
  const Region &src = *plan.store.src, &dst = *plan.store.dst;
  const int64_t rows = src.dims[0].extent;
  std::vector<RegionDim> place = dst.dims;
  place.back() = slice(offset_by(place.back().lo, from), plan.piece);
  auto slot = [&](Symbol name) {
    return region(
        plan.memory.name, plan.memory.dtype,
        {point(name_ref(name)), slice(int_const(0), rows), slice(int_const(0), plan.piece)});
  };
  Copy in, away;
  if (const Copy* given = as<Copy>(plan.store.stmt)) in.attrs = away.attrs = given->attrs;
  in.src = region(src.buffer, src.type.dtype, {src.dims[0], slice(from, plan.piece)});
  in.dst = slot(names.filled), in.by = CopyBy::simt;
  away.src = slot(names.sent), away.by = CopyBy::engine, away.map = plan.map.name;
  away.dst = region(dst.buffer, dst.type.dtype, std::move(place));
  away.adds = plan.store.adds;
  const Span& span = plan.store.stmt->span;
  Stmt body = seq({ring_op(RingOpKind::acquire, ring, names.filled), at(span, make(std::move(in))),
                   ring_op(RingOpKind::commit, ring), ring_op(RingOpKind::wait, ring, names.sent),
                   at(span, make(std::move(away))), ring_op(RingOpKind::release, ring)});
  return at(span, for_loop(c, int_const(0), int_const(plan.pieces), body, LoopMode::unroll));
}

}  // namespace tilelab
