// SPDX-License-Identifier: Apache-2.0
#include "core/prove/walk.h"

#include <algorithm>
#include <cstdlib>

#include "core/support/steps.h"

namespace tilelab::proving {
namespace {

using Part = sim::Sample::Part;
using Grid = std::array<int64_t, 3>;

/// The common access pattern in one dimension of all accesses of a tensor, if it is the same
/// function of the block index, and disjoint between blocks.
std::optional<sim::Sample::Dim> dimension(const std::vector<const GlobalAccess*>& accesses,
                                          size_t d, const Grid& grid) {
  sim::Sample::Dim out;
  const GlobalAccess::Dim& first = accesses[0]->dims[d];
  const std::vector<int64_t>& steps = first.index.factor;
  int64_t lo = first.lo, hi = first.hi;
  for (const GlobalAccess* access : accesses) {
    const GlobalAccess::Dim& dim = access->dims[d];
    if (!dim.known || dim.index.factor != steps) return std::nullopt;
    lo = std::min(lo, dim.lo), hi = std::max(hi, dim.hi);
  }
  constexpr int64_t kFar = int64_t{1} << 40;  // of unknown extent
  if (lo < -kFar || hi > kFar) return std::nullopt;
  out.first = lo, out.reach = hi - lo;
  for (size_t axis = 0; axis < grid.size() && axis < steps.size(); ++axis)
    if (grid[axis] > 1 && steps[axis]) out.steps.push_back({axis, steps[axis]});
  std::sort(out.steps.begin(), out.steps.end(),
            [](auto& a, auto& b) { return std::abs(a.step) > std::abs(b.step); });
  std::vector<std::pair<int64_t, int64_t>> extents;
  for (const sim::Sample::Step& s : out.steps) extents.push_back({s.step, grid[s.axis]});
  if (!steps_disjoint(std::move(extents), out.reach)) return std::nullopt;
  return out;
}

/// Whether different indices are different memory.
bool elements_are_disjoint(const sim::GlobalMemory& memory) {
  std::vector<std::pair<int64_t, int64_t>> steps;  // stride, extent
  for (size_t d = 0; d < memory.shape.size(); ++d)
    steps.push_back({memory.strides[d], memory.shape[d]});
  return steps_disjoint(std::move(steps));
}

/// Another tensor that shares bytes with memory `which`, or null.
const sim::GlobalMemory* shares(const sim::Launch& launch, size_t which) {
  const sim::GlobalMemory& mine = launch.memories[which];
  for (size_t i = 0; i < launch.memories.size(); ++i) {
    const sim::GlobalMemory& other = launch.memories[i];
    if (i != which && mine.data < other.data + other.bytes && other.data < mine.data + mine.bytes)
      return &other;
  }
  return nullptr;
}

/// The part of a tensor that only its block accesses; `why` is the reason if there is none.
std::optional<Part> part_of(const KernelFacts& kernel, Symbol tensor,
                            const std::vector<const GlobalAccess*>& accesses, std::string& why) {
  const size_t which = kernel.global.at(tensor);
  const sim::GlobalMemory& memory = kernel.launch.memories[which];
  const size_t rank = memory.shape.size();
  if (!elements_are_disjoint(memory) ||
      std::any_of(accesses.begin(), accesses.end(),
                  [&](auto* access) { return access->dims.size() != rank; })) {
    why = "elements of " + tensor.str() + " share memory";
    return std::nullopt;
  }
  Part out{tensor, {}};
  std::array<bool, 3> parted{};
  for (size_t d = 0; d < rank; ++d) {
    auto dim = dimension(accesses, d, kernel.launch.grid);
    if (dim)
      for (const sim::Sample::Step& s : dim->steps) parted[s.axis] = true;
    out.dims.push_back(dim ? *dim : sim::Sample::Dim{0, memory.shape[d], {}});
  }
  const std::vector<Symbol>& indices = kernel.launch.kernel.indices;
  for (size_t a = 0; a < parted.size(); ++a) {
    if (parted[a] || kernel.launch.grid[a] <= 1) continue;
    why = "blocks along " + (a < indices.size() ? indices[a].str() : "an unnamed axis") +
          " may access the same elements of " + tensor.str();
    return std::nullopt;
  }
  return out;
}

}  // namespace

std::vector<Part> parts_of(const KernelFacts& kernel, const std::vector<GlobalAccess>& accesses,
                           std::vector<Unproved>& unproved) {
  std::vector<Part> out;
  for (const sim::GlobalMemory& memory : kernel.launch.memories) {
    std::vector<const GlobalAccess*> own;
    const GlobalAccess* write = nullptr;
    bool atomics = true;
    for (const GlobalAccess& access : accesses) {
      if (access.tensor != memory.name) continue;
      own.push_back(&access);
      atomics &= access.atomic;
      if (access.write && !(write && write->write)) write = &access;
    }
    if (!write) continue;
    if (const sim::GlobalMemory* other = shares(kernel.launch, kernel.global.at(memory.name))) {
      unproved.push_back(
          {write->span, memory.name.str() + " and " + other->name.str() + " share memory"});
      continue;
    }
    std::string why;
    if (atomics) continue;
    if (auto part = part_of(kernel, memory.name, own, why))
      out.push_back(std::move(*part));
    else
      unproved.push_back({write->span, why});
  }
  return out;
}

}  // namespace tilelab::proving
