// SPDX-License-Identifier: Apache-2.0
// T.cumsum(src, dst, dim=1)
//   ->  copy(src, dst); for i in parallel(M): for k in serial(1, N): dst[i, k] = dst[i, k - 1] +
//   dst[i, k]
// If there are fewer lines than threads, each line is cut into parts of `c`, one per thread; their
// last elements are then scanned and added to the following parts:
//   for i, p in parallel(M, P): for k in serial(1, c): dst[i, p * c + k] += dst[i, p * c + k - 1]
//   for i, p in parallel(M, P - 1): last[i, p] = dst[i, p * c + c - 1]
//   T.cumsum(last, dim=1)
//   for i, k in parallel(M, N - c): dst[i, k + c] += last[i, k // c]
#include "core/passes/select_instructions/select_instructions.h"

#include <algorithm>

#include "core/ir/build.h"
#include "core/ir/regions.h"

namespace tilelab {
namespace {

Stmt plain_copy(const Expr& src, const Expr& dst) {
  Copy copy;
  copy.src = src, copy.dst = dst;
  copy.by = CopyBy::simt;
  return make(std::move(copy));
}

/// The matrix that is scanned in place: extents that are not 1, and their origin.
struct Lines {
  const Region& region;
  std::vector<int64_t> extents;

  explicit Lines(const Region& r) : region(r), extents(long_extents(r)) {}
  std::vector<Expr> element(const std::vector<Expr>& position) const {
    return element_in(region, position);
  }
};

constexpr int64_t kShortLine = 32, kMinParts = 4;

/// Elements that a thread scans sequentially: a whole line, or parts of an odd length, so that
/// concurrent reads are in different banks.
int64_t part_length(const std::vector<int64_t>& extents, size_t along, int64_t threads) {
  const int64_t n = extents[along];
  int64_t lines = 1;
  for (size_t d = 0; d < extents.size(); ++d)
    if (d != along) lines *= extents[d];
  const int64_t parts = std::min(threads / lines, n / (kShortLine / kMinParts));
  return n <= kShortLine || parts < kMinParts ? n : ((n + parts - 1) / parts) | 1;
}

/// Index of the scanned dimension among those longer than 1; nullopt if it is not.
std::optional<size_t> along_of(const Scan& scan) {
  const Region& src = to<Region>(scan.src);
  size_t along = 0;
  for (int64_t d = 0; d < scan.dim; ++d) along += src.dims[static_cast<size_t>(d)].extent != 1;
  if (src.dims[static_cast<size_t>(scan.dim)].extent == 1) return std::nullopt;
  return along;
}

/// One scan in shared memory, in place.
class LineScan {
 public:
  LineScan(const Scan& scan, const Lines& lines, size_t along, int64_t threads,
           std::unordered_map<Symbol, int>& taken)
      : scan_(scan),
        lines_(lines),
        along_(along),
        n_(lines.extents[along]),
        threads_(threads),
        taken_(taken) {}

  Stmt run() {
    const int64_t length = part_length(lines_.extents, along_, threads_);
    return length == n_ ? sequential_scans(n_) : in_parts(length);
  }

 private:
  DType dtype() const { return lines_.region.type.dtype; }

  /// The element at `at` of the line, relative to the start of the scan.
  std::vector<Expr> place(const std::vector<Expr>& others, const Expr& at) const {
    std::vector<Expr> position;
    size_t next = 0;
    for (size_t d = 0; d < lines_.extents.size(); ++d)
      position.push_back(d != along_     ? others[next++]
                         : scan_.reverse ? sub(int_const(n_ - 1), at)
                                         : at);
    return lines_.element(position);
  }

  Expr element(const std::vector<Expr>& others, const Expr& at) const {
    return load(lines_.region.buffer, dtype(), place(others, at));
  }

  Stmt joined(const Expr& before, const std::vector<Expr>& others, const Expr& at) const {
    const Expr value = element(others, at);
    const Expr next = scan_.op == ScanOp::sum
                          ? add(before, value)
                          : call(Intrinsic::maximum, value->type, {before, value});
    return stored(lines_.region.buffer, place(others, at), next);
  }

  static Stmt stored(Symbol buffer, const std::vector<Expr>& index, const Expr& value) {
    std::vector<RegionDim> dims;
    for (const Expr& i : index) dims.push_back(point(i));
    return store(buffer, dims, value);
  }

  /// A loop over all lines and, with `inner` > 1, over that many parts of each.
  Parallel over_lines(std::vector<Expr>& others, int64_t inner = 1) {
    Parallel loop;
    for (size_t d = 0; d < lines_.extents.size(); ++d) {
      if (d == along_) continue;
      loop.vars.push_back(fresh_name(d == 0 ? "i" : "j", taken_));
      loop.extents.push_back(int_const(lines_.extents[d]));
      others.push_back(name_ref(loop.vars.back()));
    }
    if (inner > 1 || loop.vars.empty()) {  // one line: one iteration
      loop.vars.push_back(fresh_name(inner > 1 ? "p" : "i", taken_));
      loop.extents.push_back(int_const(inner));
    }
    return loop;
  }

