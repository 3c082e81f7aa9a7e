// SPDX-License-Identifier: Apache-2.0
// Graphs of one kernel for the fake driver: parameters are copied when a node gets them, and a
// launch of the graph is one of its kernel.
#include <cstring>
#include <memory>
#include <set>
#include <type_traits>

#include "runtime/driver.h"
#include "tests/runtime/fake_gpu.h"

using namespace tilelab::runtime;
using namespace tilelab::test;

#define VISIBLE extern "C" __attribute__((visibility("default")))
#define DECLARE(field, name, ...)       \
  VISIBLE Status cu##name(__VA_ARGS__); \
  static_assert(std::is_same_v<decltype(&cu##name), decltype(GraphCalls::field)>);
#define DEFINE(field, name, ...) DECLARE(field, name, __VA_ARGS__) Status cu##name(__VA_ARGS__)
#define DEFINE_CAPTURE(field, name, ...)                                             \
  VISIBLE Status cu##name(__VA_ARGS__);                                              \
  static_assert(std::is_same_v<decltype(&cu##name), decltype(CaptureCalls::field)>); \
  Status cu##name(__VA_ARGS__)

VISIBLE Status cuLaunchKernel(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                              unsigned block_x, unsigned block_y, unsigned block_z,
                              unsigned shared_bytes, Stream stream, void** params, void** extra);

namespace {

constexpr size_t kMap = 128;  // bytes of a tensor map

/// A node with copies of its parameters.
struct Node {
  KernelNode kernel;
  std::vector<std::vector<char>> values;

  void take(const KernelNode& given) {
    kernel = given;
    values.clear();
    const auto& params = reinterpret_cast<const FakeKernel*>(given.function)->params;
    for (size_t i = 0; i < params.size(); ++i) {
      const auto* from = static_cast<const char*>(given.params[i]);
      const bool is_map = params[i].find("tl_map") != std::string::npos;
      values.emplace_back(from, from + (is_map ? kMap : sizeof(uint64_t)));
    }
  }
};

int capturing = 0;
thread_local int mode = 0;   // of captures
std::set<const Node*> made;  // instantiated ones

Node* node_of(const void* object) { return static_cast<Node*>(const_cast<void*>(object)); }

}  // namespace

DEFINE_CAPTURE(capturing, StreamIsCapturing, Stream, int* status) {
  *status = capturing;
  return 0;
}
DEFINE_CAPTURE(exchange_mode, ThreadExchangeStreamCaptureMode, int* given) {
  std::swap(mode, *given);
  return 0;
}
bool tilelab::test::fake_refuses_uncaptured() { return capturing && mode != kCaptureModeRelaxed; }
DEFINE(create, GraphCreate, Graph* graph, unsigned flags) {
  *graph = reinterpret_cast<Graph>(new Node);
  return fake_enter("GraphCreate") + int(flags);
}
DEFINE(add_kernel, GraphAddKernelNode_v2, GraphNode* node, Graph graph,
       const GraphNode* dependencies, size_t count, const KernelNode* kernel) {
  node_of(graph)->take(*kernel);
  *node = reinterpret_cast<GraphNode>(graph);
  return fake_enter("GraphAddKernelNode") + (dependencies || count);
}
DEFINE(instantiate, GraphInstantiateWithFlags, GraphExec* exec, Graph graph,
       unsigned long long flags) {
  made.insert(node_of(graph));
  *exec = reinterpret_cast<GraphExec>(graph);
  return fake_enter("GraphInstantiate") + int(flags);
}
DEFINE(set_kernel, GraphExecKernelNodeSetParams_v2, GraphExec exec, GraphNode node,
       const KernelNode* kernel) {
  if (!made.count(node_of(exec)) || node_of(exec) != node_of(node)) return 1;
  node_of(exec)->take(*kernel);
  return fake_enter("GraphExecKernelNodeSetParams");
}
DEFINE(launch, GraphLaunch, GraphExec exec, Stream stream) {
  if (!made.count(node_of(exec)) || capturing) return 1;
  if (const Status status = fake_enter("GraphLaunch")) return status;
  Node& node = *node_of(exec);
  std::vector<void*> params;
  for (auto& value : node.values) params.push_back(value.data());
  const KernelNode& k = node.kernel;
  return cuLaunchKernel(k.function, k.grid[0], k.grid[1], k.grid[2], k.block[0], k.block[1],
                        k.block[2], k.shared_bytes, stream, params.data(), k.extra);
}
DEFINE(destroy, GraphExecDestroy, GraphExec exec) { return made.erase(node_of(exec)) ? 0 : 1; }
DEFINE(forget, GraphDestroy, Graph graph) {
  delete node_of(graph);
  return 0;
}

/// Whether streams are being captured into a graph of the caller's.
VISIBLE void fake_capturing(int status) { capturing = status; }
/// The number of graphs.
VISIBLE int fake_graphs() { return int(made.size()); }
