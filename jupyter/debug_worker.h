// SPDX-License-Identifier: Apache-2.0
// Debug requests, in the order in which they arrive.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>

#include "jupyter/requests.h"

namespace tilelab::jupyter {

/// Answers debug requests on a separate thread, which starts with the first one: an answer may
/// wait for Python, or for the program that the debugger has stopped, while the control channel
/// serves interrupts and shutdowns. `Origin` identifies the request that a reply belongs to.
template <class Origin> class DebugWorker {
 public:
  struct Reply {
    Origin origin;
    Json content;
  };

  DebugWorker() : ready_fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
  ~DebugWorker() { close(ready_fd_); }
  DebugWorker(const DebugWorker&) = delete;
  DebugWorker& operator=(const DebugWorker&) = delete;

  void add(Requests& requests, Origin origin, Json content) {
    std::lock_guard<std::mutex> lock(mutex_);
    waiting_.push_back({std::move(origin), std::move(content)});
    if (!thread_.joinable()) thread_ = std::thread([this, &requests] { run(requests); });
    changed_.notify_one();
  }

  /// The last client has gone.
  void client_gone() {
    std::lock_guard<std::mutex> lock(mutex_);
    client_gone_ = thread_.joinable();
    changed_.notify_one();
  }

  /// Readable when take() may have a reply.
  int ready_fd() const { return ready_fd_; }

  std::optional<Reply> take() {
    std::lock_guard<std::mutex> lock(mutex_);
    eventfd_t ready;
    if (replies_.size() <= 1) eventfd_read(ready_fd_, &ready);
    if (replies_.empty()) return std::nullopt;
    Reply first = std::move(replies_.front());
    replies_.pop_front();
    return first;
  }

  /// Ends the thread. Call it on the thread that runs cells.
  void finish(Requests& requests) {
    if (!thread_.joinable()) return;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      finished_ = true;
    }
    changed_.notify_one();
    requests.end_debugging();
    thread_.join();
  }

 private:
  void run(Requests& requests) {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return finished_ || client_gone_ || !waiting_.empty(); });
      if (finished_) return;
      if (client_gone_) {
        client_gone_ = false;
        lock.unlock();
        requests.debugging_client_gone();
        lock.lock();
        continue;
      }
      Reply next = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      next.content = requests.debug(next.content);
      lock.lock();
      replies_.push_back(std::move(next));
      eventfd_write(ready_fd_, 1);
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Reply> waiting_, replies_;  // `content` of a waiting one is the request
  bool finished_ = false, client_gone_ = false;
  std::thread thread_;
  int ready_fd_;
};

}  // namespace tilelab::jupyter
