// SPDX-License-Identifier: Apache-2.0
// One GPU, through its primary context, which torch shares.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/plan.h"
#include "runtime/platform.h"
#include "runtime/worker/worker.h"

namespace tilelab::runtime {

class Device {
 public:
  /// The number of devices; 0 with the reason.
  static int count(const Platform& platform, std::string* problem);
  /// Created on first use. Throws Failure, like all members.
  static Device& of(const Platform& platform, int ordinal);

  /// Makes its context current for the thread; fails after a fault has destroyed it.
  void enter();
  /// Throws a Failure for a driver's error; `call` is its name without the vendor's prefix.
  void check(Status status, const char* call);

  Module load(const std::string& image);
  /// Nullopt if the driver rejects it.
  std::optional<Module> try_load(const std::string& image);
  void launch(Function function, const PlannedLaunch& launch, void** params, Stream stream);
  /// Frees the scratch of idle streams if memory is short.
  Address allocate(int64_t bytes);
  void release(Address address) noexcept;
  void copy_in(Address to, const void* from, int64_t bytes, Stream stream);
  void copy_out(void* to, Address from, int64_t bytes, Stream stream);
  void fill(Address address, unsigned char value, int64_t bytes, Stream stream);
  /// Waits for the work in the stream. False: `stop` came first, and the kernel continues, or was
  /// killed with its worker.
  bool wait(Stream stream, const std::atomic<bool>* stop);
  /// Memory for kernels' prints and asserts (codegen/events.h).
  Address events();

  const Platform& platform() const { return *platform_; }
  const Driver& driver() const { return *driver_; }
  /// The process that owns the driver; null: this one.
  Worker* worker() const { return driver_->worker; }
  /// The worker's ID to which this device's memory, modules and events belong; 0 in this process.
  int life() const { return life_; }
  /// Whether the resources of that worker are lost.
  bool lost(int life) const { return worker() && worker()->life() != life; }
  int ordinal() const { return ordinal_; }
  int capability() const { return capability_; }
  int processors() const { return processors_; }
  const std::string& name() const { return name_; }
  const Target* target() const { return platform_->target_of(capability_); }
  int64_t free_bytes();
  /// Whether the stream is being captured into a graph, or the driver does not say.
  bool captures(Stream stream) const;
  /// The kernel blamed for a fault; the name must live as long as the process (a Symbol's does).
  void launching(const std::string& kernel) { last_kernel_ = &kernel; }

 private:
  friend class Scratch;
  struct Held {
    Address at = 0;
    int64_t bytes = 0;
    bool captured = false;  // a graph has the address, so it is never freed
  };

  Device() = default;
  void open(const Platform& platform, int ordinal);
  void begin_life();
  std::string last_kernel() const;
  [[noreturn]] void worker_ended(const std::string& why);
  [[noreturn]] void no_room(const std::string& what);
  /// Scratch of a stream, of at least that size; requires the lock. Never waits: a kernel may not
  /// end. What a call uses while its stream is captured stays allocated, as the graph may be
  /// launched at any time.
  Address scratch(Stream stream, int64_t bytes) { return held(scratch_, stream, bytes, false); }
  /// The same of memory that is 0 whenever no kernel of the stream uses it: each restores the
  /// zeros.
  Address zeros(Stream stream, int64_t bytes) { return held(zeros_, stream, bytes, true); }
  Address held(std::map<Stream, Held>& memory, Stream stream, int64_t bytes, bool zeroed);
  /// Frees the scratch of idle streams. Whether there was any.
  bool drop_scratch();
  Address checked(Status status, Address at, int64_t bytes);

  const Platform* platform_ = nullptr;
  std::shared_ptr<const Driver> driver_;
  std::atomic<Context> context_{nullptr};  // created on first use: it takes time and memory
  int ordinal_ = 0, device_ = 0, capability_ = 0, processors_ = 0;
  std::string name_;
  Address events_ = 0;
  std::atomic<const std::string*> last_kernel_{nullptr};
  std::string lost_;  // the error that destroyed the context
  std::mutex scratch_mutex_;
  std::map<Stream, Held> scratch_, zeros_;
  std::vector<std::pair<Stream, Address>> outgrown_;  // not freed yet
  std::mutex starting_;
  std::atomic<int> life_{0};
};

/// Memory that all calls of a stream share in stream order, without an allocation or a wait per
/// call. Held while a call enqueues its work, so that no other call comes in between.
class Scratch {
 public:
  /// `zeros`: bytes of memory that is 0, and that the kernel leaves so.
  Scratch(Device& device, Stream stream, int64_t bytes, int64_t zeros)
      : lock_(device.scratch_mutex_),
        at_(bytes > 0 ? device.scratch(stream, bytes) : 0),
        zeros_(zeros > 0 ? device.zeros(stream, zeros) : 0) {}
  Address address() const { return at_; }
  Address zeros() const { return zeros_; }

 private:
  std::unique_lock<std::mutex> lock_;
  Address at_, zeros_;
};

/// Device memory with the lifetime of this object.
class DeviceMemory {
 public:
  DeviceMemory(Device& device, int64_t bytes)
      : device_(&device), life_(device.life()), at_(device.allocate(bytes)) {}
  ~DeviceMemory() {
    if (at_ && !lost()) device_->release(at_);
  }
  DeviceMemory(DeviceMemory&& other) noexcept
      : device_(other.device_), life_(other.life_), at_(other.at_) {
    other.at_ = 0;
  }
  DeviceMemory& operator=(DeviceMemory&&) = delete;
  Address address() const { return at_; }
  bool lost() const { return device_->lost(life_); }
  /// Throws the Failure, if there is one.
  void check() const;
  /// Leaks it: running kernels may use it, and freeing would wait for them.
  void abandon() { at_ = 0; }

 private:
  Device* device_;
  int life_;
  Address at_;
};

/// Milliseconds of device time between two points of a stream.
class Timer {
 public:
  Timer(Device& device, Stream stream);
  ~Timer();
  Timer(const Timer&) = delete;
  void start();
  void stop();
  float milliseconds();

 private:
  Device& device_;
  int life_;
  Stream stream_;
  Event begin_ = nullptr, end_ = nullptr;
};

}  // namespace tilelab::runtime
