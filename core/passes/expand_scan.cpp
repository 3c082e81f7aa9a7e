// SPDX-License-Identifier: Apache-2.0
// T.cumsum(src, dst, dim=1)
//   ->  copy(src, dst); for i in parallel(M): for k in serial(1, N): dst[i, k] = dst[i, k - 1] +
//   dst[i, k]
#include "core/passes/expand_scan.h"

#include "core/ir/build.h"

namespace tilelab {
namespace {

Stmt plain_copy(const Expr& src, const Expr& dst) {
  Copy copy;
  copy.src = src, copy.dst = dst;
  copy.by = CopyBy::simt;
  return make(std::move(copy));
}

/// The matrix that is scanned in place: extents that are not 1, and where they start.
struct Lines {
  const Region& region;
  std::vector<int64_t> extents;

  explicit Lines(const Region& r) : region(r) {
    for (const RegionDim& d : r.dims)
      if (d.extent != 1) extents.push_back(d.extent);
  }
  std::vector<Expr> element(const std::vector<Expr>& position) const {
    std::vector<Expr> index;
    size_t next = 0;
    for (const RegionDim& d : region.dims)
      index.push_back(d.extent == 1 ? d.lo : further(d.lo, position[next++]));
    return index;
  }
};

Stmt scan_lines(const Scan& scan, const Lines& lines, size_t along,
                std::unordered_map<Symbol, int>& taken) {
  DType dtype = lines.region.type.dtype;
  Symbol buffer = lines.region.buffer, k = fresh_name("k", taken);
  int64_t n = lines.extents[along];
  Parallel loop;
  std::vector<Expr> before, now;
  for (size_t d = 0; d < lines.extents.size(); ++d) {
    if (d == along) {
      Expr forward = name_ref(k), last = int_const(n - 1);
      now.push_back(scan.reverse ? sub(last, forward) : forward);
      before.push_back(scan.reverse ? sub(int_const(n), forward) : sub(forward, int_const(1)));
      continue;
    }
    loop.vars.push_back(fresh_name(d == 0 ? "i" : "j", taken));
    loop.extents.push_back(int_const(lines.extents[d]));
    before.push_back(name_ref(loop.vars.back()));
    now.push_back(before.back());
  }
  if (loop.vars.empty()) {  // one line: one iteration
    loop.vars.push_back(fresh_name("i", taken));
    loop.extents.push_back(int_const(1));
  }
  std::vector<Expr> place = lines.element(now);
  Expr sum = load(buffer, dtype, lines.element(before)), value = load(buffer, dtype, place);
  Expr next =
      scan.op == ScanOp::sum ? add(sum, value) : call(Intrinsic::maximum, sum->type, {sum, value});
  std::vector<RegionDim> dims;
  for (const Expr& i : place) dims.push_back(point(i));
  loop.body = for_loop(k, int_const(1), int_const(n), store(buffer, dims, next));
  return make(std::move(loop));
}

}  // namespace

Stmt expand_scan(const Scan& scan, const BufferTable& buffers, const BufferViews& views,
                 std::unordered_map<Symbol, int>& taken) {
  const Region &src = to<Region>(scan.src), &dst = to<Region>(scan.dst);
  const Symbol base = views.base_of(dst.buffer);
  size_t along = 0;
  for (int64_t d = 0; d < scan.dim; ++d) along += src.dims[static_cast<size_t>(d)].extent != 1;
  bool line = src.dims[static_cast<size_t>(scan.dim)].extent > 1;
  bool in_place = src.buffer == dst.buffer;
  if (!line) return in_place ? seq({}) : plain_copy(scan.src, scan.dst);
  if (buffers.at(base)->scope == Scope::shared)
    return seq({in_place ? nullptr : plain_copy(scan.src, scan.dst),
                scan_lines(scan, Lines(dst), along, taken)});
  Buffer through;
  through.name = fresh_name("scan", taken);
  through.scope = Scope::shared;
  through.dtype = dst.type.dtype;
  std::vector<RegionDim> box;
  for (int64_t extent : Lines(dst).extents) {
    through.shape.push_back(int_const(extent));
    box.push_back(slice(int_const(0), extent));
  }
  through.origin = "scan@" + std::to_string(scan.span.line);
  Expr whole = region(through.name, through.dtype, box);
  Stmt lines = scan_lines(scan, Lines(to<Region>(whole)), along, taken);
  return seq(
      {make(std::move(through)), plain_copy(scan.src, whole), lines, plain_copy(whole, scan.dst)});
}

}  // namespace tilelab
