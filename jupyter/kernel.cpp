// SPDX-License-Identifier: Apache-2.0
#include "jupyter/kernel.h"

#include "jupyter/interrupts.h"
#include "jupyter/requests.h"
#include "jupyter/server.h"
#include "jupyter/started_processes.h"
#include "jupyter/watcher.h"
#include "session/history.h"
#include "session/session.h"

namespace tilelab {

int run_kernel(const std::string& connection_file) {
  jupyter::take_over_interrupt_signal();
  jupyter::Interrupts interrupts;
  // Opens the ports first: a client that finds them closed retries only after 100 ms.
  auto server = jupyter::open_server(connection_file, interrupts);
  jupyter::Requests requests(*server, interrupts);
  SessionOptions options;
  options.argv = {"tilelab"};
  options.history_file = default_history_file();
  options.capture_descriptors = true;
  auto session = make_session(options);
  requests.attach(*session);
  {
    jupyter::Watcher watcher(*server);
    server->serve(requests);
  }
  session.reset();  // exit handlers may end programs in their own way
  jupyter::end_started_processes();
  return requests.exit_status();
}

}  // namespace tilelab
