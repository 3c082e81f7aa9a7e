// SPDX-License-Identifier: Apache-2.0
// The kernelspec: how notebooks find the kernel.
#pragma once

#include <string>
#include <vector>

namespace tilelab {

/// `tilelab install-kernel [--user|--sys-prefix|--prefix P] [--name N] [--remove]`: puts the
/// kernelspec of the running program in place, or takes it away. `arguments` are those behind the
/// subcommand. Says on standard output what it did, on standard error what is wrong; returns the
/// exit status (0 done, 1 failed, 2 wrong usage).
int install_kernel(const std::vector<std::string>& arguments);

namespace jupyter {

/// The text of kernel.json for a program at an absolute path.
std::string kernel_json(const std::string& program, const std::string& name);

/// Letters, digits, '-', '.', '_': what a kernel's name may consist of.
bool is_kernel_name(const std::string& name);

}  // namespace jupyter

}  // namespace tilelab
