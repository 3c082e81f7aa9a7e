// SPDX-License-Identifier: Apache-2.0
// `tilelab kernel` and `tilelab install-kernel`.
#include "cli/notebook.h"

#include <cstdio>

#include "jupyter/kernel.h"
#include "python/form.h"

namespace tilelab {
namespace {

int serve(const std::vector<std::string>& arguments) {
  // More arguments may follow: `jupyter run` passes the files that it runs.
  if (arguments.size() < 2 || arguments[0] != "-f") {
    std::fputs("usage: tilelab kernel -f CONNECTION_FILE\n", stderr);
    return 2;
  }
  return run_kernel(arguments[1]);
}

int place(const std::vector<std::string>& arguments) {
  const KernelProgram program{python::form::command(), python::form::data_directory() + "/logos"};
  return install_kernel(arguments, program, [] {
    std::string error = python::start({});
    if (!error.empty()) return KernelPython{"no Python", error};
    python::CallResult prefix = python::call("sysconfig", "get_config_var", {"prefix"});
    return KernelPython{"Python " + python::version() + ", " + prefix.value.text(),
                        python::start_note()};
  });
}

}  // namespace

const SubcommandHandler serve_kernel = serve, place_kernel = place;
std::vector<InstalledKernel> registered_kernels() {
  if (!python::start({}).empty()) return installed_kernels("");
  python::Gil gil;
  const python::CallResult prefix = python::call("sysconfig", "get_path", {"data"});
  return installed_kernels(prefix.ok ? prefix.value.text() : "");
}

}  // namespace tilelab
