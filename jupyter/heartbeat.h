// SPDX-License-Identifier: Apache-2.0
// The heartbeat channel: an echo.
#pragma once

#include <zmq.hpp>

#include "jupyter/stop_flag.h"
#include "jupyter/zmq_tools.h"

namespace tilelab::jupyter {

/// Returns every message of a bound REP socket to its sender until `stop` is set: all its parts,
/// since a REP socket sends nothing before it has received the last one.
inline void echo_until(const StopFlag& stop, zmq::socket_t& socket) {
  while (!stop) {
    zmq::pollitem_t items[] = {readable(socket), readable(stop.fd())};
    poll(items);
    zmq::multipart_t beat;
    if (items[0].revents && beat.recv(socket, ZMQ_DONTWAIT)) beat.send(socket);
  }
}

}  // namespace tilelab::jupyter
