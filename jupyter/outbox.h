// SPDX-License-Identifier: Apache-2.0
// The queue between publishing threads and the thread that owns the iopub socket.
#pragma once

#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilelab::jupyter {

/// Preserves the order of publication. Merges small pieces of text: a piece of a stream is appended
/// to the last item if that belongs to the same stream and request; an item is sent when another
/// one follows, after 50 ms, or when it has 16 KiB. `Message` is anything ready to send; `Parent`
/// identifies the request of a text.
template <class Message, class Parent> class Outbox {
 public:
  static constexpr int64_t kDelay = 50;  // ms
  static constexpr size_t kFullAt = 16 * 1024;

  struct Stream {
    std::string name, text;
    Parent parent;
    int64_t due;  // ms of the monotonic clock
  };
  struct Item {
    std::optional<Message> message;  // absent: a stream
    Stream stream;
  };

  static int64_t now_ms() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * int64_t{1000} + now.tv_nsec / 1'000'000;
  }

  Outbox() : wake_fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
  ~Outbox() { close(wake_fd_); }
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  void push(Message message) {
    std::lock_guard<std::mutex> lock(mutex_);
    items_.push_back({std::move(message), {}});
    wake();
  }

  void stream(const std::string& name, const std::string& text, const Parent& parent) {
    if (text.empty()) return;
    std::lock_guard<std::mutex> lock(mutex_);
    bool joins = !items_.empty() && !items_.back().message && items_.back().stream.name == name &&
                 items_.back().stream.parent == parent;
    if (!joins) items_.push_back({std::nullopt, {name, "", parent, now_ms() + kDelay}});
    Stream& last = items_.back().stream;
    last.text += text;
    if (!joins || last.text.size() >= kFullAt) wake();
  }

  /// Sends everything published so far.
  void flush() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!items_.empty()) items_.back().stream.due = 0;
    wake();
  }

  /// Sends the rest; nothing may be published afterwards.
  void finish() {
    std::lock_guard<std::mutex> lock(mutex_);
    finished_ = true;
    wake();
  }

  /// Readable when take() may have something.
  int wake_fd() const { return wake_fd_; }

  struct Taken {
    std::vector<Item> items;
    int wait_ms = -1;  // call again after this time, or when wake_fd is readable; -1: only then
    bool finished = false;  // these are the last
  };

  Taken take(int64_t now = now_ms()) {
    std::lock_guard<std::mutex> lock(mutex_);
    eventfd_t wakes;
    eventfd_read(wake_fd_, &wakes);
    Taken taken;
    taken.finished = finished_;
    while (!items_.empty() && (finished_ || leaves(now))) {
      taken.items.push_back(std::move(items_.front()));
      items_.pop_front();
    }
    if (!items_.empty()) {
      taken.wait_ms = static_cast<int>(items_.front().stream.due - now);
    }
    return taken;
  }

 private:
  bool leaves(int64_t now) const {
    const Item& first = items_.front();
    return first.message || items_.size() > 1 || first.stream.due <= now ||
           first.stream.text.size() >= kFullAt;
  }
  void wake() { eventfd_write(wake_fd_, 1); }

  std::mutex mutex_;
  std::deque<Item> items_;
  bool finished_ = false;
  int wake_fd_;
};

}  // namespace tilelab::jupyter
