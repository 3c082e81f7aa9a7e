// SPDX-License-Identifier: Apache-2.0
#include "jupyter/kernel.h"

#include <sys/resource.h>

#include <latch>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "jupyter/interrupts.h"
#include "jupyter/requests.h"
#include "jupyter/server.h"
#include "jupyter/started_processes.h"
#include "jupyter/watcher.h"
#include "session/history.h"
#include "session/session.h"

namespace tilelab {

namespace {

/// Throws where a limit of the system is too low for a kernel: ZeroMQ would abort.
void check_limits() {
  constexpr rlim_t files = 64;
  constexpr int threads = 8;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < files)
    throw std::runtime_error("a notebook kernel opens " + std::to_string(files) +
                             " files, but the limit is " + std::to_string(limit.rlim_cur) +
                             " (ulimit -n)");
  std::latch all_started(1);
  std::vector<std::thread> started;
  std::string problem;
  try {
    while (started.size() < threads) started.emplace_back([&] { all_started.wait(); });
  } catch (const std::system_error& e) {
    problem = e.code().message();
  }
  all_started.count_down();
  for (std::thread& thread : started) thread.join();
  if (!problem.empty())
    throw std::runtime_error("a notebook kernel starts " + std::to_string(threads) +
                             " threads, but only " + std::to_string(started.size()) +
                             " could be started: " + problem + " (ulimit -u, -v)");
}

}  // namespace

int run_kernel(const std::string& connection_file) {
  check_limits();
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
