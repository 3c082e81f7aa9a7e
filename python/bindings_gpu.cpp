// SPDX-License-Identifier: Apache-2.0
// tilelab._core.gpu: devices, compiled functions, memory and timers of GPUs.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "core/passes/shared/hardware_units.h"
#include "core/support/check.h"
#include "core/support/interrupt.h"
#include "python/compilation.h"
#include "python/gpu_call.h"
#include "python/runs.h"
#include "python/served_work.h"
#include "runtime/compiler_start.h"
#include "runtime/export_library.h"
#include "runtime/function.h"
#include "runtime/musa/sample_call.h"
#include "runtime/rtc.h"

namespace py = pybind11;

namespace tilelab::python {
namespace {

namespace rt = tilelab::runtime;

/// A stream's address, from torch.
rt::Stream stream_of(uintptr_t address) {
  return reinterpret_cast<rt::Stream>(address);  // NOLINT(performance-no-int-to-ptr)
}

/// Raises the message, located at the user's call.
[[noreturn]] void raise(const rt::Failure& failure) {
  py::module_::import("tilelab._gpu.failures")
      .attr("fail")(std::string(info(failure.id).name), failure.arguments, failure.notes,
                    failure.helps);
  UNREACHABLE("fail() raises");
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

py::tuple count(const std::string& vendor) {
  std::string problem;
  const int devices = rt::Device::count(rt::platform_named(vendor), &problem);
  return py::make_tuple(devices, problem);
}

/// (name, capability, target or None)
py::tuple device(const std::string& vendor, int ordinal) {
  return raising([&] {
    const rt::Device& found = device_of(vendor, ordinal);
    const Target* target = found.target();
    return py::make_tuple(found.name(), found.capability(),
                          target ? py::object(py::str(std::string(target->name))) : py::none());
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
py::tuple make_function(const FuncObject& flat, const py::object& changed) {
  Diagnostics sink;
  auto made = rt::DeviceFunction::make(
      flat.func, sink, [&](const std::string& text) { return changed(text).cast<std::string>(); });
  return py::make_tuple(made, diagnostics_list(sink));
}

/// See gpu_call.h.
py::object quick_call(const FuncObject& func, std::shared_ptr<rt::DeviceFunction> compiled,
                      bool as_list) {
  auto made = py::reinterpret_steal<py::object>(gpu_call(*func.func, std::move(compiled), as_list));
  if (!made) throw py::error_already_set();
  return made;
}

/// `described`: as for Func.run, and for tensors, after `fresh`, whether they are in host memory.
py::dict run(rt::DeviceFunction& self, const py::list& described, const std::string& vendor,
             int ordinal, uintptr_t stream, bool wait, const py::object& progress) {
  std::vector<bool> on_host;
  for (auto item : described) {
    auto one = item.cast<py::tuple>();
    on_host.push_back(one.size() > 6 && one[6].cast<bool>());
  }
  std::optional<rt::Failure> failure;
  py::dict result = served_run(
      described, {}, progress, [&](std::span<const sim::Argument> arguments, const auto& options) {
        std::vector<rt::Given> given;
        for (size_t i = 0; i < arguments.size(); ++i) given.push_back({arguments[i], on_host[i]});
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
    if (!serve(run)) throw py::error_already_set();
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

std::unique_ptr<rt::Timer> make_timer(const std::string& vendor, int ordinal, uintptr_t stream) {
  return raising([&] {
    rt::Device& found = device_of(vendor, ordinal);
    found.enter();
    return std::make_unique<rt::Timer>(found, stream_of(stream));
  });
}

/// (error or "", diagnostics). `expected`: for each argument None, or (address, relative, absolute)
/// as in ExportedArgument; None for all: the simulator's results.
py::tuple export_program(const FuncObject& flat, const std::string& name, const py::list& described,
                         const py::object& expected, const std::string& directory) {
  std::vector<sim::Argument> given;
  for (auto item : described) given.push_back(argument_of(item.cast<py::tuple>()));
  std::vector<rt::ExportedArgument> arguments;
  rt::SampleCall simulated;
  Diagnostics sink;
  std::string wrong;
  if (expected.is_none()) {
    wrong = simulated.make(*flat.func, given);
    arguments = simulated.arguments();
  } else {
    for (size_t i = 0; i < given.size(); ++i) {
      rt::ExportedArgument& made = arguments.emplace_back(rt::ExportedArgument{given[i]});
      const py::object one = expected.cast<py::list>()[i];
      if (one.is_none()) continue;
      const auto [address, relative, absolute] = one.cast<std::tuple<uintptr_t, double, double>>();
      made.expected = reinterpret_cast<const void*>(address);  // NOLINT(*-no-int-to-ptr)
      made.relative = relative, made.absolute = absolute;
    }
  }
  if (wrong.empty()) wrong = rt::export_program(*flat.func, name, arguments, directory, sink);
  return py::make_tuple(wrong, diagnostics_list(sink));
}

}  // namespace

void set_error(const rt::Failure& failure) {
  try {
    raise(failure);
  } catch (py::error_already_set& error) {
    error.restore();
  }
}

void bind_gpu(py::module_& core) {
  py::module_ m = core.def_submodule("gpu", "GPUs through the drivers of their vendors");
  py::class_<rt::DeviceFunction, std::shared_ptr<rt::DeviceFunction>>(m, "Function")
      .def("run", &run, py::arg("arguments"), py::arg("vendor"), py::arg("number"),
           py::arg("stream"), py::arg("wait") = false, py::arg("progress") = py::none());
  py::class_<DeviceArrayMemory>(m, "Memory")
      .def(py::init([](const std::string& vendor, int ordinal, int64_t bytes) {
             return raising(
                 [&] { return std::make_unique<DeviceArrayMemory>(vendor, ordinal, bytes); });
           }),
           py::arg("vendor"), py::arg("number"), py::arg("bytes"))
      .def_property_readonly(
          "address",
          [](const DeviceArrayMemory& self) { return raising([&] { return self.address(); }); })
      .def_property_readonly("lost",
                             [](const DeviceArrayMemory& self) { return self.held->lost(); })
      .def_readonly("bytes", &DeviceArrayMemory::bytes)
      .def("fill", &fill, py::arg("value"), py::arg("stream") = 0)
      .def(
          "copy_in",
          [](DeviceArrayMemory& self, uintptr_t at, int64_t bytes) { copy(self, at, bytes, true); },
          py::arg("address"), py::arg("bytes"))
      .def(
          "copy_out",
          [](DeviceArrayMemory& self, uintptr_t at, int64_t bytes) {
            copy(self, at, bytes, false);
          },
          py::arg("address"), py::arg("bytes"));
  py::class_<rt::Timer>(m, "Timer")
      .def("start", [](rt::Timer& self) { raising([&] { self.start(); }); })
      .def("stop", [](rt::Timer& self) { raising([&] { self.stop(); }); })
      .def("milliseconds",
           [](rt::Timer& self) { return raising([&] { return self.milliseconds(); }); });
  m.def("count", &count, py::arg("vendor"));
  m.def("device", &device, py::arg("vendor"), py::arg("number"));
  m.def("start_compiler", &start_compiler, py::arg("vendor"), py::arg("number"));
  m.def("finish_compiler_start", &rt::finish_compiler_start);
  m.def("can_run", &can_run, py::arg("target"), py::arg("vendor"), py::arg("number"));
  m.def("processors", &processors, py::arg("func"), py::arg("vendor"), py::arg("number"));
  m.def("make", &make_function, py::arg("flat"), py::arg("changed"));
  m.def("quick_call", &quick_call, py::arg("func"), py::arg("compiled"), py::arg("as_list"));
  m.def("synchronize", &synchronize, py::arg("vendor"), py::arg("number"), py::arg("stream") = 0);
  m.def("timer", &make_timer, py::arg("vendor"), py::arg("number"), py::arg("stream"));
  m.def("export_program", &export_program, py::arg("flat"), py::arg("name"), py::arg("arguments"),
        py::arg("expected"), py::arg("directory"));
  m.def("export_library", [](const FuncObject& flat, const std::string& path,
                             const std::string& arch) {
    Diagnostics sink;
    std::string wrong = raising([&] { return rt::export_library(*flat.func, path, arch, sink); });
    return py::make_tuple(wrong, diagnostics_list(sink));
  });
  m.def("add_nvrtc_paths", &rt::add_nvrtc_paths);
}

}  // namespace tilelab::python
