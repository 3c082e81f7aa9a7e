// SPDX-License-Identifier: Apache-2.0
// The kernelspec, by which notebooks find the kernel.
#pragma once

#include <string>
#include <vector>

namespace tilelab {

/// The Python that a kernel would use, given the current $VIRTUAL_ENV.
struct KernelPython {
  std::string text;     // "Python 3.11.2, /home/ada/venv"
  std::string problem;  // why the environment is not used; "" = it is used, or none is active
};

/// The running program: the words that run it, before its arguments, and the folder of the logos.
struct KernelProgram {
  std::vector<std::string> command;
  std::string logos;
};

/// `tilelab install-kernel [--user|--sys-prefix|--prefix P] [--name N] [--remove]`: installs the
/// kernelspec of the running program, or removes it. The kernel uses the virtual environment that
/// is active now, or into which it is installed. `arguments` follow the subcommand. Reports on
/// standard output, errors on standard error; returns the exit status (0 done, 1 failed, 2 wrong
/// usage).
int install_kernel(const std::vector<std::string>& arguments, const KernelProgram& program,
                   KernelPython (*describe)());

/// A kernelspec of tilelab that Jupyter finds.
struct InstalledKernel {
  std::string name, directory, program, environment;  // environment: "" = none
};
/// Of the user, of the running Python's environment (`prefix`, or ""), of the active one, and of
/// the system.
std::vector<InstalledKernel> installed_kernels(const std::string& prefix);

namespace jupyter {

/// The text of kernel.json for the words that run a program; `environment` is a virtual one or "".
std::string kernel_json(std::vector<std::string> command, const std::string& name,
                        const std::string& environment);

/// Valid kernel names: letters, digits, '-', '.', '_'.
bool is_kernel_name(const std::string& name);

}  // namespace jupyter

}  // namespace tilelab
