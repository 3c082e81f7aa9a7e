// SPDX-License-Identifier: Apache-2.0
#include "runtime/platform.h"

#include "core/support/check.h"

namespace tilelab::runtime {

const Platform& platform_named(std::string_view name) {
  for (const Platform* platform : {&cuda(), &musa()})
    if (name == platform->source().device) return *platform;
  UNREACHABLE("no GPUs are called " + std::string(name));
}

const Platform& platform_of(const Target& target) {
  CHECK(target.family != Family::cpu, "a target of GPUs");
  return target.family == Family::musa ? musa() : cuda();
}

}  // namespace tilelab::runtime
