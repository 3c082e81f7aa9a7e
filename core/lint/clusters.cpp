// SPDX-License-Identifier: Apache-2.0
#include "core/lint/lints.h"

#include "core/diagnostics/usage.h"
#include "core/ir/traverse.h"

namespace tilelab {

void verify_clusters(const Kernel& kernel, const Target& target, Diagnostics& diagnostics) {
  if (target.has(Feature::clusters) || !find_attr(kernel.attrs, "cluster")) return;
  const bool used = any_of(
      *kernel.body, [](const ClusterCopy&) { return true; },
      [](const Call& call) { return info(call.intrinsic).needs == Feature::clusters; });
  if (used) return;
  diagnostics.report(usage::option_ignored, kernel.span, "`cluster_dims` of T.Kernel")
      .note(std::string(target.name) + ": " + reason_without(Feature::clusters))
      .help("remove it, or compile for a target with clusters: target=\"sm_90a\"");
}

}  // namespace tilelab
