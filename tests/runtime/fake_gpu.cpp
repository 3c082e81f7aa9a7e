// SPDX-License-Identifier: Apache-2.0
// A driver and a run-time compiler for tests without a GPU: every call is recorded and checked,
// memory is the host's, and a kernel is what the test says (fake_runner). FAKE_MUSA makes
// it Moore Threads'.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "runtime/driver.h"
#include "tests/runtime/fake_gpu.h"

using namespace tilelab::runtime;
using namespace tilelab::test;

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#ifdef FAKE_MUSA
#define API(name) JOIN(mu, name)
#define COMPILER(name) JOIN(mtrtc, name)
#define VENDOR "MUSA"
constexpr int kCapability = 31;
#else
#define API(name) JOIN(cu, name)
#define COMPILER(name) JOIN(nvrtc, name)
#define VENDOR "CUDA"
constexpr int kCapability = 90;
#endif

namespace {

using Kernel = FakeKernel;
using Image = FakeImage;

struct Fault {
  Status status = 0;
  int after = 0;  // calls that are good
};

struct Machine {
  int devices = 1, capability = kCapability;
  size_t memory = size_t(1) << 30, used = 0;
  std::map<Address, size_t> allocations;
  std::set<const void*> contexts, modules, functions, events;
  std::map<std::string, Fault> faults;
  Status sticky = 0;
  int pending = 0;  // StreamQuery answers "not ready" so often; -1: always
  Runner runner = kernels_of_worker();
  float elapsed = 0.25F;  // milliseconds between any two events
  std::string log, problems;
};

std::mutex mutex;
Machine machine;
thread_local Context current = nullptr;
char context_object;

void problem(const std::string& text) {
  machine.problems += text + "\n";
  log_to_file("problem " + text);
}

/// Records a call; what it has to answer where the test or an earlier fault decides that.
Status enter(const char* name, const std::string& details = "", bool needs_context = true) {
  const std::string line = std::string(name) + (details.empty() ? "" : " " + details);
  machine.log += line + "\n";
  log_to_file(line);
  if (needs_context && !current) problem(std::string(name) + ": no context is current");
  const auto fault = machine.faults.find(name);
  if (fault != machine.faults.end() && fault->second.after-- <= 0) {
    const Status status = fault->second.status;
    machine.faults.erase(fault);
    if (status >= 700) machine.sticky = status;
    return status;
  }
  return needs_context ? machine.sticky : 0;
}

std::string text_of(unsigned long long value) { return std::to_string(value); }

/// Whether [at, at + bytes) is in one allocation.
bool is_inside(Address at, size_t bytes) {
  auto found = machine.allocations.upper_bound(at);
  if (found == machine.allocations.begin()) return false;
  --found;
  return at + bytes <= found->first + found->second;
}

void check_memory(const char* call, Address at, size_t bytes) {
  if (!is_inside(at, bytes)) problem(std::string(call) + ": no such memory of the device");
}

void check_launch(const Kernel& kernel, const FakeLaunch& l) {
  for (unsigned extent : l.grid)
    if (extent == 0) problem("LaunchKernel: an empty grid");
  if (l.block == 0 || l.block > 1024) problem("LaunchKernel: a block of " + text_of(l.block));
  if (l.shared > kernel.shared) problem("LaunchKernel: shared memory was not asked for");
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    if (kernel.params[i].find('*') == std::string::npos) continue;
    Address address = 0;
    std::memcpy(&address, l.params[i], sizeof address);
    if (!is_inside(address, 0))
      problem("LaunchKernel: " + kernel.params[i] + " is not device memory");
  }
}

}  // namespace

#ifdef FAKE_MUSA
bool tilelab::test::fake_refuses_uncaptured() { return false; }
#endif

Status tilelab::test::fake_enter(const char* name) {
  const std::lock_guard lock(mutex);
  return enter(name);
}

#define LOCK const std::lock_guard lock(mutex)
#define ENTER(...) \
  LOCK;            \
  if (const Status status = enter(__VA_ARGS__); status != 0) return status;
