// SPDX-License-Identifier: Apache-2.0
// Per axis of the grid, the blocks in the middle form one class, and each of the few at the ends
// (heads, tails) a separate class. A class of the grid combines one of each axis; its blocks must
// behave alike.
#include "core/prove/prove.h"

#include <algorithm>
#include <set>

#include "core/prove/walk.h"
#include "core/sim/machine/machine.h"

namespace tilelab {
namespace proving {
namespace {

constexpr int64_t kMaxEnds = 3;    // of an axis that are simulated one by one
constexpr size_t kMaxReasons = 3;  // that are reported

/// The ends of an axis and, between them, its middle.
struct Axis {
  Interval middle;
  int64_t extent = 1;
  int64_t ends() const { return extent - middle.size(); }
  std::vector<Interval> classes() const {
    std::vector<Interval> out{middle};
    for (int64_t i = 0; i < extent; ++i)
      if (i < middle.first || i >= middle.end) out.push_back({i, i + 1});
    return out;
  }
};

std::vector<Unproved> differences(const KernelFacts& kernel, const Blocks& blocks) {
  Walk walk(kernel, blocks);
  walk.run();
  return walk.differences();
}

/// The longest middle of an axis whose blocks behave alike for fixed other coordinates.
Axis middle_of(const KernelFacts& kernel, size_t axis) {
  Axis out;
  out.extent = kernel.launch.grid[axis];
  Blocks blocks;
  for (size_t a = 0; a < blocks.size(); ++a)
    blocks[a].first = kernel.launch.grid[a] / 2, blocks[a].end = blocks[a].first + 1;
  auto alike = [&](Interval middle) {
    blocks[axis] = middle;
    return middle.size() <= 1 || differences(kernel, blocks).empty();
  };
  for (int64_t first = 0; first <= kMaxEnds && first < out.extent; ++first) {
    Interval found{first, out.extent};
    if (!alike(found)) {
      int64_t good = first + 1, bad = out.extent;
      while (bad - good > 1) {
        const int64_t half = good + (bad - good) / 2;
        (alike({first, half}) ? good : bad) = half;
      }
      found.end = good;
    }
    if (found.size() > out.middle.size() || first == 0) out.middle = found;
    if (out.ends() <= first) break;
  }
  return out;
}

class Prover {
 public:
  Prover(const sim::Launch& launch, uint64_t seed) : kernel_(launch), launch_(launch) {
    random_ = sim::Random(seed + 0x70726f7665);
    proof_.blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  }

  Proof run() {
    if (is_profitable() && whole_kernel() && find_axes() && blocks_are_disjoint() &&
        classes_alike())
      choose();
    deduplicate_reasons();
    return std::move(proof_);
  }

 private:
  /// Simulating a few blocks is faster than the proof.
  bool is_profitable() const { return proof_.blocks > 4; }

  bool fail(const Span& span, std::string why) {
    proof_.unproved.push_back({span, std::move(why)});
    return false;
  }

  /// Checks for features that a sample of blocks cannot represent.
  bool whole_kernel() {
    int kernels = 0;
    bool workspace = false;
    for_each_of_host(
        launch_.func, [&](const Kernel&) { ++kernels; },
        [&](const Workspace&) { workspace = true; });
    const Kernel& kernel = launch_.kernel;
    if (kernels > 1) return fail(kernel.span, "it launches several kernels");
    if (workspace) return fail(kernel.span, "it has a workspace");
    if (launch_.func.level != Level::tile) return fail(kernel.span, "it is below tile level");
    if (find_attr(kernel.attrs, "panel"))
      return fail(kernel.span, "T.use_swizzle renumbers blocks");
    if (find_attr(kernel.attrs, "cluster")) return fail(kernel.span, "its blocks run in clusters");
    return true;
  }

  bool find_axes() {
    for (size_t a = 0; a < axes_.size(); ++a) {
      axes_[a] = middle_of(kernel_, a);
      if (axes_[a].ends() <= kMaxEnds) continue;
      Blocks blocks;
      for (size_t b = 0; b < blocks.size(); ++b)
        blocks[b].first = launch_.grid[b] / 2, blocks[b].end = blocks[b].first + 1;
      blocks[a] = {1, launch_.grid[a] - 1};  // independent of the ends
      const size_t before = proof_.unproved.size();
      add(differences(kernel_, blocks));
      blocks[a] = {0, launch_.grid[a]};
      if (proof_.unproved.size() == before) add(differences(kernel_, blocks));
    }
    return proof_.unproved.empty();
  }

  bool blocks_are_disjoint() {
    Walk all(kernel_, kernel_.all_blocks());
    all.run();
    proof_.sample.parts = parts_of(kernel_, all.accesses(), proof_.unproved);
    return proof_.unproved.empty();
  }

  bool classes_alike() {
    for (const Interval& x : axes_[0].classes())
      for (const Interval& y : axes_[1].classes())
        for (const Interval& z : axes_[2].classes()) {
          classes_.push_back({x, y, z});
          const Blocks& blocks = classes_.back();
          if (x.size() * y.size() * z.size() > 1) add(differences(kernel_, blocks));
        }
    return proof_.unproved.empty();
  }

  void add(const std::vector<Unproved>& more) {
    proof_.unproved.insert(proof_.unproved.end(), more.begin(), more.end());
  }

  int64_t number(int64_t x, int64_t y, int64_t z) const {
    return (z * launch_.grid[1] + y) * launch_.grid[0] + x;
  }

  /// The first block of each class, and another of the largest.
  void choose() {
    std::set<int64_t> chosen;
    for (const Blocks& c : classes_) chosen.insert(number(c[0].first, c[1].first, c[2].first));
    auto any = [&](const Interval& i) {
      return i.first + int64_t(random_.below(uint64_t(i.size())));
    };
    const Blocks& middle = classes_[0];
    const int64_t all = middle[0].size() * middle[1].size() * middle[2].size();
    const size_t before = chosen.size();
    while (all > 1 && chosen.size() == before)
      chosen.insert(number(any(middle[0]), any(middle[1]), any(middle[2])));
    if (int64_t(chosen.size()) >= proof_.blocks) return;
    proof_.sample.grid = launch_.grid;
    proof_.sample.blocks.assign(chosen.begin(), chosen.end());
  }

  /// Keeps the first few reasons, without duplicates.
  void deduplicate_reasons() {
    std::vector<Unproved> first;
    for (Unproved& one : proof_.unproved) {
      const bool known = std::any_of(first.begin(), first.end(), [&](const Unproved& other) {
        return other.span.file == one.span.file && other.span.line == one.span.line &&
               other.why == one.why;
      });
      if (!known && first.size() < kMaxReasons) first.push_back(std::move(one));
    }
    proof_.unproved = std::move(first);
  }

  KernelFacts kernel_;
  const sim::Launch& launch_;
  sim::Random random_;
  std::array<Axis, 3> axes_;
  std::vector<Blocks> classes_;
  Proof proof_;
};

}  // namespace
}  // namespace proving

Proof prove(const sim::Launch& launch, uint64_t seed) {
  return proving::Prover(launch, seed).run();
}

Proof prove(const Func& func, std::span<const sim::Argument> arguments, uint64_t seed) {
  Proof out;
  sim::run_host(func, arguments, [&](const sim::Launch& launch, sim::RunResult&) {
    if (out.blocks == 0) out = prove(launch, seed);
  });
  return out;
}

}  // namespace tilelab
