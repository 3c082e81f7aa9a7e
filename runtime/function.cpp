// SPDX-License-Identifier: Apache-2.0
#include "runtime/function.h"

#include <algorithm>
#include <cstdlib>

#include "codegen/events.h"
#include "codegen/ptx/ptx.h"
#include "core/analysis/effects.h"
#include "core/diagnostics/usage.h"
#include "core/ir/traverse.h"
#include "core/support/check.h"
#include "core/support/compile_mode.h"
#include "core/support/extents.h"
#include "core/support/progress.h"
#include "runtime/cache.h"
#include "runtime/host_copies.h"

namespace tilelab::runtime {

namespace {

constexpr int64_t kPlainShared = 48 << 10;  // a block's default maximum
constexpr size_t kParameters = 128;         // of a kernel
constexpr int64_t kWorkspaceAlign = 256;    // as the driver's allocations

host::Value value_of(const sim::Argument& a) {
  return {
      a.dtype,        a.tensor,        a.fresh, a.bits, a.data, a.bytes, int32_t(a.shape.size()),
      a.shape.data(), a.strides.data()};
}

/// Which kernels are written as PTX: TILELAB_PTX=0 none, =1 all that can be.
enum class PtxUse : uint8_t { none, products, all };
PtxUse ptx_use() {
  const char* set = std::getenv("TILELAB_PTX");
  if (!set || !*set) return PtxUse::products;
  return *set == '0' ? PtxUse::none : PtxUse::all;
}

/// Dynamic shared memory of a kernel's block.
int64_t shared_bytes(const Func& func, Symbol kernel) {
  int64_t bytes = 0;
  for_each_of_host(func, [&](const Kernel& k) {
    if (k.name == kernel) bytes = k.smem;
  });
  return bytes;
}

}  // namespace

/// Maps and workspaces of a call, created as its launches need them.
struct DeviceFunction::Memory {
  std::optional<Scratch> scratch;  // holds the workspaces
  std::vector<Address> workspaces;
  std::vector<MapParameter> maps;
  const MapParameter* made = nullptr;  // set by a repeat
  Address events = 0;
};

std::shared_ptr<DeviceFunction> DeviceFunction::make(
    FuncRef func, Diagnostics& sink, FunctionRef<std::string(const std::string& text)> changed) {
  codegen::RenderOptions options;
  options.locations = false;  // equal code is compiled once, wherever it is
  auto rendered = codegen::render(*func, *find_target(func->target), options, sink);
  if (!rendered) return nullptr;
  auto made = std::make_shared<DeviceFunction>();
  made->func_ = func;
  made->text_ = changed(rendered->text);
  made->own_text_ = made->text_ == rendered->text;
  made->kernels_ = std::move(rendered->kernels);
  made->written_ = touched(*func->body).written;
  for (const codegen::RenderedKernel& kernel : made->kernels_) made->records_ |= kernel.records;
  made->planner_.emplace(func, made->kernels_);
  return made;
}

std::string DeviceFunction::cache_key(Device& device) const {
  const Target& target = *find_target(func_->target);
  return device.platform().compiler(name(), target, device.capability()) + "\n" + text_;
}

/// Where compilation is disabled.
Module DeviceFunction::from_cache(Device& device) const {
  std::vector<std::string> notes;
  try {
    if (const auto found = cached(cache_key(device)))
      if (const auto loaded = device.try_load(*found)) return *loaded;
  } catch (const Failure& failure) {  // the version of the compiler is part of the key
    notes.push_back("an entry of the cache is for one compiler: " + failure.arguments.back());
  }
  const std::string directory = cache_directory();
  notes.push_back(directory.empty() ? "the cache is disabled (TILELANG_DISABLE_CACHE, HOME)"
                                    : "the cache is " + directory);
  throw Failure{
      usage::compile_disabled,
      {"the machine code of kernel " + name() + " for " + func_->target + " is not in the cache"},
      notes,
      {"call it once on this machine with TILELAB_COMPILE=on and TILELAB_PTX=0, which "
       "fills the cache; or export it: kernel.export_library(\"k.so\")"}};
}

/// A cached image that the driver rejects, as after a downgrade, is replaced.
Module DeviceFunction::compiled(Device& device) const {
  const Target& target = *find_target(func_->target);
  const std::string key = cache_key(device);
  if (const auto found = cached(key))
    if (const auto loaded = device.try_load(*found)) return *loaded;
  const std::string image = device.platform().compile(name(), text_, target, device.capability());
  const Module loaded = device.load(image);
  keep(key, image);
  return loaded;
}

/// The kernels as PTX, which the driver compiles. Nullopt if their C must be compiled: a kernel
/// contains something that only the C writer supports, or the driver does not know this PTX
/// version.
std::optional<Module> DeviceFunction::from_ptx(Device& device, std::string* why) const {
  const Target& target = *find_target(func_->target);
  if (!own_text_ || target.family != Family::cuda) return std::nullopt;
  const auto ptx = codegen::write_ptx(*func_, target, why);
  if (!ptx) return std::nullopt;
  const PhaseScope phase("compiled by the driver");
  return device.try_load(*ptx);
}

/// Kernels that issue wgmma use PTX: NVRTC takes three times as long for their C, and generates the
/// same code (ADR 25). Without NVRTC all supported kernels use PTX.
Module DeviceFunction::module(Device& device) const {
  if (!may_compile_code()) return from_cache(device);
  const PtxUse use = ptx_use();
  std::string why;
  if (use == PtxUse::all || (use == PtxUse::products && calls(*func_, {Intrinsic::wgmma})))
    if (const auto made = from_ptx(device, &why)) return *made;
  try {
    return compiled(device);
  } catch (Failure& failure) {
    if (failure.id != usage::device_compiler || use == PtxUse::none) throw;
    if (const auto made = from_ptx(device, &why)) return *made;
    if (!why.empty())
      failure.notes.push_back(
          "without it kernels are passed to the driver as PTX, which this one does not support: " +
          why);
    throw;
  }
}

const DeviceFunction::Loaded& DeviceFunction::load(Device& device) {
  Loaded& loaded = loaded_[{device.worker() != nullptr, device.ordinal()}];
  if (loaded.device && loaded.life == device.life()) return loaded;
  const Target& target = *find_target(func_->target);
  if (!device.platform().runs(target, device.capability()))
    throw Failure{usage::device_target,
                  {name(), func_->target, device.name()},
                  {},
                  {"compile it for target=\"" + std::string(device.platform().source().device) +
                   "\", the target of this GPU; %device sim runs it unchanged"}};
  Loaded made{&device, device.life(), module(device), {}};
  for (const codegen::RenderedKernel& kernel : kernels_) {
    Function& function = made.functions.emplace_back();
    device.check(device.driver().module_function(&function, made.module, kernel.name.c_str()),
                 "ModuleGetFunction");
    if (const int64_t shared = shared_bytes(*func_, kernel.source); shared > kPlainShared)
      device.check(device.driver().function_set(function, kAttributeDynamicShared, int(shared)),
                   "FuncSetAttribute");
  }
  made.graphs.resize(kernels_.size());
  loaded = std::move(made);
  return loaded;
}

Outcome DeviceFunction::run(const Platform& platform, int ordinal, std::span<const Given> given,
                            const CallOptions& options) {
  Outcome outcome;
  try {
    Device& device = Device::of(platform, ordinal);
    device.enter();
    std::vector<host::Value> values;
    for (const Given& one : given) values.push_back(value_of(one.argument));
    HostCopies copies(device, options.stream);
    for (size_t i = 0; i < given.size(); ++i)
      if (given[i].on_host && given[i].argument.tensor)
        copies.add(&values[i], written_.count(to<Param>(func_->params[i]).name) != 0);
    copies.copy_in();
    std::unique_lock lock(mutex_);
    const Loaded& loaded = load(device);
    auto plan = planner_->find(values);
    if (!plan) plan = planner_->make(values, outcome.result);
    const std::string wrong = plan ? planner_->misplaced(values) : "";
    lock.unlock();
    if (!wrong.empty()) {
      outcome.result.status = sim::RunResult::Status::refused;
      outcome.result.error = wrong;
    }
    if (!plan || !wrong.empty()) return outcome;
    CallOptions chosen = options;
    chosen.wait |= !copies.empty();
    execute(loaded, *plan, values, chosen, outcome.result);
    if (outcome.result.status == sim::RunResult::Status::interrupted)
      copies.abandon();
    else
      copies.copy_back();
  } catch (Failure& failure) {
    outcome.failure = std::move(failure);
  }
  return outcome;
}

void DeviceFunction::make_workspaces(Device& device, const Plan& plan, Stream stream,
                                     Memory& memory) {
  if (plan.workspaces.empty()) return;
  const auto room = [](const PlannedWorkspace& w) {
    return round_up(std::max<int64_t>(w.bytes, 1), kWorkspaceAlign);
  };
  // A graph may be launched beside the calls of its stream: it fills separate memory.
  const bool fills = device.captures(stream);
  int64_t bytes = 0, zeros = 0;
  for (const PlannedWorkspace& w : plan.workspaces) (w.zeroed && !fills ? zeros : bytes) += room(w);
  memory.scratch.emplace(device, stream, bytes, zeros);
  Address at = memory.scratch->address(), zero = memory.scratch->zeros();
  for (const PlannedWorkspace& w : plan.workspaces) {
    if (w.zeroed && fills) device.fill(at, 0, w.bytes, stream);
    Address& place = w.zeroed && !fills ? zero : at;
    memory.workspaces.push_back(place);
    place += Address(room(w));
  }
}

Address DeviceFunction::base_of(const PlannedMap& map, std::span<const host::Value> values,
                                const Memory& memory) {
  const auto index = size_t(map.memory.index);
  return map.memory.from == Slot::From::workspace ? memory.workspaces[index]
                                                  : reinterpret_cast<Address>(values[index].data);
}

void DeviceFunction::make_maps(Device& device, const Plan& plan,
                               std::span<const host::Value> values, Memory& memory) {
  for (const PlannedMap& map : plan.maps) {
    MapRequest request = map.request;
    request.base = base_of(map, values, memory);
    const std::string wrong =
        device.platform().describe(device.driver(), request, &memory.maps.emplace_back());
    if (!wrong.empty())
      throw Failure{usage::device_call,
                    {"a tensor map", wrong},
                    {},
                    {"pad the tensor: strides and the innermost extent in bytes must be multiples "
                     "of 16 for this engine; or use %device sim"}};
  }
}

void DeviceFunction::repeat_maps(Device& device, const std::shared_ptr<const Plan>& plan,
                                 std::span<const host::Value> values, Memory& memory) {
  bool same = made_maps_.plan == plan;
  for (size_t i = 0; same && i < plan->maps.size(); ++i) {
    same = made_maps_.bases[i] == base_of(plan->maps[i], values, memory);
  }
  if (!same) {
    made_maps_ = {};  // in case one of them fails
    make_maps(device, *plan, values, memory);
    made_maps_.plan = plan;
    made_maps_.maps = memory.maps;
    for (const PlannedMap& map : plan->maps)
      made_maps_.bases.push_back(base_of(map, values, memory));
  }
  memory.made = made_maps_.maps.data();
}

void DeviceFunction::execute(const Loaded& loaded, const Plan& plan,
                             std::span<const host::Value> values, const CallOptions& options,
                             sim::RunResult& result) {
  Device& device = *loaded.device;
  Memory memory;
  make_workspaces(device, plan, options.stream, memory);
  make_maps(device, plan, values, memory);
  memory.made = memory.maps.data();
  result.all_blocks = result.blocks = 0;
  for (const PlannedLaunch& one : plan.launches) {
    const bool records = kernels_[one.kernel].records;
    if (records) {
      memory.events = device.events();
      char empty[sizeof(codegen::EventRing)];
      codegen::open_event_ring(empty);
      device.copy_in(memory.events, empty, sizeof empty, options.stream);
    }
    launch(loaded, one, values, memory, options.stream);
    const int64_t blocks = int64_t(one.grid[0]) * one.grid[1] * one.grid[2];
    result.all_blocks += blocks;
    result.threads = std::max<int64_t>(result.threads, one.block);
    if ((options.wait || records) && !device.wait(options.stream, options.interrupt)) {
      result.status = sim::RunResult::Status::interrupted;
      return;
    }
    result.blocks += blocks;
    if (records) take_events(device, one, options, result);
    if (result.status != sim::RunResult::Status::finished) return;
  }
}

/// The parameters of a launch in the driver's format.
struct DeviceFunction::Parameters {
  Parameters(const PlannedLaunch& launch, std::span<const host::Value> values,
             const Memory& memory);

