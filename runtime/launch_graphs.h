// SPDX-License-Identifier: Apache-2.0
// A kernel's launches as graphs of one node, which cost a driver less than half of LaunchKernel's
// time, on the host and between kernels on the GPU (ADR 16).
#pragma once

#include <memory>
#include <vector>

#include "runtime/device.h"

namespace tilelab::runtime {

/// One graph for each stream: a graph that runs in one stream waits for itself in another.
class LaunchGraphs {
 public:
  /// Parameters are taken before it returns. False where nothing was launched, and the driver's own
  /// launch has to do it or say why not: the driver has no graphs, the stream is being captured
  /// into one, or has none of its own here.
  bool launch(const Device& device, Function function, const PlannedLaunch& launch, void** params,
              Stream stream);

 private:
  struct OneNode {
    OneNode(const GraphCalls& driver, Stream stream) : driver(driver), stream(stream) {}
    OneNode(const OneNode&) = delete;
    ~OneNode();  // what still runs is finished first, by the driver
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
