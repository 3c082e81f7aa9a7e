// SPDX-License-Identifier: Apache-2.0
// `tilelab doctor`: Python, devices, toolchains, optional parts, and how to install missing ones.
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>

#include "cli/notebook.h"
#include "cli/subcommand.h"
#include "core/support/escape.h"
#include "core/support/text.h"
#include "python/interpreter.h"
#include "runtime/rtc.h"
#include "session/devices.h"
#include "views/json.h"

namespace tilelab {
namespace {

struct Finding {
  std::string group, name;
  bool present = false;
  std::string detail, remedy;  // remedy: a command that installs it, "" = none
};

/// The path of a program in the shell's search order, or "".
std::string find_program(const std::string& name) {
  const char* path = getenv("PATH");
  for (const std::string& directory : split(path ? path : "", ':')) {
    std::string candidate = directory + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return "";
}

struct Tool {
  const char *program, *elsewhere, *purpose, *remedy;
};
constexpr Tool tools[] = {
    {"g++", "", "checks and runs generated C on this machine", "apt-get install g++"},
    {"clang", "", "checks MUSA C against a stub header", "apt-get install clang"},
    {"mcc", "/usr/local/musa/bin/mcc", "compiles MUSA C",
     "install the MUSA SDK of Moore Threads in /usr/local/musa"},
    {"nvcc", "/usr/local/cuda/bin/nvcc", "compiles CUDA C",
     "install the CUDA toolkit, or apt-get install nvidia-cuda-toolkit (non-free)"}};

void find_tools(std::vector<Finding>& findings) {
  for (const Tool& tool : tools) {
    std::string path = find_program(tool.program);
    if (path.empty() && *tool.elsewhere && access(tool.elsewhere, X_OK) == 0) path = tool.elsewhere;
    findings.push_back({"toolchains", tool.program, !path.empty(),
                        path.empty() ? tool.purpose : path, path.empty() ? tool.remedy : ""});
  }
  struct Library {
    const runtime::RtcSource& source;
    const char *purpose, *remedy;
  };
  for (const Library& library :
       {Library{runtime::kNvrtc, "compiles kernels for NVIDIA GPUs",
                "pip install nvidia-cuda-nvrtc-cu12, or the CUDA toolkit"},
        Library{runtime::kMtrtc, "compiles kernels for Moore Threads GPUs without mcc",
                "install the MUSA SDK of Moore Threads"}}) {
    std::string problem;
    const auto* found = runtime::RuntimeCompiler::get(library.source, &problem);
    findings.push_back({"toolchains", library.source.name, found != nullptr,
                        found ? "version " + found->version() : library.purpose,
                        found ? "" : library.remedy});
  }
}

void find_parts(std::vector<Finding>& findings) {
#ifdef TILELAB_HAS_READLINE
  findings.push_back({"parts", "line editing", true, "GNU readline", ""});
#else
  findings.push_back({"parts", "line editing", false, "built without readline",
                      "apt-get install libreadline-dev, then build again"});
#endif
  bool kernel = find_subcommand("kernel")->handler != nullptr;
  findings.push_back({"parts", "Jupyter kernel", kernel, kernel ? "xeus" : "not in this build",
                      kernel ? "" : "./bootstrap installs its dependencies and builds it"});
}

void find_kernelspecs(std::vector<Finding>& findings) {
  for (const InstalledKernel& kernel : registered_kernels()) {
    // A kernelspec of a wheel names `python`: that of the Jupyter that starts it.
    bool is_there = kernel.program == "python" || access(kernel.program.c_str(), X_OK) == 0;
    std::string environment = kernel.environment.empty()
                                  ? "the virtual environment that is active when Jupyter starts"
                                  : kernel.environment;
    std::string detail = is_there ? "Python of " + environment : kernel.program + " does not exist";
    findings.push_back({"notebook kernels", kernel.name, is_there,
                        detail + " (" + kernel.directory + ")",
                        is_there ? "" : "tilelab install-kernel"});
  }
}

/// Modules are located, not imported: importing torch takes two seconds.
void find_python(std::vector<Finding>& findings) {
  std::string error = python::start({});
  if (!error.empty()) {
    findings.push_back({"Python", "python", false, error, "apt-get install python3"});
    return;
  }
  findings.push_back({"Python", "python", true, python::version(), ""});
  if (!python::start_note().empty())
    findings.push_back({"Python", "environment", false, python::start_note(), ""});
  struct Module {
    const char *name, *purpose, *remedy;
  };
  for (const Module& module :
       {Module{"numpy", "arrays", "apt-get install python3-numpy"},
        Module{"torch", "tensors, for scripts that use them", "pip install torch"},
        Module{"matplotlib", "plots", "apt-get install python3-matplotlib"}}) {
    python::Gil gil;
    python::CallResult spec = python::call("importlib.util", "find_spec", {module.name});
    bool present = spec.ok && !spec.value.is_none();
    findings.push_back(
        {"Python", module.name, present, module.purpose, present ? "" : module.remedy});
  }
}

std::vector<Finding> find_all() {
  std::vector<Finding> findings;
  find_python(findings);
  for (const DeviceInfo& device : find_devices())
    findings.push_back({"devices", device.name, device.present, device.detail, ""});
  find_tools(findings);
  find_parts(findings);
  find_kernelspecs(findings);
  return findings;
}

void print_text(const std::vector<Finding>& findings) {
  std::string group;
  for (const Finding& finding : findings) {
    if (finding.group != group) std::printf("%s\n", finding.group.c_str());
    group = finding.group;
    std::printf("  %s %-15s %s\n", finding.present ? "+" : "-", finding.name.c_str(),
                terminal_text(finding.detail).c_str());
    if (!finding.remedy.empty())
      std::printf("    %-15s to add it: %s\n", "", terminal_text(finding.remedy).c_str());
  }
}

void print_json(const std::vector<Finding>& findings) {
  std::vector<JsonRow> rows;
  for (const Finding& finding : findings)
    rows.push_back({{"group", finding.group},
                    {"name", finding.name},
                    {"present", finding.present},
                    {"detail", finding.detail},
                    {"remedy", finding.remedy}});
  std::printf("%s\n", json_of(rows).c_str());
}

}  // namespace

int doctor(const std::vector<std::string>& arguments) {
  bool json = arguments.size() == 1 && arguments[0] == "--json";
  if (!arguments.empty() && !json) {
    std::fputs("usage: tilelab doctor [--json]\n", stderr);
    return 2;
  }
  json ? print_json(find_all()) : print_text(find_all());
  return 0;
}

}  // namespace tilelab
