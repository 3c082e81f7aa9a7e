// SPDX-License-Identifier: Apache-2.0
// Waiting for ZeroMQ sockets and file descriptors; the frames of a message.
#pragma once

#include <cstddef>
#include <zmq.hpp>
#include <zmq_addon.hpp>

namespace tilelab::jupyter {

inline zmq::pollitem_t readable(zmq::socket_t& socket) {
  return {socket.handle(), 0, ZMQ_POLLIN, 0};
}
inline zmq::pollitem_t readable(int fd) { return {nullptr, fd, ZMQ_POLLIN, 0}; }

/// Waits until an item is readable or `wait_ms` have passed (-1: no limit). An interrupted system
/// call (zmq::poll would throw) is a reason to look again: nothing is readable then.
template <size_t n> void poll(zmq::pollitem_t (&items)[n], int wait_ms = -1) {
  if (zmq_poll(items, n, wait_ms) >= 0) return;
  for (auto& item : items) item.revents = 0;
}

/// Whether a message has the frames that the protocol wants; xeus reads them without looking.
inline bool has_all_frames(const zmq::multipart_t& wire) {
  constexpr size_t after_delimiter = 5;  // signature, header, parent header, metadata, content
  size_t at = 0;
  while (at < wire.size() && wire.peek(at)->to_string_view() != "<IDS|MSG>") ++at;
  return wire.size() >= at + 1 + after_delimiter;
}

}  // namespace tilelab::jupyter
