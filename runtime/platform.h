// SPDX-License-Identifier: Apache-2.0
// What differs between the vendors of GPUs: where the driver lies, which record of the targets a
// chip has, who compiles, what a tensor map looks like.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/dtype.h"
#include "core/layout/digits.h"
#include "core/targets/target.h"
#include "runtime/driver.h"

namespace tilelab::runtime {

/// A tensor map as a kernel's parameter.
struct alignas(64) MapParameter {
  uint64_t words[16];
};

/// What a tensor map describes: innermost dimension first; strides in bytes, without the innermost.
struct MapRequest {
  DType dtype{};
  Address base = 0;
  std::vector<int64_t> dims, strides, box;
  Swizzle swizzle;
};

class Platform {
 public:
  virtual ~Platform() = default;
  virtual const DriverSource& source() const = 0;
  /// The driver; null with what is wrong.
  virtual std::unique_ptr<Driver> open(std::string* problem) const;
  /// The record of a chip of that capability (90 is 9.0); null where tilelab writes nothing for it.
  virtual const Target* target_of(int capability) const = 0;
  /// Whether code for the record runs on such a chip.
  virtual bool runs(const Target& target, int capability) const = 0;
  /// Who compiles and how, for the key of what is kept. Throws Failure.
  virtual std::string compiler(const std::string& kernel, const Target& target,
                               int capability) const = 0;
  /// Loads the compiler and has it compile an empty kernel: what it does once a process is done
  /// then.
  virtual void warm_compiler(const Target&, int) const {}
  /// What the driver loads. Throws Failure.
  virtual std::string compile(const std::string& kernel, const std::string& text,
                              const Target& target, int capability) const = 0;
  /// "" or what is wrong.
  virtual std::string describe(const Driver& driver, const MapRequest& request,
                               MapParameter* map) const = 0;
};

/// NVIDIA: the CUDA driver API and NVRTC.
const Platform& cuda();
/// The same, with the driver in a process of its own (runtime/worker).
const Platform& cuda_worker();
/// Moore Threads: the MUSA driver API, and mcc or MTRTC.
const Platform& musa();
/// "cuda", "cuda:worker" or "musa".
const Platform& platform_named(std::string_view name);
/// The platform that runs a target's code; `target` is one of a GPU.
const Platform& platform_of(const Target& target);

}  // namespace tilelab::runtime
