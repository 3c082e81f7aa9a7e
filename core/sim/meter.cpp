// SPDX-License-Identifier: Apache-2.0
#include "core/sim/meter.h"

#include <algorithm>

namespace tilelab::sim {
namespace {

/// The cost of a lane function.
struct LaneWork {
  DType dtype = DType::f32;
  bool special = false;
  int operations = 0;
};

LaneWork worth(LaneOp op, Elem elem) {
  if (op == LaneOp::fma) return {elem, false, 2};
  switch (op) {
    case LaneOp::add:
    case LaneOp::sub:
    case LaneOp::mul:
    case LaneOp::div:
    case LaneOp::min:
    case LaneOp::max:
    case LaneOp::neg:
    case LaneOp::abs: return {elem, false, 1};
    default: return {elem, op >= LaneOp::sqrt, op >= LaneOp::sqrt ? 1 : 0};
  }
}

/// By function, for the instruction set in use.
const std::unordered_map<LaneFn, LaneWork>& lane_works() {
  static const std::unordered_map<LaneFn, LaneWork> works = [] {
    std::unordered_map<LaneFn, LaneWork> out;
    for (int op = 0; op < lane_op_count; ++op)
      for (int elem = 0; elem < elem_count; ++elem) {
        if (!is_float(Elem(elem)) || lane_op_gives_mask(LaneOp(op))) continue;
        const LaneFn fn = lane_fn(LaneOp(op), Elem(elem));
        const LaneWork work = worth(LaneOp(op), Elem(elem));
        if (fn && work.operations) out.try_emplace(fn, work);
      }
    return out;
  }();
  return works;
}

constexpr uint32_t matrix_kind = 256, special_kind = 512;

/// Bytes of all sectors that the lanes touch.
int64_t sectors_moved(const WarpAccess& a) {
  int64_t touched[256];
  size_t n = 0;
  for (int lane = 0; lane < a.lanes; ++lane) {
    if (a.address[lane] < 0) continue;
    const int64_t last = (a.address[lane] + a.bytes - 1) / Meter::sector;
    for (int64_t s = a.address[lane] / Meter::sector; s <= last && n < std::size(touched); ++s)
      if (n == 0 || touched[n - 1] != s) touched[n++] = s;
  }
  std::sort(touched, touched + n);
  return int64_t(std::unique(touched, touched + n) - touched) * Meter::sector;
}

}  // namespace

const char* mover_name(Mover mover) {
  static constexpr const char* names[] = {"threads", "async copy", "ldmatrix",   "stmatrix",
                                          "atomic",  "engine",     "matrix unit"};
  return names[static_cast<size_t>(mover)];
}

std::vector<Meter::Chosen> Meter::choose(const std::array<int64_t, 3>& grid) const {
  const int64_t all = grid[0] * grid[1] * grid[2];
  if (most_blocks <= 0 || all <= most_blocks) return {};
  std::array<std::vector<int64_t>, 8>
      parts;  // by the set of dimensions in which a block is the last
  for (int64_t b = 0; b < all; ++b) {
    const std::array<int64_t, 3> at{b % grid[0], b / grid[0] % grid[1], b / grid[0] / grid[1]};
    size_t part = 0;
    for (size_t d = 0; d < 3; ++d) part |= size_t{grid[d] > 1 && at[d] + 1 == grid[d]} << d;
    parts[part].push_back(b);
  }
  int64_t edges = 0;
  for (size_t p = 1; p < parts.size(); ++p) edges += !parts[p].empty();
  std::vector<Chosen> out;
  for (size_t p = 0; p < parts.size(); ++p) {
    const auto size = int64_t(parts[p].size());
    const int64_t n = std::min(size, p == 0 ? std::max<int64_t>(1, most_blocks - edges) : 1);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t from = size * i / n, to = size * (i + 1) / n;
      out.push_back({parts[p][size_t((from + to) / 2)], to - from});
    }
  }
  std::sort(out.begin(), out.end(),
            [](const Chosen& a, const Chosen& b) { return a.block < b.block; });
  return out;
}

std::vector<int64_t> chosen_of(const Meter& meter, const std::array<int64_t, 3>& grid) {
  std::vector<int64_t> out;
  for (const Meter::Chosen& one : meter.choose(grid)) out.push_back(one.block);
  return out;
}

