// SPDX-License-Identifier: Apache-2.0
// Counts the clients that are connected to a socket. Part of xeus_server.cpp, its only includer.
#pragma once

#include <zmq.h>

#include <cstdint>
#include <cstring>
#include <zmq.hpp>

#include "jupyter/zmq_tools.h"

namespace tilelab::jupyter {

/// Reads the events that ZeroMQ publishes about a bound socket. One thread, that of the socket.
class ClientCount {
 public:
  ClientCount(zmq::context_t& context, zmq::socket_t& counted)
      : counted_(counted), events_(context, zmq::socket_type::pair) {
    constexpr const char* address = "inproc://control-clients";
    zmq_socket_monitor(counted.handle(), address, ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED);
    events_.connect(address);
  }
  /// Ends the events; before the socket closes.
  void stop() {
    zmq_socket_monitor(counted_.handle(), nullptr, 0);
    events_.close();
  }

  zmq::socket_t& events() { return events_; }

  /// Reads the pending events. Whether the last client has gone.
  bool last_has_gone() {
    const int before = clients_;
    zmq::multipart_t event;
    while (event.recv(events_, ZMQ_DONTWAIT)) {
      uint16_t kind = 0;
      if (event.size() > 0 && event.peek(0)->size() >= sizeof kind)
        std::memcpy(&kind, event.peek(0)->data(), sizeof kind);
      if (kind == ZMQ_EVENT_ACCEPTED) ++clients_;
      if (kind == ZMQ_EVENT_DISCONNECTED) --clients_;
    }
    return before > 0 && clients_ <= 0;
  }

 private:
  zmq::socket_t& counted_;
  zmq::socket_t events_;
  int clients_ = 0;
};

}  // namespace tilelab::jupyter
