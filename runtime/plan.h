// SPDX-License-Identifier: Apache-2.0
// The launches of a function's host section with everything evaluated except the addresses. A plan
// is made once for arguments of certain sizes, then only filled in and launched.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "codegen/codegen.h"
#include "core/host/signature.h"
#include "core/ir/func.h"
#include "core/sim/sim.h"
#include "runtime/platform.h"

namespace tilelab::runtime {

/// The source of a kernel parameter's value.
struct Slot {
  enum class From : uint8_t { tensor, scalar, constant, map, workspace, events };
  From from = From::constant;
  int index = 0;      // of the argument, the map, the workspace
  uint64_t bits = 0;  // of a constant
};

struct PlannedLaunch {
  size_t kernel = 0;  // of the rendered kernels
  std::array<unsigned, 3> grid{1, 1, 1};
  unsigned block = 1, shared = 0;
  std::vector<Slot> slots;  // one per parameter of the kernel
};
struct PlannedMap {
  Slot memory;         // a tensor or a workspace
  MapRequest request;  // without its base
};
struct PlannedWorkspace {
  int64_t bytes = 0;
  bool zeroed = false;
};

struct Plan {
  std::vector<int64_t> key;  // the sizes for which it is made
  std::vector<PlannedLaunch> launches;
  std::vector<PlannedMap> maps;
  std::vector<PlannedWorkspace> workspaces;
};

/// A function's plans: which properties of the arguments they depend on, and the latest plans.
class Planner {
 public:
  Planner(FuncRef func, const std::vector<codegen::RenderedKernel>& kernels);

  /// The plan for such arguments, or null.
  std::shared_ptr<const Plan> find(std::span<const host::Value> values) const;
  /// Makes a plan from valid arguments; otherwise the result is `refused` and has the reason.
  std::shared_ptr<const Plan> make(std::span<const host::Value> values, sim::RunResult& result);
  /// "" or a tensor in memory that its kernel can't read.
  std::string misplaced(std::span<const host::Value> values) const;

 private:
  bool is_for(const Plan& plan, std::span<const host::Value> values) const;
  std::vector<int64_t> key_of(std::span<const host::Value> values) const;
  void add(const sim::Launch& launch, Plan& plan) const;
  int parameter(Symbol name) const;
  Slot memory_slot(Symbol name, Plan& plan, const sim::Launch& launch) const;

  FuncRef func_;
  const std::vector<codegen::RenderedKernel>& kernels_;
  std::vector<bool> on_host_;                       // scalars that the host section uses
  std::vector<int64_t> align_;                      // of tensors
  std::vector<std::shared_ptr<const Plan>> plans_;  // latest first
};

}  // namespace tilelab::runtime
