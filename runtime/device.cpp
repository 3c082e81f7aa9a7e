// SPDX-License-Identifier: Apache-2.0
#include "runtime/device.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "codegen/events.h"
#include "core/diagnostics/usage.h"
#include "core/support/interrupt.h"
#include "core/support/text.h"
#include "runtime/failure.h"

namespace tilelab::runtime {

namespace {

/// Sticky errors: the context returns nothing else afterwards.
constexpr Status kSticky[] = {
    700,  // illegal address
    702,  // launch timeout
    710,  // assert
    714,  // hardware stack
    715,  // illegal instruction
    716,  // misaligned address
    717,  // invalid address space
    718,  // invalid program counter
    719,  // launch failed
};

/// The result of a driver search: the initialized driver, or the reason why there is none.
struct Found {
  std::shared_ptr<const Driver> driver;
  std::string problem;
};

Found find_driver(const Platform& platform) {
  std::string problem;
  std::shared_ptr<const Driver> driver = platform.open(&problem);
  if (!driver) return {nullptr, problem};
  if (const Status status = driver->init(0); status != 0)
    return {nullptr, "the driver failed to start: " + driver->status_text(status)};
  return {driver, ""};
}

/// Searches once; null with the reason.
std::shared_ptr<const Driver> driver_of(const Platform& platform, std::string* problem) {
  static std::mutex mutex;
  static std::map<std::pair<const Platform*, std::string>, Found> all;
  const std::lock_guard lock(mutex);
  const char* given = std::getenv(platform.source().variable);
  const auto [at, is_new] = all.try_emplace({&platform, given ? given : ""});
  if (is_new) at->second = find_driver(platform);
  *problem = at->second.problem;
  if (at->second.driver && at->second.driver->worker) {
    *problem = at->second.driver->worker->start();
    if (!problem->empty()) return nullptr;
  }
  return at->second.driver;
}

[[noreturn]] void absent(const Platform& platform, const std::string& problem) {
  const std::string device = platform.source().device;
  throw Failure{usage::device_absent,
                {device, problem},
                {},
                {"run `tilelab doctor` to list installed components; %device sim runs kernels "
                 "without a GPU"}};
}

std::string call_help(const DriverSource& source) {
  return "run `tilelab doctor` to check the driver; with " + std::string(source.blocking) +
         "=1 in the environment every call waits, which shows the failing one; %device sim needs "
         "no driver";
}

/// How a session continues after a GPU fault.
std::string alternatives(const DriverSource& source) {
  return source.device == std::string("cuda")
             ? "%device cuda:worker (the GPU, in a separate process) and %device sim continue"
             : "%device sim continues";
}

std::string one_before(const DriverSource& source) {
  return "the failing kernel may be an earlier one, because a call does not wait for its kernel; "
         "with " +
         std::string(source.blocking) + "=1 in the environment every call waits";
}

std::string size_text(int64_t bytes) {
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  double value = double(bytes);
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit ? "%.1f %s" : "%.0f %s", value, kUnits[unit]);
  return text;
}

}  // namespace

int Device::count(const Platform& platform, std::string* problem) {
  const auto driver = driver_of(platform, problem);
  if (!driver) return 0;
  int devices = 0;
  const Status status = driver->device_count(&devices);
  if (status != 0)
    *problem = "the driver found no devices: " + driver->status_text(status);
  else if (devices == 0)
    *problem = "the driver found no device";
  return status == 0 ? devices : 0;
}

Device& Device::of(const Platform& platform, int ordinal) {
  static std::mutex mutex;
  static std::map<std::pair<const Driver*, int>, std::unique_ptr<Device>> made;
  std::string problem;
  const auto driver = driver_of(platform, &problem);
  if (!driver) absent(platform, problem);
  const std::lock_guard lock(mutex);
  auto& device = made[{driver.get(), ordinal}];
  if (!device) {
    std::unique_ptr<Device> opened(new Device);
    opened->driver_ = driver;
    opened->open(platform, ordinal);
    device = std::move(opened);
  }
  return *device;
}

void Device::open(const Platform& platform, int ordinal) {
  platform_ = &platform;
  ordinal_ = ordinal;
  std::string problem;
  const int devices = count(platform, &problem);
  if (ordinal >= devices)
    absent(platform, devices == 0 ? problem
                                  : "no device " + std::to_string(ordinal) + ", of " +
                                        plural(devices, "device"));
  check(driver_->device_get(&device_, ordinal), "DeviceGet");
  char name[128] = "";
  check(driver_->device_name(name, sizeof name, device_), "DeviceGetName");
  name_ = name;
  int major = 0, minor = 0;
  check(driver_->device_attribute(&major, kAttributeMajor, device_), "DeviceGetAttribute");
  check(driver_->device_attribute(&minor, kAttributeMinor, device_), "DeviceGetAttribute");
  capability_ = major * 10 + minor;
  check(driver_->device_attribute(&processors_, kAttributeMultiprocessors, device_),
        "DeviceGetAttribute");
}

