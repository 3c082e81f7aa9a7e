// SPDX-License-Identifier: Apache-2.0
// Waits for ZeroMQ sockets and file descriptors.
#pragma once

#include <cstddef>
#include <zmq.hpp>
#include <zmq_addon.hpp>

namespace tilelab::jupyter {

inline zmq::pollitem_t readable(zmq::socket_t& socket) {
  return {socket.handle(), 0, ZMQ_POLLIN, 0};
}
inline zmq::pollitem_t readable(int fd) { return {nullptr, fd, ZMQ_POLLIN, 0}; }

/// Waits until an item is readable or `wait_ms` have passed (-1: no limit). After an interrupted
/// system call (zmq::poll would throw) nothing is readable, and the caller polls again.
template <size_t n> void poll(zmq::pollitem_t (&items)[n], int wait_ms = -1) {
  if (zmq_poll(items, n, wait_ms) >= 0) return;
  for (auto& item : items) item.revents = 0;
}

}  // namespace tilelab::jupyter
