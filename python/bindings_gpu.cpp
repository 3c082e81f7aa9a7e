// SPDX-License-Identifier: Apache-2.0
// tilelab._core.gpu: devices, compiled functions, memory and timers of GPUs.
#include "core/passes/shared/hardware_units.h"
#include "core/support/check.h"
#include "core/support/interrupt.h"
#include "python/compilation.h"
#include "python/gpu_call.h"
#include "python/runs.h"
#include "runtime/compiler_start.h"
#include "runtime/export_library.h"
#include "runtime/function.h"
#include "runtime/musa/export.h"
#include "runtime/rtc.h"

namespace tilelab::python {
namespace {

namespace rt = tilelab::runtime;

/// A stream's address, from torch.
rt::Stream stream_of(uintptr_t address) {
  return reinterpret_cast<rt::Stream>(address);  // NOLINT(performance-no-int-to-ptr)
}

/// Raises the message, located at the user's call.
[[noreturn]] void raise(const rt::Failure& failure) {
  set_error(failure);
  throw PythonError();
}

/// The result of a runtime function; raises its failures.
template <class F> auto raising(F&& call) {
  try {
    return call();
  } catch (const rt::Failure& failure) {
    raise(failure);
  }
}

/// A GPU, by vendor name and ordinal.
rt::Device& device_of(const std::string& vendor, int ordinal) {
  return rt::Device::of(rt::platform_named(vendor), ordinal);
}

Object count(const std::string& vendor) {
  std::string problem;
  const int devices = rt::Device::count(rt::platform_named(vendor), &problem);
  return tuple_of(devices, problem);
}

/// (name, capability, target or None)
Object device(const std::string& vendor, int ordinal) {
  return raising([&] {
    const rt::Device& found = device_of(vendor, ordinal);
    const Target* target = found.target();
    return tuple_of(found.name(), found.capability(), target ? object_of(target->name) : none());
  });
}

void start_compiler(const std::string& vendor, int ordinal) {
  raising([&] {
    const rt::Device& found = device_of(vendor, ordinal);
    if (const Target* target = found.target())
      rt::start_compiler(found.platform(), *target, found.capability());
  });
}

bool can_run(const std::string& target, const std::string& vendor, int ordinal) {
  return raising([&] {
    const Target* record = find_target(target);
    const rt::Device& found = device_of(vendor, ordinal);
    return record && found.platform().runs(*record, found.capability());
  });
}

/// The processor count of the GPU if it differs from the one that the function's schedule assumes,
/// otherwise 0.
int64_t processors(const FuncObject& func, const std::string& vendor, int ordinal) {
  return raising([&]() -> int64_t {
    const Target* target = find_target(func.func->target);
    const bool asks = target && target->processors > 0 && uses_hardware_units(*func.func) &&
                      UnitOptions(*func.func).processors < 0;
    const int found = asks ? device_of(vendor, ordinal).processors() : 0;
    return asks && found != target->processors ? found : 0;
  });
}

/// (function or None, diagnostics). `changed` returns code to compile in place of the generated
/// code.
Object make_function(const FuncObject& flat, const Object& changed) {
  Diagnostics sink;
  auto made = rt::DeviceFunction::make(flat.func, sink, [&](const std::string& text) {
    return read_as<std::string>(
        checked(PyObject_CallFunctionObjArgs(raw(changed), raw(text_object(text)), nullptr)));
  });
  return tuple_of(std::shared_ptr<rt::DeviceFunction>(std::move(made)), diagnostics_list(sink));
}

/// See gpu_call.h.
Object quick_call(const FuncObject& func, const std::shared_ptr<rt::DeviceFunction>& compiled,
                  bool as_list) {
  return checked(gpu_call(*func.func, compiled, as_list));
}

/// An argument, and whether it is in host memory: the last of six or more parts.
struct GpuArgument {
  sim::Argument argument;
  bool on_host = false;
};

}  // namespace

static void read(const Object& described, GpuArgument& out) {
  read(described, out.argument);
  const std::vector<Object> parts = items_of(raw(described));
  out.on_host = parts.size() > 6 && read_as<bool>(parts[6]);
}

namespace {

/// `described`: as for Func.run, and for tensors, after `fresh`, whether they are in host memory.
Object run_on_gpu(rt::DeviceFunction& self, const std::vector<GpuArgument>& described,
                  const std::string& vendor, int ordinal, uintptr_t stream, bool wait,
                  const Object& progress) {
  std::vector<sim::Argument> all;
  for (const GpuArgument& one : described) all.push_back(one.argument);
  std::optional<rt::Failure> failure;
  Object result = served_run(
      all, {}, progress, [&](std::span<const sim::Argument> arguments, const auto& options) {
        std::vector<rt::Given> given;
        for (size_t i = 0; i < arguments.size(); ++i)
          given.push_back({arguments[i], described[i].on_host});
        try {
          const InterruptScope interrupt(options.interrupt);  // for a compiler process
          rt::Outcome outcome = self.run(rt::platform_named(vendor), ordinal, given,
                                         {stream_of(stream), options.interrupt, wait});
          failure = std::move(outcome.failure);
          return std::move(outcome.result);
        } catch (const Cancelled&) {
          return sim::RunResult{};
        }
      });
  if (failure) raise(*failure);
  return result;
}

/// Device memory owned by a Python object.
struct DeviceArrayMemory {
  DeviceArrayMemory(const std::string& vendor, int ordinal, int64_t size)
      : device(device_of(vendor, ordinal)), bytes(size) {
    device.enter();
    held.emplace(device, size);
  }
  rt::Device& device;
  int64_t bytes;
  std::optional<rt::DeviceMemory> held;
  rt::Address address() const {
    held->check();
    return held->address();
  }
};

/// Runs driver work that Python's signals can interrupt.
template <class F> void served(F&& work) {
  raising([&] {
    auto run = [&](const std::atomic<bool>& stop) {
      const InterruptScope interrupt(&stop);
      try {
        work(stop);
      } catch (const Cancelled&) {
      }
    };
    if (!serve(run)) throw PythonError();
  });
}

void fill(DeviceArrayMemory& memory, int value, uintptr_t stream) {
  raising([&] {
    const rt::Address at = memory.address();
    memory.device.enter();
    memory.device.fill(at, static_cast<unsigned char>(value), memory.bytes, stream_of(stream));
  });
}

/// Copies between the memory and `address` in host memory, synchronously.
void copy(DeviceArrayMemory& memory, uintptr_t address, int64_t bytes, bool in) {
  served([&](const std::atomic<bool>& stop) {
    void* host = reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
    const rt::Address at = memory.address();
    memory.device.enter();
    // First waits for earlier work: a blocking copy cannot be interrupted.
    if (!memory.device.wait(nullptr, &stop)) return;
    if (in)
      memory.device.copy_in(at, host, bytes, nullptr);
    else
      memory.device.copy_out(host, at, bytes, nullptr);
    memory.device.wait(nullptr, &stop);
  });
}

void synchronize(const std::string& vendor, int ordinal, uintptr_t stream) {
  served([&](const std::atomic<bool>& stop) {
    rt::Device& found = device_of(vendor, ordinal);
    found.enter();
    found.wait(stream_of(stream), &stop);
  });
}

std::shared_ptr<rt::Timer> make_timer(const std::string& vendor, int ordinal, uintptr_t stream) {
  return raising([&] {
    rt::Device& found = device_of(vendor, ordinal);
    found.enter();
    return std::make_shared<rt::Timer>(found, stream_of(stream));
  });
}

/// The expected values of an argument: (address, relative, absolute).
using Expected = std::tuple<uintptr_t, double, double>;

/// (error or "", diagnostics). `expected`: for each argument None, or its values as in
/// ExportedArgument; None for all: the simulator's results.
Object export_program(const FuncObject& flat, const std::string& name,
                      const std::vector<sim::Argument>& given,
                      const std::optional<std::vector<std::optional<Expected>>>& expected,
                      const std::string& directory) {
  std::vector<rt::ExportedArgument> arguments;
  rt::SampleCall simulated;
  Diagnostics sink;
  std::string wrong;
  if (!expected) {
    wrong = simulated.make(*flat.func, given);
    arguments = simulated.arguments();
  } else {
    for (size_t i = 0; i < given.size(); ++i) {
      rt::ExportedArgument& made = arguments.emplace_back(rt::ExportedArgument{given[i]});
      if (!expected->at(i)) continue;
      const auto [address, relative, absolute] = *expected->at(i);
      made.expected = reinterpret_cast<const void*>(address);  // NOLINT(*-no-int-to-ptr)
      made.relative = relative, made.absolute = absolute;
    }
  }
  if (wrong.empty()) wrong = rt::export_program(*flat.func, name, arguments, directory, sink);
  return tuple_of(wrong, diagnostics_list(sink));
}

/// (error or "", diagnostics)
Object export_library(const FuncObject& flat, const std::string& path, const std::string& arch) {
  Diagnostics sink;
  std::string wrong = raising([&] { return rt::export_library(*flat.func, path, arch, sink); });
  return tuple_of(wrong, diagnostics_list(sink));
}

/// (bytes, diagnostics)
Object machine_code(const FuncObject& flat) {
  Diagnostics sink;
  const std::string image = raising([&] { return rt::machine_code(*flat.func, sink); });
  return tuple_of(bytes_object(image.data(), image.size()), diagnostics_list(sink));
}

std::shared_ptr<DeviceArrayMemory> make_memory(const std::string& vendor, int ordinal,
                                               int64_t bytes) {
  return raising([&] { return std::make_shared<DeviceArrayMemory>(vendor, ordinal, bytes); });
}

rt::Address address_of(const DeviceArrayMemory& self) {
  return raising([&] { return self.address(); });
}

void copy_in(DeviceArrayMemory& self, uintptr_t at, int64_t bytes) { copy(self, at, bytes, true); }
void copy_out(DeviceArrayMemory& self, uintptr_t at, int64_t bytes) {
  copy(self, at, bytes, false);
}

void start_timer(rt::Timer& self) {
  raising([&] { self.start(); });
}
void stop_timer(rt::Timer& self) {
  raising([&] { self.stop(); });
}
double timer_milliseconds(rt::Timer& self) {
  return raising([&] { return self.milliseconds(); });
}

void bind_gpu_classes(const Object& module) {
  add_class<rt::DeviceFunction>(
      module, "Function",
      {method<run_on_gpu>("run", "arguments, vendor, number, stream, wait?, progress?")});
  add_class<DeviceArrayMemory>(
      module, "Memory",
      {property<address_of>("address"),
       property<[](const DeviceArrayMemory& self) { return self.held->lost(); }>("lost"),
       property<[](const DeviceArrayMemory& self) { return self.bytes; }>("bytes"),
       method<fill>("fill", "value, stream?"), method<copy_in>("copy_in", "address, bytes"),
       method<copy_out>("copy_out", "address, bytes")});
  add_class<rt::Timer>(module, "Timer",
                       {method<start_timer>("start"), method<stop_timer>("stop"),
                        method<timer_milliseconds>("milliseconds")});
}

}  // namespace

void set_error(const rt::Failure& failure) {
  try {
    const Object fail =
        checked(PyObject_GetAttrString(raw(module_named("tilelab._gpu.failures")), "fail"));
    const Object arguments =
        tuple_of(info(failure.id).name, failure.arguments, failure.notes, failure.helps);
    const Object returned = Object::steal(PyObject_CallObject(raw(fail), raw(arguments)));
    CHECK(!returned, "fail() raises");
  } catch (const PythonError&) {
  }
}

void bind_gpu(const Object& core) {
  const Object module = add_submodule(core, "gpu");
  bind_gpu_classes(module);
  add_functions(
      module,
      {function<count>("count", "vendor"), function<device>("device", "vendor, number"),
       function<make_memory>("memory", "vendor, number, bytes"),
       function<start_compiler>("start_compiler", "vendor, number"),
       function<rt::finish_compiler_start>("finish_compiler_start"),
       function<can_run>("can_run", "target, vendor, number"),
       function<processors>("processors", "func, vendor, number"),
       function<make_function>("make", "flat, changed"),
       function<quick_call>("quick_call", "func, compiled, as_list"),
       function<synchronize>("synchronize", "vendor, number, stream?"),
       function<make_timer>("timer", "vendor, number, stream"),
       function<export_program>("export_program", "flat, name, arguments, expected, directory"),
       function<export_library>("export_library", "flat, path, arch"),
       function<machine_code>("machine_code", "flat"),
       function<rt::add_nvrtc_paths>("add_nvrtc_paths", "files")});
}

}  // namespace tilelab::python
