// SPDX-License-Identifier: Apache-2.0
// A GPU vendor's driver API as a table of functions, found at run time: nothing is linked, and a
// machine without a GPU builds and runs everything else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace tilelab::runtime {

using Status = int;  // 0: success
using Address = unsigned long long;
struct ContextObject;
struct ModuleObject;
struct FunctionObject;
struct StreamObject;
struct EventObject;
struct GraphObject;
struct GraphNodeObject;
struct GraphExecObject;
using Context = ContextObject*;
using Module = ModuleObject*;
using Function = FunctionObject*;
using Stream = StreamObject*;  // null: the default stream
using Event = EventObject*;
using Graph = GraphObject*;
using GraphNode = GraphNodeObject*;
using GraphExec = GraphExecObject*;

/// CUDA_KERNEL_NODE_PARAMS: a launch as a node of a graph. What `params` point to is copied.
struct KernelNode {
  Function function;
  unsigned grid[3], block[3], shared_bytes;
  void** params;
  void** extra = nullptr;
  void* kernel = nullptr;  // in place of a function
  Context context = nullptr;
};

/// Numbers of the API, the same for all vendors.
inline constexpr Status kOutOfMemory = 2, kNotReady = 600;
inline constexpr int kAttributeMajor = 75, kAttributeMinor = 76;  // of a device
inline constexpr int kAttributeMultiprocessors = 16;
inline constexpr int kAttributeDynamicShared = 8;  // of a function

/// Where a driver lies and how its functions are called.
struct DriverSource {
  const char* device;                 // "cuda": what %device calls it
  const char* prefix;                 // of the functions' names
  const char* library;                // as the loader finds it
  const char* variable;               // of the environment; names another library
  const char* torch;                  // torch's module of such devices
  const char* blocking;               // variable with which every call waits
  const char* map_encoder = nullptr;  // what makes descriptors for the tensor engine
  bool graphs = false;                // launches by graph are known to cost less
};

/// All of graphs.def, or nothing.
struct GraphCalls {
#define GRAPH(field, name, ...) Status (*field)(__VA_ARGS__) = nullptr;
#include "runtime/graphs.def"
#undef GRAPH
  explicit operator bool() const { return launch; }
};

class Worker;

struct Driver {
#define DRIVER(field, name, ...) Status (*field)(__VA_ARGS__) = nullptr;
#include "runtime/driver.def"
#undef DRIVER
  GraphCalls graphs;
  const DriverSource* source = nullptr;
  void* library = nullptr;
  void* map_encoder = nullptr;  // the source's; null where there is none
  Worker* worker = nullptr;     // whose driver this is; null: this process's

  /// Null, with what is wrong, where there is no driver that has all of the table.
  static std::unique_ptr<Driver> open(const DriverSource& source, std::string* problem);
  /// "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)".
  std::string said(Status status) const;
  /// A function that is not in the table; null where the driver has none.
  void* symbol(const char* name) const;
};

/// The first of the libraries that the loader takes; null, with what it said of the last one.
void* open_library(const std::string& path, std::string* problem);

}  // namespace tilelab::runtime