/// For calls that are errors while a stream is captured.
#define ENTER_UNCAPTURED(...) \
  ENTER(__VA_ARGS__)          \
  if (fake_refuses_uncaptured()) return 900;
#define VISIBLE extern "C" __attribute__((visibility("default")))

// Types are exact, so that a table with another signature does not compile.
#define DECLARE(field, name, ...)        \
  VISIBLE Status API(name)(__VA_ARGS__); \
  static_assert(std::is_same_v<decltype(&API(name)), decltype(Driver::field)>);
#define DEFINE(field, name, ...) DECLARE(field, name, __VA_ARGS__) Status API(name)(__VA_ARGS__)

DEFINE(init, Init, unsigned) {
  ENTER("Init", "", false)
  return 0;
}
DEFINE(version, DriverGetVersion, int* version) {
  *version = 13000;
  return 0;
}
DEFINE(error_name, GetErrorName, Status status, const char** name) {
  *name = status == 2     ? VENDOR "_ERROR_OUT_OF_MEMORY"
          : status == 700 ? VENDOR "_ERROR_ILLEGAL_ADDRESS"
          : status == 1   ? VENDOR "_ERROR_INVALID_VALUE"
                          : VENDOR "_ERROR_UNKNOWN";
  return 0;
}
DEFINE(error_text, GetErrorString, Status status, const char** text) {
  *text = status == 2     ? "out of memory"
          : status == 700 ? "an illegal memory access was encountered"
          : status == 1   ? "invalid argument"
                          : "unknown error";
  return 0;
}
DEFINE(device_count, DeviceGetCount, int* count) {
  ENTER("DeviceGetCount", "", false)
  *count = machine.devices;
  return 0;
}
DEFINE(device_get, DeviceGet, int* device, int ordinal) {
  ENTER("DeviceGet", text_of(unsigned(ordinal)), false)
  *device = ordinal + 40;  // not the number itself
  return 0;
}
DEFINE(device_name, DeviceGetName, char* name, int size, int device) {
  std::snprintf(name, size_t(size), "Fake GPU %d", device - 40);
  return 0;
}
DEFINE(device_attribute, DeviceGetAttribute, int* value, int attribute, int device) {
  LOCK;
  if (device < 40) problem("DeviceGetAttribute: a number in place of a device");
  *value = attribute == kAttributeMajor             ? machine.capability / 10
           : attribute == kAttributeMinor           ? machine.capability % 10
           : attribute == kAttributeMultiprocessors ? 132 - 12 * (device - 40)
                                                    : 1;
  return 0;
}
DEFINE(context_retain, DevicePrimaryCtxRetain, Context* context, int device) {
  ENTER("DevicePrimaryCtxRetain", text_of(unsigned(device - 40)), false)
  *context = reinterpret_cast<Context>(&context_object + 16 * (device - 39));
  machine.contexts.insert(*context);
  return 0;
}
DEFINE(context_current, CtxGetCurrent, Context* context) {
  *context = current;
  return 0;
}
DEFINE(context_set, CtxSetCurrent, Context context) {
  ENTER("CtxSetCurrent", "", false)
  if (!machine.contexts.count(context)) problem("CtxSetCurrent: no context");
  current = context;
  return 0;
}
DEFINE(memory_info, MemGetInfo_v2, size_t* free, size_t* total) {
  LOCK;
  *free = machine.memory - machine.used;
  *total = machine.memory;
  return 0;
}
DEFINE(allocate, MemAlloc_v2, Address* address, size_t bytes) {
  ENTER_UNCAPTURED("MemAlloc", text_of(bytes))
  if (bytes == 0) problem("MemAlloc: 0 bytes");
  if (machine.used + bytes > machine.memory) return kOutOfMemory;
  machine.used += bytes;
  *address = reinterpret_cast<Address>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  std::memset(reinterpret_cast<void*>(*address), 0xEE, bytes);
  machine.allocations[*address] = bytes;
  return 0;
}
DEFINE(release, MemFree_v2, Address address) {
  ENTER_UNCAPTURED("MemFree")
  const auto found = machine.allocations.find(address);
  if (found == machine.allocations.end()) return problem("MemFree: not allocated"), 1;
  machine.used -= found->second;
  std::free(reinterpret_cast<void*>(address));
  machine.allocations.erase(found);
  return 0;
}
DEFINE(copy_in, MemcpyHtoDAsync_v2, Address to, const void* from, size_t bytes, Stream) {
  ENTER("MemcpyHtoDAsync", text_of(bytes))
  check_memory("MemcpyHtoDAsync", to, bytes);
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return 0;
}
DEFINE(copy_out, MemcpyDtoHAsync_v2, void* to, Address from, size_t bytes, Stream) {
  ENTER("MemcpyDtoHAsync", text_of(bytes))
  check_memory("MemcpyDtoHAsync", from, bytes);
  std::memcpy(to, reinterpret_cast<void*>(from), bytes);
  return 0;
}
DEFINE(fill, MemsetD8Async, Address address, unsigned char value, size_t count, Stream) {
  ENTER("MemsetD8Async", text_of(count))
  check_memory("MemsetD8Async", address, count);
  std::memset(reinterpret_cast<void*>(address), value, count);
  return 0;
}
DEFINE(module_load, ModuleLoadData, Module* module, const void* image) {
  const auto* text = static_cast<const char*>(image);
  const bool ptx = kCapability == 90 && std::strncmp(text, ".version ", 9) == 0;
  ENTER_UNCAPTURED("ModuleLoadData", ptx ? "PTX" : "")
  if (!ptx && std::strncmp(text, "fake image\n", 11) != 0)
    return problem("ModuleLoadData: no image"), 200;
  *module = reinterpret_cast<Module>(ptx ? read_ptx(text) : read_image(text));
  machine.modules.insert(*module);
  return 0;
}
DEFINE(module_function, ModuleGetFunction, Function* function, Module module, const char* name) {
  ENTER("ModuleGetFunction", name)
  if (!machine.modules.count(module)) return problem("ModuleGetFunction: no module"), 1;
  for (Kernel* kernel : reinterpret_cast<Image*>(module)->kernels)
    if (kernel->name == name) {
      *function = reinterpret_cast<Function>(kernel);
      machine.functions.insert(*function);
      return 0;
    }
  return 500;
}
DEFINE(function_set, FuncSetAttribute, Function function, int attribute, int value) {
  ENTER("FuncSetAttribute", text_of(unsigned(attribute)) + " " + text_of(unsigned(value)))
  if (!machine.functions.count(function)) problem("FuncSetAttribute: no function");
  if (attribute == kAttributeDynamicShared)
    reinterpret_cast<Kernel*>(function)->shared = unsigned(value);
  return 0;
}
DEFINE(launch, LaunchKernel, Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, Stream stream,
       void** params, void** extra) {
  FakeLaunch launched{"", {grid_x, grid_y, grid_z}, block_x, shared_bytes, 0, params};
  Runner runner = nullptr;
  {
    LOCK;
    const auto* kernel = reinterpret_cast<Kernel*>(function);
    if (!machine.functions.count(function)) return problem("LaunchKernel: no function"), 1;
    if (const Status status =
            enter("LaunchKernel", kernel->name + " grid " + text_of(grid_x) + " " +
                                      text_of(grid_y) + " " + text_of(grid_z) + " block " +
                                      text_of(block_x) + " shared " + text_of(shared_bytes) +
                                      " stream " + text_of(reinterpret_cast<uintptr_t>(stream)));
        status != 0)
      return status;
    if (block_y != 1 || block_z != 1 || extra) problem("LaunchKernel: odd parameters");
    launched.kernel = kernel->name.c_str();
    launched.count = int(kernel->params.size());
    check_launch(*kernel, launched);
    runner = machine.runner;
  }
  if (runner) runner(&launched);
  return 0;
}
DEFINE(stream_query, StreamQuery, Stream) {
  ENTER("StreamQuery")
  if (machine.pending != 0) return machine.pending -= machine.pending > 0, kNotReady;
  return 0;
}
DEFINE(event_create, EventCreate, Event* event, unsigned) {
  ENTER("EventCreate")
  *event = reinterpret_cast<Event>(new char);
  machine.events.insert(*event);
  return 0;
}
DEFINE(event_destroy, EventDestroy_v2, Event event) {
  ENTER("EventDestroy")
  if (!machine.events.erase(event)) problem("EventDestroy: no event");
  delete reinterpret_cast<char*>(event);
  return 0;
}
DEFINE(event_record, EventRecord, Event event, Stream) {
  ENTER("EventRecord")
  if (!machine.events.count(event)) problem("EventRecord: no event");
  return 0;
}
DEFINE(event_elapsed, EventElapsedTime, float* milliseconds, Event from, Event to) {
  ENTER("EventElapsedTime")
  if (!machine.events.count(from) || !machine.events.count(to))
    problem("EventElapsedTime: no event");
  *milliseconds = machine.elapsed;
  return 0;
}

