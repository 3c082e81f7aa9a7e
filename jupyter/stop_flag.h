// SPDX-License-Identifier: Apache-2.0
// A stop flag for polling threads.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>

namespace tilelab::jupyter {

class StopFlag {
 public:
  StopFlag() : fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
  ~StopFlag() { close(fd_); }
  StopFlag(const StopFlag&) = delete;
  StopFlag& operator=(const StopFlag&) = delete;

  void set() {
    set_ = true;
    eventfd_write(fd_, 1);
  }
  explicit operator bool() const { return set_; }
  /// Stays readable once set.
  int fd() const { return fd_; }

 private:
  std::atomic<bool> set_{false};
  int fd_;
};

}  // namespace tilelab::jupyter
