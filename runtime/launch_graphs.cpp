// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch_graphs.h"

namespace tilelab::runtime {

LaunchGraphs::OneNode::~OneNode() {
  if (made) driver.destroy(made);
  if (graph) driver.forget(graph);
}

bool LaunchGraphs::OneNode::make(const KernelNode& kernel) {
  return driver.create(&graph, 0) == 0 &&
         driver.add_kernel(&node, graph, nullptr, 0, &kernel) == 0 &&
         driver.instantiate(&made, graph, 0) == 0;
}

LaunchGraphs::OneNode* LaunchGraphs::find(Stream stream) const {
  for (const auto& one : graphs_)
    if (one->stream == stream) return one.get();
  return nullptr;
}

bool LaunchGraphs::launch(const Device& device, Function function, const PlannedLaunch& l,
                          void** params, Stream stream) {
  const GraphCalls& driver = device.driver().graphs;
  if (!driver || device.captures(stream)) return false;
  const KernelNode kernel{
      function, {l.grid[0], l.grid[1], l.grid[2]}, {l.block, 1, 1}, l.shared, params};
  OneNode* one = find(stream);
  if (one) {
    if (driver.set_kernel(one->made, one->node, &kernel) != 0) return false;
  } else {
    if (graphs_.size() == kStreams) return false;
    auto fresh = std::make_unique<OneNode>(driver, stream);
    if (!fresh->make(kernel)) return false;
    one = graphs_.emplace_back(std::move(fresh)).get();
  }
  return driver.launch(one->made, stream) == 0;
}

}  // namespace tilelab::runtime
