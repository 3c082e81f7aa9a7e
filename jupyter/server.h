// SPDX-License-Identifier: Apache-2.0
// The sockets of a kernel, as an interface. Implemented by xeus_server.cpp, the only file that uses
// xeus.
#pragma once

#include <memory>
#include <string>

#include "jupyter/requests.h"
#include "jupyter/watcher.h"

namespace tilelab::jupyter {

class Server : public Wire, public Watched {
 public:
  /// Serves requests on the calling thread until stop(): shutdown_request, a signal, exit(n).
  virtual void serve(Requests& requests) = 0;
};

/// Reads the connection file and binds its five ports; clients may connect from now on, serve()
/// answers them. Throws std::runtime_error with a message for the user.
std::unique_ptr<Server> open_server(const std::string& connection_file, Interrupts& interrupts);

}  // namespace tilelab::jupyter
