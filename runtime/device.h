// SPDX-License-Identifier: Apache-2.0
// One GPU of this process, through its primary context, which torch shares.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "runtime/platform.h"

namespace tilelab::runtime {

class Device {
 public:
  /// How many there are; 0 with the reason.
  static int count(const Platform& platform, std::string* problem);
  /// Made when it is first asked for. Throws Failure, as all of this class does.
  static Device& of(const Platform& platform, int ordinal);

  /// Makes its context the thread's own; refuses where a fault has ended it.
  void enter();
  /// Throws what a driver's answer means; `call` is its name without the vendor's prefix.
  void check(Status status, const char* call);

  Address allocate(int64_t bytes);
  void release(Address address) noexcept;
  void copy_in(Address to, const void* from, int64_t bytes, Stream stream);
  void copy_out(void* to, Address from, int64_t bytes, Stream stream);
  void fill(Address address, unsigned char value, int64_t bytes, Stream stream);
  /// Waits for what was put into the stream. False: `stop` came first, and the kernel runs on.
  bool wait(Stream stream, const std::atomic<bool>* stop);
  /// Memory for what kernels print and assert (codegen/events.h).
  Address events();

  const Platform& platform() const { return *platform_; }
  const Driver& driver() const { return *driver_; }
  int ordinal() const { return ordinal_; }
  int capability() const { return capability_; }
  int processors() const { return processors_; }
  const std::string& name() const { return name_; }
  const Target* target() const { return platform_->target_of(capability_); }
  int64_t free_bytes();
  /// The kernel that a fault is put down to; the name lives as long as the process (a Symbol's).
  void launching(const std::string& kernel) { last_kernel_ = &kernel; }

 private:
  Device() = default;
  void open(const Platform& platform, int ordinal);

  const Platform* platform_ = nullptr;
  std::shared_ptr<const Driver> driver_;
  std::atomic<Context> context_{nullptr};  // made when work comes: it takes time and memory
  int ordinal_ = 0, device_ = 0, capability_ = 0, processors_ = 0;
  std::string name_;
  Address events_ = 0;
  std::atomic<const std::string*> last_kernel_{nullptr};
  std::string lost_;  // what ended the context
};

/// Memory of a device for as long as this lives.
class DeviceMemory {
 public:
  DeviceMemory(Device& device, int64_t bytes) : device_(&device), at_(device.allocate(bytes)) {}
  ~DeviceMemory() {
    if (at_) device_->release(at_);
  }
  DeviceMemory(DeviceMemory&& other) noexcept : device_(other.device_), at_(other.at_) {
    other.at_ = 0;
  }
  DeviceMemory& operator=(DeviceMemory&&) = delete;
  Address address() const { return at_; }
  /// Never gives it back: what still runs may use it, and giving back waits for that.
  void abandon() { at_ = 0; }

 private:
  Device* device_;
  Address at_;
};

/// Milliseconds of device time between two places of a stream.
class Timer {
 public:
  Timer(Device& device, Stream stream);
  ~Timer();
  Timer(const Timer&) = delete;
  void stop();
  float milliseconds();

 private:
  Device& device_;
  Stream stream_;
  Event begin_ = nullptr, end_ = nullptr;
};

}  // namespace tilelab::runtime
