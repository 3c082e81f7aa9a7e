// SPDX-License-Identifier: Apache-2.0
// The heartbeat channel: an echo.
#pragma once

#include <zmq.hpp>

#include "jupyter/stop_flag.h"
#include "jupyter/zmq_tools.h"

namespace tilelab::jupyter {

/// Returns every message of a bound REP socket to its sender until `stop` is set.
inline void echo_until(const StopFlag& stop, zmq::socket_t& socket) {
  while (!stop) {
    zmq::pollitem_t items[] = {readable(socket), readable(stop.fd())};
    poll(items);
    zmq::message_t beat;
    if (items[0].revents && socket.recv(beat, zmq::recv_flags::dontwait))
      socket.send(beat, zmq::send_flags::none);
  }
}

}  // namespace tilelab::jupyter
