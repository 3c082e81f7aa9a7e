// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan.h"

#include <algorithm>

#include "core/ir/traverse.h"
#include "core/sim/host_value.h"
#include "core/support/check.h"

namespace tilelab::runtime {

namespace {

constexpr size_t kPlans = 16;  // per function

/// Calls `f` with every name that the host section uses outside its kernels' bodies.
template <class F> void host_names(const Func& func, F&& f) {
  auto visit = [&](const Node& node) {
    if (const Name* name = as<Name>(&node)) f(name->id);
    const Kernel* kernel = as<Kernel>(&node);
    if (!kernel) return true;
    for (const Expr& extent : kernel->grid)
      for_each(*extent, [&](const Name& name) { f(name.id); });
    return false;
  };
  for (const Stmt& param : func.params) walk(*param, visit);
  walk(*func.body, visit);
}

bool is_zeroed(const Func& func, Symbol workspace) {
  bool zeroed = false;
  for_each_of_host(func, [&](const Workspace& w) {
    if (to<Buffer>(w.buffer).name == workspace) zeroed = w.zeroed;
  });
  return zeroed;
}

}  // namespace

Planner::Planner(FuncRef func, const std::vector<codegen::RenderedKernel>& kernels)
    : func_(std::move(func)),
      kernels_(kernels),
      on_host_(func_->params.size()),
      align_(func_->params.size(), 1) {
  host_names(*func_, [&](Symbol name) {
    if (const int i = parameter(name); i >= 0) on_host_[size_t(i)] = true;
  });
  for_each_of_host(*func_, [&](const CheckTensor& check) {
    if (const int i = parameter(check.buffer); i >= 0) {
      align_[size_t(i)] = check.align;
      CHECK((check.align & (check.align - 1)) == 0, "an alignment");
    }
  });
}

int Planner::parameter(Symbol name) const {
  for (size_t i = 0; i < func_->params.size(); ++i)
    if (to<Param>(func_->params[i]).name == name) return int(i);
  return -1;
}

std::vector<int64_t> Planner::key_of(std::span<const host::Value> values) const {
  std::vector<int64_t> key;
  for (size_t i = 0; i < values.size(); ++i) {
    const host::Value& v = values[i];
    if (v.tensor) {
      key.insert(key.end(), v.shape, v.shape + v.rank);
      key.insert(key.end(), v.strides, v.strides + v.rank);
    } else if (on_host_[i]) {
      key.push_back(int64_t(v.bits));
    }
  }
  return key;
}

bool Planner::is_for(const Plan& plan, std::span<const host::Value> values) const {
  const int64_t* at = plan.key.data();
  for (size_t i = 0; i < values.size(); ++i) {
    const host::Value& v = values[i];
    if (v.tensor) {
      for (const int64_t* sizes : {v.shape, v.strides})  // of few elements each
        for (int32_t d = 0; d < v.rank; ++d)
          if (*at++ != sizes[d]) return false;
    } else if (on_host_[i] && *at++ != int64_t(v.bits)) {
      return false;
    }
  }
  return true;
}

std::shared_ptr<const Plan> Planner::find(std::span<const host::Value> values) const {
  for (const auto& plan : plans_)
    if (is_for(*plan, values)) return plan;
  return nullptr;
}

std::string Planner::misplaced(std::span<const host::Value> values) const {
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i].tensor && values[i].bytes > 0 &&
        (reinterpret_cast<uintptr_t>(values[i].data) & uintptr_t(align_[i] - 1)) != 0)
      return to<Param>(func_->params[i]).name.str() +
             " starts at an address that is not a multiple of " + std::to_string(align_[i]);
  return "";
}

Slot Planner::memory_slot(Symbol name, Plan& plan, const sim::Launch& launch) const {
  if (const int i = parameter(name); i >= 0) return {Slot::From::tensor, i};
  int index = 0;
  for (const sim::GlobalMemory& m : launch.memories) {
    if (parameter(m.name) >= 0) continue;
    if (index == int(plan.workspaces.size()))
      plan.workspaces.push_back({m.bytes, is_zeroed(*func_, m.name)});
    if (m.name == name) return {Slot::From::workspace, index};
    ++index;
  }
  UNREACHABLE("no memory " + name.str());
}

void Planner::add(const sim::Launch& l, Plan& plan) const {
  PlannedLaunch made;
  for (size_t i = 0; i < 3; ++i) made.grid[i] = unsigned(l.grid[i]);
  made.block = unsigned(l.kernel.block);
  made.shared = unsigned(std::max<int64_t>(l.kernel.smem, 0));
  while (made.kernel < kernels_.size() && kernels_[made.kernel].source != l.kernel.name)
    ++made.kernel;
  CHECK(made.kernel < kernels_.size(), "kernel " + l.kernel.name.str() + " was not rendered");
  const codegen::RenderedKernel& kernel = kernels_[made.kernel];
  for (Symbol id : kernel.params) {
    const auto is_it = [&](const auto& one) { return one.name == id; };
    const auto memory = std::find_if(l.memories.begin(), l.memories.end(), is_it);
    const auto map = std::find_if(l.maps.begin(), l.maps.end(), is_it);
    const auto scalar = std::find_if(l.scalars.begin(), l.scalars.end(),
                                     [&](const auto& one) { return one.first == id; });
    const int given = parameter(id);
    if (memory != l.memories.end()) {
      made.slots.push_back(memory_slot(id, plan, l));
    } else if (map != l.maps.end()) {
      const sim::GlobalMemory& of = l.memories[size_t(map->memory)];
      made.slots.push_back({Slot::From::map, int(plan.maps.size())});
      plan.maps.push_back({memory_slot(of.name, plan, l),
                           {map->dtype,
                            0,
                            map->dims,
                            {map->strides.begin() + 1, map->strides.end()},
                            map->box,
                            map->swizzle}});
    } else if (given >= 0 && !on_host_[size_t(given)]) {
      made.slots.push_back({Slot::From::scalar, given});
    } else {
      CHECK(scalar != l.scalars.end(), "no value for kernel parameter " + id.str());
      made.slots.push_back({Slot::From::constant, 0, scalar->second.bits});
    }
  }
  if (kernel.records) made.slots.push_back({Slot::From::events});
  plan.launches.push_back(std::move(made));
}

std::shared_ptr<const Plan> Planner::make(std::span<const host::Value> values,
                                          sim::RunResult& result) {
  std::vector<sim::Argument> arguments;
  for (const host::Value& value : values) arguments.push_back(sim::argument_of(value));
  auto plan = std::make_shared<Plan>();
  plan->key = key_of(values);
  result = sim::run_host(*func_, arguments,
                         [&](const sim::Launch& l, sim::RunResult&) { add(l, *plan); });
  if (result.status != sim::RunResult::Status::finished) return nullptr;
  plans_.insert(plans_.begin(), plan);
  if (plans_.size() > kPlans) plans_.pop_back();
  return plan;
}

}  // namespace tilelab::runtime