  uint64_t words[kParameters];
  void* pointers[kParameters];
};

DeviceFunction::Parameters::Parameters(const PlannedLaunch& launch,
                                       std::span<const host::Value> values, const Memory& memory) {
  const size_t count = launch.slots.size();
  CHECK(count <= kParameters, "a kernel's parameters");
  for (size_t i = 0; i < count; ++i) {
    const Slot& slot = launch.slots[i];
    const auto index = size_t(slot.index);
    pointers[i] = &words[i];
    switch (slot.from) {
      case Slot::From::tensor: words[i] = reinterpret_cast<uint64_t>(values[index].data); break;
      case Slot::From::scalar: words[i] = values[index].bits; break;
      case Slot::From::constant:
        words[i] = slot.bits;
        break;  // little-endian: its low bytes come first
      case Slot::From::map: pointers[i] = const_cast<MapParameter*>(memory.made + index); break;
      case Slot::From::workspace: words[i] = memory.workspaces[index]; break;
      case Slot::From::events: words[i] = memory.events; break;
    }
  }
}

void DeviceFunction::launch(const Loaded& loaded, const PlannedLaunch& one,
                            std::span<const host::Value> values, const Memory& memory,
                            Stream stream) {
  Parameters params(one, values, memory);
  loaded.device->launching(name());
  loaded.device->launch(loaded.functions[one.kernel], one, params.pointers, stream);
}

void DeviceFunction::launch_again(Loaded& loaded, const PlannedLaunch& one,
                                  std::span<const host::Value> values, const Memory& memory,
                                  Stream stream) {
  Parameters params(one, values, memory);
  Device& device = *loaded.device;
  const Function function = loaded.functions[one.kernel];
  device.launching(name());
  if (!loaded.graphs[one.kernel].launch(device, function, one, params.pointers, stream))
    device.launch(function, one, params.pointers, stream);
}

void DeviceFunction::take_events(Device& device, const PlannedLaunch& launch,
                                 const CallOptions& options, sim::RunResult& result) const {
  codegen::EventRing head;
  const Address ring = device.events();
  device.copy_out(&head, ring, sizeof head, options.stream);
  device.wait(options.stream, nullptr);
  if (head.written == 0 && head.capacity == codegen::kEvents) return;
  std::vector<char> events(sizeof head + codegen::stored_events(head) * sizeof(codegen::Event));
  device.copy_out(events.data(), ring, int64_t(events.size()), options.stream);
  device.wait(options.stream, nullptr);
  sim::RunResult made;
  const std::array<int64_t, 3> grid{launch.grid[0], launch.grid[1], launch.grid[2]};
  codegen::read_events({events, grid, launch.block}, *func_, kernels_[launch.kernel], made);
  result.records.insert(result.records.end(), made.records.begin(), made.records.end());
  result.lost_records += made.lost_records;
  result.damaged_records += made.damaged_records;
  result.findings.insert(result.findings.end(), made.findings.begin(), made.findings.end());
  if (made.status != sim::RunResult::Status::finished) result.status = made.status;
}

bool DeviceFunction::repeat(int ordinal, std::span<const host::Value> values, Stream stream,
                            std::optional<Failure>* failure) {
  if (records_) return false;
  const std::lock_guard lock(mutex_);
  const auto found = loaded_.find({false, ordinal});
  if (found == loaded_.end() || !found->second.device) return false;
  const auto plan = planner_->find(values);
  if (!plan || !planner_->misplaced(values).empty()) return false;
  try {
    Device& device = *found->second.device;
    device.enter();
    Memory memory;
    make_workspaces(device, *plan, stream, memory);
    if (!plan->maps.empty()) repeat_maps(device, plan, values, memory);
    for (const PlannedLaunch& one : plan->launches)
      launch_again(found->second, one, values, memory, stream);
  } catch (Failure& thrown) {
    *failure = std::move(thrown);
  }
  return true;
}

}  // namespace tilelab::runtime
