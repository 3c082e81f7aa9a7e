// SPDX-License-Identifier: Apache-2.0
// The kernelspec: how notebooks find the kernel.
#pragma once

#include <string>
#include <vector>

namespace tilelab {

/// The Python that a kernel would run in, with $VIRTUAL_ENV as it is.
struct KernelPython {
  std::string text;     // "Python 3.11.2, /home/ada/venv"
  std::string problem;  // why the environment is not used; "" = it is, or there is none
};

/// `tilelab install-kernel [--user|--sys-prefix|--prefix P] [--name N] [--remove]`: puts the
/// kernelspec of the running program in place, or takes it away. The kernel keeps the virtual
/// environment that is active now, or into which it is installed. `arguments` are those behind the
/// subcommand. Says on standard output what it did, on standard error what is wrong; returns the
/// exit status (0 done, 1 failed, 2 wrong usage).
int install_kernel(const std::vector<std::string>& arguments, KernelPython (*describe)());

/// A kernelspec of tilelab that Jupyter finds.
struct InstalledKernel {
  std::string name, directory, program, environment;  // environment: "" = none is kept
};
std::vector<InstalledKernel> installed_kernels();

namespace jupyter {

/// The text of kernel.json for a program at an absolute path; `environment` is a virtual one or "".
std::string kernel_json(const std::string& program, const std::string& name,
                        const std::string& environment);

/// Letters, digits, '-', '.', '_': what a kernel's name may consist of.
bool is_kernel_name(const std::string& name);

}  // namespace jupyter

}  // namespace tilelab