void Meter::begin_launch(const BankModel& model, const std::array<int64_t, 3>& grid,
                         bool together) {
  banks = model;
  ++launches;
  chosen_ = together ? std::vector<Chosen>{} : choose(grid);
  const int64_t all = grid[0] * grid[1] * grid[2];
  blocks.emplace_back(all, chosen_.empty() ? all : int64_t(chosen_.size()));
  site_of_.clear();
  work_of_.clear();
}

void Meter::begin_block(int64_t number) {
  weight_ = 1;
  for (const Chosen& one : chosen_)
    if (one.block == number) weight_ = one.weight;
}

MeteredSite& Meter::site_of(const WarpAccess& a) {
  const uint64_t key = uint64_t{a.place} << 36 | uint64_t(uint16_t(a.memory + 1)) << 20 |
                       uint64_t(a.bytes & 0xFFFF) << 4 | uint64_t(a.mover) << 1 | uint64_t{a.write};
  auto [at, made] = site_of_.try_emplace(key, sites.size());
  if (made) {
    MeteredSite site;
    site.span = a.span, site.buffer = a.buffer, site.memory = a.memory, site.launch = launch();
    site.dtype = a.dtype, site.shared = a.shared, site.write = a.write, site.mover = a.mover;
    site.bytes = a.bytes;
    sites.push_back(std::move(site));
    pattern_of_.emplace_back();
  }
  return sites[at->second];
}

void Meter::access(const WarpAccess& a) {
  MeteredSite& site = site_of(a);
  int lanes = 0;
  for (int lane = 0; lane < a.lanes; ++lane) lanes += a.address[lane] >= 0;
  site.runs += weight_;
  site.lanes += weight_ * lanes;
  site.idle += weight_ * (a.live - lanes);
  site.requested += weight_ * lanes * a.bytes;
  if (lanes == 0) return;
  if (a.shared)
    keep_pattern(a, site);
  else
    site.transferred += weight_ * sectors_moved(a);
}

/// Patterns repeat, so each is analyzed once.
void Meter::keep_pattern(const WarpAccess& a, MeteredSite& site) {
  auto& known = pattern_of_[size_t(&site - sites.data())];
  std::string key(reinterpret_cast<const char*>(a.address), sizeof(int64_t) * size_t(a.lanes));
  auto found = known.find(key);
  if (found == known.end()) {
    WarpPattern pattern;
    for (int lane = 0; lane < a.lanes; ++lane)
      if (a.address[lane] >= 0) pattern.lanes.push_back({lane, a.address[lane], a.bytes});
    const ConflictCount served = counted(count_bank_conflicts(pattern.lanes, banks));
    site.all_kept = site.all_kept && known.size() < most_patterns;
    if (known.size() >= most_patterns) return site.served.add(served, weight_);
    found = known.try_emplace(std::move(key), site.patterns.size(), served).first;
    site.patterns.push_back(std::move(pattern));
  }
  const auto& [number, served] = found->second;
  site.patterns[number].times += weight_;
  site.served.add(served, weight_);
}

void Meter::unit(const WarpAccess& a, int64_t requested, int64_t transferred) {
  MeteredSite& site = site_of(a);
  site.runs += weight_;
  site.requested += weight_ * requested;
  site.transferred += weight_ * transferred;
}

MeteredWork& Meter::work_of(uint32_t place, const Span& span, uint32_t kind) {
  auto [at, made] = work_of_.try_emplace(uint64_t{place} << 32 | kind, work.size());
  if (made)
    work.push_back(
        {span, (kind & matrix_kind) != 0, (kind & special_kind) != 0, DType(kind & 255), 0, 0, 0});
  return work[at->second];
}

void Meter::computed(uint32_t place, const Span& span, LaneFn fn, int lanes, int live) {
  const auto found = lane_works().find(fn);
  if (found == lane_works().end()) return;
  const LaneWork& worth = found->second;
  MeteredWork& row =
      work_of(place, span, uint32_t(worth.dtype) | (worth.special ? special_kind : 0));
  row.operations += weight_ * lanes * worth.operations;
  row.lanes += weight_ * lanes;
  row.idle += weight_ * (live - lanes);
}

void Meter::multiplied(uint32_t place, const Span& span, DType dtype, int64_t operations) {
  work_of(place, span, uint32_t(dtype) | matrix_kind).operations += weight_ * operations;
}

}  // namespace tilelab::sim