  /// One thread scans each `length` elements in order.
  Stmt sequential_scans(int64_t length) {
    std::vector<Expr> others;
    const int64_t parts = (n_ + length - 1) / length;
    Parallel loop = over_lines(others, parts);
    const Symbol k = fresh_name("k", taken_);
    const Expr first =
        parts > 1 ? mul(name_ref(loop.vars.back()), int_const(length)) : int_const(0);
    const Expr at = add(first, name_ref(k));
    Stmt step = joined(element(others, sub(at, int_const(1))), others, at);
    if (parts * length != n_) step = if_then(lt(at, int_const(n_)), step);
    loop.body = for_loop(k, int_const(1), int_const(length), step);
    return make(std::move(loop));
  }

  Stmt in_parts(int64_t length) {
    const int64_t parts = (n_ + length - 1) / length;
    Buffer last = new_buffer(fresh_name("last", taken_), Scope::shared, dtype(), Index());
    last.origin = "scan@" + std::to_string(scan_.span.line);
    for (size_t d = 0; d < lines_.extents.size(); ++d)
      if (d != along_) last.shape.push_back(int_const(lines_.extents[d]));
    last.shape.push_back(int_const(parts - 1));
    const Expr whole_last = whole(last);
    return seq({make(std::move(last)), sequential_scans(length),
                last_elements(to<Region>(whole_last), length), scanned(whole_last),
                add_carry(to<Region>(whole_last), length)});
  }

  /// The last element of each part but the last one.
  Stmt last_elements(const Region& last, int64_t length) {
    std::vector<Expr> others;
    Parallel loop = over_lines(others, last.dims.back().extent);
    const Expr part = last.dims.back().extent > 1 ? name_ref(loop.vars.back()) : int_const(0);
    const Expr end = add(mul(part, int_const(length)), int_const(length - 1));
    std::vector<Expr> index = others;
    index.push_back(part);
    loop.body = stored(last.buffer, index, element(others, end));
    return make(std::move(loop));
  }

  Stmt scanned(const Expr& last) {
    Scan scan;
    scan.span = scan_.span, scan.op = scan_.op;
    scan.src = last, scan.dst = last;
    const Lines lines(to<Region>(last));
    if (to<Region>(last).dims.back().extent == 1) return seq({});
    return LineScan(scan, lines, lines.extents.size() - 1, threads_, taken_).run();
  }

  /// Adds the total of the preceding parts to each element of a part.
  Stmt add_carry(const Region& last, int64_t length) {
    std::vector<Expr> others;
    Parallel loop = over_lines(others, n_ - length);
    const Expr k = name_ref(loop.vars.back());
    std::vector<Expr> index = others;
    index.push_back(floordiv(k, int_const(length)));
    loop.body = joined(load(last.buffer, dtype(), index), others, add(k, int_const(length)));
    return make(std::move(loop));
  }

  const Scan& scan_;
  const Lines& lines_;
  size_t along_;
  int64_t n_, threads_;
  std::unordered_map<Symbol, int>& taken_;
};

}  // namespace

bool scans_in_parts(const Scan& scan, int64_t threads) {
  const auto along = along_of(scan);
  const Lines lines(to<Region>(scan.src));
  return along && part_length(lines.extents, *along, threads) != lines.extents[*along];
}

Stmt expand_scan(const Scan& scan, const BufferTable& buffers, const BufferViews& views,
                 int64_t threads, std::unordered_map<Symbol, int>& taken) {
  const Region &src = to<Region>(scan.src), &dst = to<Region>(scan.dst);
  const Symbol base = views.base_of(dst.buffer);
  const auto along = along_of(scan);
  bool in_place = src.buffer == dst.buffer;
  if (!along) return in_place ? seq({}) : plain_copy(scan.src, scan.dst);
  if (buffers.at(base)->scope == Scope::shared)
    return seq({in_place ? nullptr : plain_copy(scan.src, scan.dst),
                LineScan(scan, Lines(dst), *along, threads, taken).run()});
  Buffer through =
      new_buffer(fresh_name("scan", taken), Scope::shared, dst.type.dtype, Lines(dst).extents);
  through.origin = "scan@" + std::to_string(scan.span.line);
  const Expr all = whole(through);
  Stmt lines = LineScan(scan, Lines(to<Region>(all)), *along, threads, taken).run();
  return seq(
      {make(std::move(through)), plain_copy(scan.src, all), lines, plain_copy(all, scan.dst)});
}

}  // namespace tilelab
