// SPDX-License-Identifier: Apache-2.0
// The differences between GPU vendors: the driver library, the target record of a GPU, the
// compiler, the format of tensor maps.
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

/// The description of a tensor map: innermost dimension first; strides in bytes, without the
/// innermost.
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
  /// The driver; null with the error.
  virtual std::unique_ptr<Driver> open(std::string* problem) const;
  /// The record of a GPU of that capability (90 is 9.0); null if tilelab does not support it.
  virtual const Target* target_of(int capability) const = 0;
  /// Whether code for the record runs on such a GPU.
  virtual bool runs(const Target& target, int capability) const = 0;
  /// Identifies the compiler and its options, for the cache key. Throws Failure.
  virtual std::string compiler(const std::string& kernel, const Target& target,
                               int capability) const = 0;
  /// Loads the compiler and compiles an empty kernel, which performs its one-time initialization.
  virtual void warm_compiler(const Target&, int) const {}
  /// Compiles to an image for the driver. Throws Failure.
  virtual std::string compile(const std::string& kernel, const std::string& text,
                              const Target& target, int capability) const = 0;
  /// "" or the error.
  virtual std::string describe(const Driver& driver, const MapRequest& request,
                               MapParameter* map) const = 0;
};

/// NVIDIA: the CUDA driver API and NVRTC.
const Platform& cuda();
/// The same, with the driver in a separate process (runtime/worker).
const Platform& cuda_worker();
/// Moore Threads: the MUSA driver API, and mcc or MTRTC.
const Platform& musa();
/// "cuda", "cuda:worker" or "musa".
const Platform& platform_named(std::string_view name);
/// The platform that runs a GPU target's code.
const Platform& platform_of(const Target& target);

}  // namespace tilelab::runtime