/// Resets what belonged to a previous worker.
void Device::begin_life() {
  const std::lock_guard lock(starting_);
  if (life_ != 0 && worker()->life() == life_) return;
  if (std::string problem = worker()->start(); !problem.empty()) absent(*platform_, problem);
  const int life = worker()->life();
  check(driver_->device_get(&device_, ordinal_), "DeviceGet");
  Context made = nullptr;
  check(driver_->context_retain(&made, device_), "DevicePrimaryCtxRetain");
  context_ = made, events_ = 0, life_ = life;
  const std::lock_guard holding(scratch_mutex_);
  scratch_.clear(), zeros_.clear(), outgrown_.clear();  // freed with the previous worker
}

void Device::enter() {
  if (worker()) begin_life();
  if (!lost_.empty())
    throw Failure{usage::device_lost,
                  {name_, lost_},
                  {},
                  {"save the cells for a new session with %save: variables and NumPy arrays are "
                   "unchanged, but data on the GPU is lost; " +
                   alternatives(platform_->source()) + " in this one"}};
  if (!context_) {
    Context made = nullptr;  // one for all threads
    check(driver_->context_retain(&made, device_), "DevicePrimaryCtxRetain");
    context_ = made;
  }
  Context current = nullptr;
  check(driver_->context_current(&current), "CtxGetCurrent");
  if (current != context_) check(driver_->context_set(context_), "CtxSetCurrent");
}

void Device::check(Status status, const char* call) {
  if (status == 0) return;
  if (worker() && status == worker::kEnded) {
    if (InterruptScope::requested()) throw Cancelled{};
    worker_ended(worker()->ended());
  }
  // A launch allocates memory too: for the kernel's code and for spilled registers.
  if (status == kOutOfMemory)
    no_room("what " + (platform_->source().prefix + std::string(call)) + " needs");
  const std::string status_text = driver_->status_text(status);
  if (std::find(std::begin(kSticky), std::end(kSticky), status) == std::end(kSticky))
    throw Failure{usage::device_call,
                  {platform_->source().prefix + std::string(call), status_text},
                  {},
                  {call_help(platform_->source())}};
  const std::string kernel = last_kernel();
  lost_ = status_text + (kernel.empty() ? "" : " in kernel " + kernel + ", or in an earlier one");
  if (worker()) {
    worker()->end(std::exchange(lost_, ""));
    worker_ended(status_text);
  }
  throw Failure{usage::device_fault,
                {kernel.empty() ? "a kernel" : "kernel " + kernel, name_, status_text},
                {one_before(platform_->source())},
                {"run %check, which simulates the kernel and names the line; this session cannot "
                 "use the GPU any more, but keeps its variables and NumPy arrays: %save stores its "
                 "cells for a new session, " +
                 alternatives(platform_->source()) + " in this one"}};
}

std::string Device::last_kernel() const {
  const std::string* last = last_kernel_;
  return last ? *last : "";
}

void Device::worker_ended(const std::string& why) {
  const std::string kernel = last_kernel();
  throw Failure{usage::device_worker,
                {kernel.empty() ? "a kernel" : "kernel " + kernel, name_, why},
                {one_before(platform_->source())},
                {"run %check, which simulates the kernel and names the line",
                 "call again to restart the worker; variables and arrays in host memory are "
                 "unchanged, but arrays on " +
                     std::string(platform_->source().device) +
                     " are lost: copy them again with tilelab.to_device"}};
}

namespace {

/// Calls that no graph contains, such as allocations: while it lives, they are permitted although
/// some thread captures a stream, whose capture would otherwise end with an error.
class Uncaptured {
 public:
  explicit Uncaptured(const Driver& driver) : driver_(driver) { exchange(); }
  ~Uncaptured() { exchange(); }
  Uncaptured(const Uncaptured&) = delete;
  Uncaptured& operator=(const Uncaptured&) = delete;

 private:
  void exchange() {
    if (driver_.captures) driver_.captures.exchange_mode(&mode_);
  }
  const Driver& driver_;
  int mode_ = kCaptureModeRelaxed;  // of the thread, except while this lives
};

}  // namespace

Module Device::load(const std::string& image) {
  Module made = nullptr;
  const Uncaptured call(*driver_);
  check(worker() ? worker()->load(&made, image) : driver_->module_load(&made, image.data()),
        "ModuleLoadData");
  return made;
}

std::optional<Module> Device::try_load(const std::string& image) {
  Module made = nullptr;
  const Uncaptured call(*driver_);
  const Status status =
      worker() ? worker()->load(&made, image) : driver_->module_load(&made, image.data());
  if (status != 0) return std::nullopt;
  return made;
}

void Device::launch(Function function, const PlannedLaunch& l, void** params, Stream stream) {
  check(worker() ? worker()->launch(function, l, stream, params)
                 : driver_->launch(function, l.grid[0], l.grid[1], l.grid[2], l.block, 1, 1,
                                   l.shared, stream, params, nullptr),
        "LaunchKernel");
}

void Device::no_room(const std::string& what) {
  throw Failure{
      usage::device_memory,
      {name_, what, size_text(free_bytes())},
      {},
      {"free unused arrays (`del x`; torch keeps freed memory until " +
       std::string(platform_->source().torch) + ".empty_cache()), or use smaller tensors"}};
}

