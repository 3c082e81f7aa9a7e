// SPDX-License-Identifier: Apache-2.0
#include "runtime/platform.h"

#include "core/support/check.h"

namespace tilelab::runtime {

std::unique_ptr<Driver> Platform::open(std::string* problem) const {
  auto driver = Driver::open(source(), problem);
  if (!driver) *problem = "no driver (" + *problem + ")";
  return driver;
}

const Platform& platform_named(std::string_view name) {
  for (const Platform* platform : {&cuda(), &cuda_worker(), &musa()})
    if (name == platform->source().device) return *platform;
  UNREACHABLE("unknown GPU " + std::string(name));
}

const Platform& platform_of(const Target& target) {
  CHECK(target.family != Family::cpu, "a target of GPUs");
  return target.family == Family::musa ? musa() : cuda();
}

}  // namespace tilelab::runtime