// Not of the table: what an engine's copies are described by.
#ifdef FAKE_MUSA
std::string list(const char* name, const uint64_t* values, unsigned count) {
  std::string out = std::string(" ") + name;
  for (unsigned i = 0; i < count; ++i) out += " " + text_of(values[i]);
  return out;
}

/// It holds the descriptor's fields as given, so that a kernel of the test reads them.
VISIBLE Status muTensorDescriptorEncode(void* map, int type, unsigned rank, void* base,
                                        const uint64_t* dims, const uint64_t* strides,
                                        int interleave, uint64_t outside) {
  LOCK;
  if (rank < 1 || rank > 5) return problem("TensorDescriptorEncode: a rank of no tensor"), 1;
  if (const Status status =
          enter("TensorDescriptorEncode",
                "type " + text_of(unsigned(type)) + list("dims", dims, rank) +
                    list("strides", strides, rank - 1) + " interleave " +
                    text_of(unsigned(interleave)) + " outside " + text_of(outside),
                false))
    return status;
  if (type < 0 || type > 18) problem("TensorDescriptorEncode: a type of no elements");
  if (reinterpret_cast<uintptr_t>(map) % 64 != 0)
    problem("TensorDescriptorEncode: a descriptor of no place");
  const auto address = reinterpret_cast<Address>(base);
  check_memory("TensorDescriptorEncode", address, 1);
  for (unsigned i = 0; i < rank; ++i)
    if (dims[i] == 0) return 1;
  for (unsigned i = 0; i + 1 < rank; ++i)
    if (strides[i] % 16 != 0) return 1;
  uint64_t words[16] = {address, uint64_t(type), rank};
  std::memcpy(words + 3, dims, rank * sizeof *dims);
  std::memcpy(words + 8, strides, (rank - 1) * sizeof *strides);
  std::memcpy(map, words, sizeof words);
  return 0;
}
#else
VISIBLE Status API(TensorMapEncodeTiled)(void* map, int type, unsigned rank, Address base,
                                         const uint64_t* dims, const uint64_t* strides,
                                         const unsigned* box, const unsigned* steps, int interleave,
                                         int swizzle, int promotion, int outside) {
  LOCK;
  auto list = [&](const char* name, const auto* values, unsigned count) {
    std::string out = std::string(" ") + name;
    for (unsigned i = 0; i < count; ++i) out += " " + text_of(values[i]);
    return out;
  };
  if (const Status status =
          enter("TensorMapEncodeTiled",
                "type " + text_of(unsigned(type)) + list("dims", dims, rank) +
                    list("strides", strides, rank - 1) + list("box", box, rank) +
                    list("steps", steps, rank) + " swizzle " + text_of(unsigned(swizzle)),
                false))
    return status;
  if (interleave != 0 || promotion != 3 || outside != 0) problem("TensorMapEncodeTiled: odd words");
  if (reinterpret_cast<uintptr_t>(map) % 64 != 0)
    problem("TensorMapEncodeTiled: a map of no place");
  check_memory("TensorMapEncodeTiled", base, 1);
  if (base % 16 != 0) return 1;
  for (unsigned i = 0; i + 1 < rank; ++i)
    if (strides[i] % 16 != 0) return 1;
  std::memcpy(map, &base, sizeof base);
  return 0;
}
#endif

