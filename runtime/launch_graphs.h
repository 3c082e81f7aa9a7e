// SPDX-License-Identifier: Apache-2.0
// Launches of a kernel as graphs of one node, which take a driver less than half the time of
// LaunchKernel, on the host and between kernels on the GPU (ADR 16).
#pragma once

#include <memory>
#include <vector>

#include "runtime/device.h"

namespace tilelab::runtime {

/// One graph per stream: a graph that runs in one stream would serialize with itself in another.
class LaunchGraphs {
 public:
  /// Copies the parameters before it returns. False if nothing was launched, and the regular launch
  /// must be used or report the error: the driver has no graphs, the stream is being captured, or
  /// has no graph here.
  bool launch(const Device& device, Function function, const PlannedLaunch& launch, void** params,
              Stream stream);

 private:
  struct OneNode {
    OneNode(const GraphCalls& driver, Stream stream) : driver(driver), stream(stream) {}
    OneNode(const OneNode&) = delete;
    ~OneNode();  // the driver finishes running work first
    bool make(const KernelNode& kernel);

    const GraphCalls driver;
    const Stream stream;
    Graph graph = nullptr;
    GraphNode node = nullptr;
    GraphExec made = nullptr;
  };
  OneNode* find(Stream stream) const;

  static constexpr size_t kStreams = 4;
  std::vector<std::unique_ptr<OneNode>> graphs_;
};

}  // namespace tilelab::runtime
