// SPDX-License-Identifier: Apache-2.0
// The kernels whose snapshots get the bugs of passes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/ir/func.h"

namespace tilelab::test {

struct BugKernel {
  const char* name;
  const char* target;
  const char* source;  // TileLang, or IR text of tile level
  std::map<std::string, int64_t> sizes;
  std::vector<std::string> outputs;
};

const std::vector<BugKernel>& bug_kernels();
/// The kernel for its target; null (and a message) if the source is wrong.
FuncRef elaborated(const BugKernel& kernel);

}  // namespace tilelab::test
