// SPDX-License-Identifier: Apache-2.0
// Hands debug requests to a thread of Python. A debugger of Python ignores a thread that Python has
// started and marked. It would stop a thread of C++ that calls Python, and with it every reply.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace tilelab {

class DebugChannel {
 public:
  /// Waits for the reply; "" once the channel is closed. One caller at a time.
  std::string ask(std::string request) {
    std::unique_lock<std::mutex> lock(mutex_);
    reply_.reset();
    request_ = std::move(request);
    changed_.notify_all();
    changed_.wait(lock, [&] { return closed_ || reply_; });
    return reply_ ? std::move(*reply_) : "";
  }

  /// The next request, or nullopt once the channel is closed.
  std::optional<std::string> next() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || request_; });
    if (closed_) return std::nullopt;
    return std::exchange(request_, std::nullopt);
  }

  void reply(std::string text) {
    std::lock_guard<std::mutex> lock(mutex_);
    reply_ = std::move(text);
    changed_.notify_all();
  }

  void close() {
    std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::string> request_, reply_;
  bool closed_ = false;
};

}  // namespace tilelab