// ---- the run-time compiler

struct Program {
  std::string text, image, log;
};
VISIBLE int COMPILER(Version)(int* major, int* minor) { return *major = 13, *minor = 0, 0; }
VISIBLE int COMPILER(CreateProgram)(Program** program, const char* text, const char*, int headers,
                                    const char* const*, const char* const* names) {
  LOCK;
  *program = new Program{text, "", ""};
  bool has_header = false;
  for (int i = 0; i < headers; ++i) has_header |= std::strcmp(names[i], "tl_device.h") == 0;
  if (!has_header) problem("CreateProgram: the device header is not there");
  return 0;
}
VISIBLE int COMPILER(CompileProgram)(Program* program, int count, const char* const* options) {
  if (program->text.find("tl_nothing") != std::string::npos) return fake_start();
  const auto compiling = fake_compiling();
  LOCK;
  std::string said;
  for (int i = 0; i < count; ++i) said += std::string(i ? " " : "") + options[i];
  if (const Status status = enter("CompileProgram", said, false)) return status;
  if (program->text.find("does_not_compile") != std::string::npos) {
    program->log = "kernel.cu(3): error: identifier \"does_not_compile\" is undefined\n";
    return 6;
  }
  program->image = "fake image\n" + program->text;
  return 0;
}
VISIBLE int COMPILER(GetProgramLogSize)(Program* p, size_t* bytes) {
  return *bytes = p->log.size() + 1, 0;
}
VISIBLE int COMPILER(GetProgramLog)(Program* p, char* log) {
  return std::strcpy(log, p->log.c_str()), 0;
}
#define IMAGE(form)                                                    \
  VISIBLE int COMPILER(Get##form##Size)(Program * p, size_t * bytes) { \
    return *bytes = p->image.size() + 1, 0;                            \
  }                                                                    \
  VISIBLE int COMPILER(Get##form)(Program * p, char* image) {          \
    return std::strcpy(image, p->image.c_str()), 0;                    \
  }
