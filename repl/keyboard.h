// SPDX-License-Identifier: Apache-2.0
// Which thread reads the keyboard.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace tilelab {

/// A ticket lock: threads that ask for input read one after the other, in the order in which they
/// asked. Readline has one state per process, and its longjmp must stay within one thread.
class Keyboard {
 public:
  /// Waits for the threads that asked before. False: the calling thread reads already, as in code
  /// that a completion runs.
  bool take() {
    std::unique_lock lock(mutex_);
    if (reads_here()) return false;
    const uint64_t ticket = next_++;
    free_.wait(lock, [&] { return ticket == served_; });
    reader_ = std::this_thread::get_id();
    return true;
  }

  void give_back() {
    std::lock_guard lock(mutex_);
    reader_ = {};
    ++served_;
    free_.notify_all();
  }

  /// Whether another thread reads.
  bool reads_elsewhere() {
    std::lock_guard lock(mutex_);
    return next_ != served_ && !reads_here();
  }

  /// Waits until no thread reads; false: one still does after some time.
  bool wait_until_free(int milliseconds) {
    std::unique_lock lock(mutex_);
    return free_.wait_for(lock, std::chrono::milliseconds(milliseconds),
                          [&] { return next_ == served_; });
  }

 private:
  bool reads_here() const { return reader_ == std::this_thread::get_id(); }

  std::mutex mutex_;
  std::condition_variable free_;
  uint64_t next_ = 0, served_ = 0;
  std::thread::id reader_;
};

}  // namespace tilelab
