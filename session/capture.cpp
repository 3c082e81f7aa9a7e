// SPDX-License-Identifier: Apache-2.0
#include "session/capture.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <mutex>
#include <thread>

namespace tilelab {
namespace {

constexpr size_t chunk = 65536;

/// The number of bytes at the end of `text` that form an incomplete UTF-8 character.
size_t unfinished(const std::string& text) {
  for (size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    unsigned char c = static_cast<unsigned char>(text[text.size() - back]);
    if ((c & 0xc0) == 0x80) continue;
    size_t length = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

}  // namespace

struct Capture::State {
  struct Channel {
    const char* name;
    int descriptor, saved = -1, read_end = -1;
    std::string rest;  // the start of an incomplete character
  };
  Sink sink;
  Channel channels[2] = {{"stdout", 1}, {"stderr", 2}};
  int stop[2] = {-1, -1};
  std::mutex mutex;
  std::thread thread;

  void deliver(Channel& channel) {
    char buffer[chunk];
    for (ssize_t n; (n = read(channel.read_end, buffer, sizeof buffer)) > 0;) {
      std::string text = channel.rest + std::string(buffer, size_t(n));
      size_t keep = unfinished(text);
      channel.rest = text.substr(text.size() - keep);
      text.resize(text.size() - keep);
      if (!text.empty()) sink(channel.name, text);
    }
  }

  void deliver_all() {
    for (Channel& channel : channels) deliver(channel);
  }

  void pump() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);  // the main thread handles signals
    for (;;) {
      pollfd wait[3] = {{channels[0].read_end, POLLIN, 0},
                        {channels[1].read_end, POLLIN, 0},
                        {stop[0], POLLIN, 0}};
      if (poll(wait, 3, -1) < 0) continue;
      if (wait[2].revents) return;
      std::lock_guard lock(mutex);
      for (Channel& channel : channels) deliver(channel);
    }
  }
};

Capture::Capture(Sink sink) : state_(new State) {
  state_->sink = sink;
  std::fflush(nullptr);
  for (State::Channel& channel : state_->channels) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) continue;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    channel.read_end = ends[0];
    channel.saved = fcntl(channel.descriptor, F_DUPFD_CLOEXEC, 3);
    dup2(ends[1], channel.descriptor);
    close(ends[1]);
  }
  if (pipe2(state_->stop, O_CLOEXEC) == 0)
    state_->thread = std::thread([state = state_.get()] { state->pump(); });
}

Capture::~Capture() {
  drain();
  if (state_->thread.joinable()) {
    [[maybe_unused]] ssize_t n = write(state_->stop[1], "x", 1);
    state_->thread.join();
  }
  for (State::Channel& channel : state_->channels) {
    if (channel.saved < 0) continue;
    dup2(channel.saved, channel.descriptor);
    close(channel.saved);
    close(channel.read_end);
  }
  close(state_->stop[0]);
  close(state_->stop[1]);
}

// C's stdio is flushed before the lock is taken: the pipe may be full, and the thread that empties
// it needs the lock. C's stderr is unbuffered.
void Capture::drain() {
  std::fflush(stdout);
  std::lock_guard lock(state_->mutex);
  state_->deliver_all();
}

void Capture::in_order(FunctionRef<void()> action) {
  std::fflush(stdout);
  std::lock_guard lock(state_->mutex);
  state_->deliver_all();
  action();
}

}  // namespace tilelab
