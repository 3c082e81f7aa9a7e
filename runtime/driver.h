// SPDX-License-Identifier: Apache-2.0
// A GPU vendor's driver API as a table of functions, loaded at run time: nothing is linked, and
// everything else works on a machine without a GPU.
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

/// CUDA_KERNEL_NODE_PARAMS: a launch as a node of a graph. The contents of `params` are copied.
struct KernelNode {
  Function function;
  unsigned grid[3], block[3], shared_bytes;
  void** params;
  void** extra = nullptr;
  void* kernel = nullptr;  // in place of a function
  Context context = nullptr;
};

/// Constants of the API, the same for all vendors.
inline constexpr Status kOutOfMemory = 2, kNotReady = 600;
inline constexpr int kAttributeMajor = 75, kAttributeMinor = 76;  // of a device
inline constexpr int kAttributeMultiprocessors = 16;
inline constexpr int kAttributeDynamicShared = 8;  // of a function
inline constexpr int kCaptureModeRelaxed = 2;

/// The location of a driver and the names of its functions.
struct DriverSource {
  const char* device;                 // "cuda": its name in %device
  const char* prefix;                 // of the functions' names
  const char* library;                // file name for the loader
  const char* variable;               // environment variable that names another library
  const char* torch;                  // torch's module for such devices
  const char* blocking;               // variable that makes every call synchronous
  const char* map_encoder = nullptr;  // creates descriptors for the copy engine
  bool graphs = false;                // launches by graph are faster
};

/// Whether the driver's library can be loaded; initializes nothing, which would take 100 ms.
bool is_installed(const DriverSource& source);

/// All of graphs.def, or none.
struct GraphCalls {
#define GRAPH(field, name, ...) Status (*field)(__VA_ARGS__) = nullptr;
#include "runtime/graphs.def"
#undef GRAPH
  explicit operator bool() const { return launch; }
};

/// All of captures.def, or none.
struct CaptureCalls {
#define CAPTURE(field, name, ...) Status (*field)(__VA_ARGS__) = nullptr;
#include "runtime/captures.def"
#undef CAPTURE
  explicit operator bool() const { return capturing; }
};

class Worker;

struct Driver {
#define DRIVER(field, name, ...) Status (*field)(__VA_ARGS__) = nullptr;
#include "runtime/driver.def"
#undef DRIVER
  GraphCalls graphs;
  CaptureCalls captures;
  const DriverSource* source = nullptr;
  void* library = nullptr;
  void* map_encoder = nullptr;  // the source's; null if there is none
  Worker* worker = nullptr;     // that owns this driver; null: this process

  /// Null, with the error, if no driver has all functions of the table.
  static std::unique_ptr<Driver> open(const DriverSource& source, std::string* problem);
  /// "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)".
  std::string status_text(Status status) const;
  /// A function that is not in the table; null if the driver lacks it.
  void* symbol(const char* name) const;
};

/// The first library that loads; null, with the loader's error for the last one.
void* open_library(const std::string& path, std::string* problem);

}  // namespace tilelab::runtime
