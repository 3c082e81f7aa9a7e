// SPDX-License-Identifier: Apache-2.0
#include "core/sim/origin.h"

#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include "core/analysis/effects.h"
#include "core/sim/program/compile.h"
#include "core/sim/sim.h"

namespace tilelab::sim {
namespace {

/// Saves the memory that a function writes, and restores it afterwards.
class Kept {
 public:
  Kept(const Launch& launch, const std::set<Symbol>& written) {
    for (const GlobalMemory& m : launch.memories)
      if (written.count(m.name)) all_.push_back({m.data, {m.data, m.data + m.bytes}});
  }
  void restore() const {
    for (const auto& [data, bytes] : all_) std::memcpy(data, bytes.data(), bytes.size());
  }

 private:
  std::vector<std::pair<uint8_t*, std::vector<uint8_t>>> all_;
};

/// What a function writes, and which of that the caller owns.
struct Written {
  explicit Written(const Func& func) {
    const Touched touched = tilelab::touched(*func.body);
    all.insert(touched.written.begin(), touched.written.end());
    for (const Stmt& s : func.params)
      if (all.count(to<Param>(s).name)) parameters.insert(to<Param>(s).name);
  }
  std::set<Symbol> all, parameters;
};

/// An element of a launch's memory: which memory, and the element's offset in it.
struct LaunchElement {
  size_t memory = 0;
  int64_t offset = 0;
};

std::optional<LaunchElement> element_of(const Launch& launch, const std::string& buffer,
                                        const std::vector<int64_t>& element) {
  for (size_t i = 0; i < launch.memories.size(); ++i) {
    const GlobalMemory& m = launch.memories[i];
    if (m.name.str() != buffer || m.strides.size() != element.size()) continue;
    LaunchElement out{i, 0};
    for (size_t d = 0; d < element.size(); ++d) out.offset += element[d] * m.strides[d];
    return out;
  }
  return std::nullopt;
}

}  // namespace

std::vector<OriginStep> origin_of(const Func& func, std::span<const Argument> arguments,
                                  const std::string& buffer, const std::vector<int64_t>& element,
                                  const RunOptions& options) {
  if (func.level != Level::tile || !func.body) return {};
  const Written written(func);
  std::optional<Kept> before;
  std::vector<OriginStep> out;
  run_host(func, arguments, [&](const Launch& launch, RunResult&) {
    if (!before) before.emplace(launch, written.parameters);
    const auto place = element_of(launch, buffer, element);
    if (!place || !out.empty()) return;
    const Kept kept(launch, written.all);
    try {
      // The element may keep its old value, which would hide the block that stores to it.
      const GlobalMemory& m = launch.memories[place->memory];
      std::memset(m.data + place->offset * bytes(m.dtype), 0, size_t(bytes(m.dtype)));
      const int64_t block = block_of_special(launch, options, place->memory, place->offset);
      if (block < 0) return;
      kept.restore();
      out = trace_block(launch, options, block, place->memory, place->offset);
    } catch (const CannotRun&) {
      return;  // the run has reported it
    }
  });
  if (before) before->restore();
  return out;
}

}  // namespace tilelab::sim