Address Device::checked(Status status, Address at, int64_t bytes) {
  if (status == kOutOfMemory) no_room(size_text(bytes));
  check(status, "MemAlloc");
  return at;
}

Address Device::allocate(int64_t bytes) {
  const Uncaptured call(*driver_);
  Address at = 0;
  Status status = driver_->allocate(&at, size_t(std::max<int64_t>(bytes, 1)));
  if (status == kOutOfMemory) {
    const std::lock_guard lock(scratch_mutex_);
    if (drop_scratch()) status = driver_->allocate(&at, size_t(std::max<int64_t>(bytes, 1)));
  }
  return checked(status, at, bytes);
}

Address Device::held(std::map<Stream, Held>& memory, Stream stream, int64_t bytes, bool zeroed) {
  if (Held& old = memory[stream]; old.bytes < bytes) {
    if (old.at && !old.captured)
      outgrown_.emplace_back(stream, old.at);  // pending work of the stream may still use it
    old = {};
    const Uncaptured call(*driver_);
    Address at = 0;
    Status status = driver_->allocate(&at, size_t(bytes));
    if (status == kOutOfMemory && drop_scratch()) status = driver_->allocate(&at, size_t(bytes));
    memory[stream] = {checked(status, at, bytes), bytes};
    if (zeroed) fill(at, 0, bytes, stream);
  }
  Held& now = memory[stream];
  now.captured |= captures(stream);
  return now.at;
}

bool Device::drop_scratch() {
  std::erase_if(scratch_, [&](const auto& one) {
    const auto& [stream, held] = one;
    if (held.captured) return false;
    if (held.at) outgrown_.emplace_back(stream, held.at);
    return true;
  });
  return std::erase_if(outgrown_, [&](const auto& one) {
           const bool idle = !captures(one.first) && driver_->stream_query(one.first) == 0;
           if (idle) release(one.second);
           return idle;
         }) > 0;
}

bool Device::captures(Stream stream) const {
  int status = 0;
  const CaptureCalls& driver = driver_->captures;
  return driver && (driver.capturing(stream, &status) != 0 || status != 0);
}

void Device::release(Address address) noexcept {
  const Uncaptured call(*driver_);
  driver_->release(address);
}

int64_t Device::free_bytes() {
  size_t free = 0, total = 0;
  return driver_->memory_info(&free, &total) == 0 ? int64_t(free) : 0;
}

void Device::copy_in(Address to, const void* from, int64_t bytes, Stream stream) {
  if (bytes > 0) check(driver_->copy_in(to, from, size_t(bytes), stream), "MemcpyHtoDAsync");
}

void Device::copy_out(void* to, Address from, int64_t bytes, Stream stream) {
  if (bytes > 0) check(driver_->copy_out(to, from, size_t(bytes), stream), "MemcpyDtoHAsync");
}

void Device::fill(Address address, unsigned char value, int64_t bytes, Stream stream) {
  if (bytes > 0) check(driver_->fill(address, value, size_t(bytes), stream), "MemsetD8Async");
}

bool Device::wait(Stream stream, const std::atomic<bool>* stop) {
  using namespace std::chrono;
  const auto start = steady_clock::now();
  const Uncaptured call(*driver_);
  for (;;) {
    const Status status = driver_->stream_query(stream);
    if (status != kNotReady) return check(status, "StreamQuery"), true;
    if (stop && stop->load(std::memory_order_relaxed)) {
      if (worker()) worker()->end("Ctrl-C");  // and with it the kernel
      return false;
    }
    const auto waited = steady_clock::now() - start;
    if (waited > microseconds(50))  // then a tenth of the time waited so far, up to a millisecond
      std::this_thread::sleep_for(std::min<nanoseconds>(waited / 10, milliseconds(1)));
  }
}

Address Device::events() {
  if (!events_) events_ = allocate(int64_t(codegen::kEventRingBytes));
  return events_;
}

void DeviceMemory::check() const {
  if (lost())
    throw Failure{
        usage::device_array,
        {device_->platform().source().device, device_->worker()->ended(life_)},
        {},
        {"copy it again with tilelab.to_device(array); x.numpy() makes a copy in host memory"}};
}

Timer::Timer(Device& device, Stream stream)
    : device_(device), life_(device.life()), stream_(stream) {
  device.check(device.driver().event_create(&begin_, 0), "EventCreate");
  device.check(device.driver().event_create(&end_, 0), "EventCreate");
}

void Timer::start() {
  device_.check(device_.driver().event_record(begin_, stream_), "EventRecord");
}

Timer::~Timer() {
  if (device_.lost(life_)) return;
  if (begin_) device_.driver().event_destroy(begin_);
  if (end_) device_.driver().event_destroy(end_);
}

void Timer::stop() { device_.check(device_.driver().event_record(end_, stream_), "EventRecord"); }

float Timer::milliseconds() {
  float out = 0;
  device_.check(device_.driver().event_elapsed(&out, begin_, end_), "EventElapsedTime");
  return out;
}

}  // namespace tilelab::runtime