#ifdef FAKE_MUSA
IMAGE(FatBin)
#else
IMAGE(CUBIN)
IMAGE(PTX)
#endif
VISIBLE int COMPILER(DestroyProgram)(Program** program) {
  return delete *program, *program = nullptr, 0;
}

// ---- what tests say and ask

VISIBLE void fake_reset() {
  LOCK;
  Machine fresh;
  fresh.allocations = machine.allocations;  // and whatever else a caller still has
  fresh.used = machine.used;
  fresh.contexts = machine.contexts;
  fresh.modules = machine.modules;
  fresh.functions = machine.functions;
  fresh.events = machine.events;
  machine = fresh;
}
VISIBLE void fake_device(int count, int capability, size_t memory) {
  LOCK;
  machine.devices = count, machine.capability = capability, machine.memory = memory;
}
VISIBLE void fake_elapsed(float milliseconds) { machine.elapsed = milliseconds; }
VISIBLE void fake_fail(const char* call, int status, int after) {
  LOCK;
  machine.faults[call] = {status, after};
}
VISIBLE void fake_pending(int queries) {
  LOCK;
  machine.pending = queries;
}
VISIBLE void fake_runner(Runner runner) {
  LOCK;
  machine.runner = runner;
}
VISIBLE size_t fake_used() {
  LOCK;
  return machine.used;
}
VISIBLE const char* fake_log() {
  LOCK;
  static std::string returned;
  return (returned = machine.log).c_str();
}
VISIBLE const char* fake_problems() {
  LOCK;
  static std::string returned;
  return (returned = machine.problems).c_str();
}
