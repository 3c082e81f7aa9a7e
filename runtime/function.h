// SPDX-License-Identifier: Apache-2.0
// A function of the IR, compiled for a GPU and called on it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "codegen/codegen.h"
#include "core/sim/sim.h"
#include "core/support/function_ref.h"
#include "runtime/device.h"
#include "runtime/failure.h"
#include "runtime/launch_graphs.h"
#include "runtime/plan.h"

namespace tilelab::runtime {

/// A parameter value of a call: on the device, or in host memory, from which it is copied to the
/// device and, if the kernel writes it, back.
struct Given {
  sim::Argument argument;
  bool on_host = false;
};

struct CallOptions {
  Stream stream = nullptr;
  const std::atomic<bool>* interrupt = nullptr;
  bool wait = false;  // for the kernels to end; calls with host memory or events always do
};

/// The outcome of a call: a failure of the device; the kernel's findings are in the result.
struct Outcome {
  sim::RunResult result;
  std::optional<Failure> failure;
};

class DeviceFunction {
 public:
  /// A function at flat level. Writes its kernels' C now, passes it to `changed`, and compiles it
  /// at the first call. Null after a reported error.
  static std::shared_ptr<DeviceFunction> make(
      FuncRef func, Diagnostics& sink, FunctionRef<std::string(const std::string& text)> changed);

  Outcome run(const Platform& platform, int ordinal, std::span<const Given> given,
              const CallOptions& options);
  /// Repeats a call on values on the device, without compiling, planning or waiting. False, without
  /// effect, if more is needed: use run().
  bool repeat(int ordinal, std::span<const host::Value> values, Stream stream,
              std::optional<Failure>* failure);

 private:
  struct Loaded {
    Device* device = nullptr;
    int life = 0;  // of the device's worker
    Module module = nullptr;
    std::vector<Function> functions;   // as kernels_
    std::vector<LaunchGraphs> graphs;  // of those functions, for repeats
  };
  struct Memory;  // the device memory of one call
  struct Parameters;
  /// Maps of a plan, and the addresses for which they were made.
  struct MadeMaps {
    std::shared_ptr<const Plan> plan;
    std::vector<Address> bases;
    std::vector<MapParameter> maps;
  };

  const std::string& name() const { return func_->name.str(); }
  const Loaded& load(Device& device);
  Module module(Device& device) const;
  std::string cache_key(Device& device) const;
  Module from_cache(Device& device) const;
  Module compiled(Device& device) const;
  std::optional<Module> from_ptx(Device& device, std::string* why) const;
  static void make_workspaces(Device& device, const Plan& plan, Stream stream, Memory& memory);
  static Address base_of(const PlannedMap& map, std::span<const host::Value> values,
                         const Memory& memory);
  static void make_maps(Device& device, const Plan& plan, std::span<const host::Value> values,
                        Memory& memory);
  /// The same for a repeat, which often has the same tensors.
  void repeat_maps(Device& device, const std::shared_ptr<const Plan>& plan,
                   std::span<const host::Value> values, Memory& memory);
  void execute(const Loaded& loaded, const Plan& plan, std::span<const host::Value> values,
               const CallOptions& options, sim::RunResult& result);
  void launch(const Loaded& loaded, const PlannedLaunch& launch,
              std::span<const host::Value> values, const Memory& memory, Stream stream);
  void launch_again(Loaded& loaded, const PlannedLaunch& launch,
                    std::span<const host::Value> values, const Memory& memory, Stream stream);
  void take_events(Device& device, const PlannedLaunch& launch, const CallOptions& options,
                   sim::RunResult& result) const;

  FuncRef func_;
  std::string text_;
  bool own_text_ = true;  // as the renderer wrote it, equivalent to the IR
  std::vector<codegen::RenderedKernel> kernels_;
  std::set<Symbol> written_;  // tensors
  bool records_ = false;
  std::mutex mutex_;  // guards what follows
  std::optional<Planner> planner_;
  std::map<std::pair<bool, int>, Loaded> loaded_;  // by whether it is in a worker, and device
  MadeMaps made_maps_;                             // of the latest repeat
};

}  // namespace tilelab::runtime
