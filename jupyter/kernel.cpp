// SPDX-License-Identifier: Apache-2.0
#include "jupyter/kernel.h"

#include <malloc.h>
#include <sys/mman.h>
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
#include "jupyter/watcher.h"
#include "session/history.h"
#include "session/session.h"

namespace tilelab {

namespace {

constexpr int threads_of_kernel = 8;

void check_files() {
  constexpr rlim_t files = 64;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < files)
    throw std::runtime_error("a notebook kernel opens " + std::to_string(files) +
                             " files, but the limit is " + std::to_string(limit.rlim_cur) +
                             " (ulimit -n)");
}

/// Where the address space is limited, threads share one heap: a separate heap reserves 64 MiB.
void share_the_heap() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) mallopt(M_ARENA_MAX, 1);
}

/// What a session needs besides its threads, when it starts.
bool can_reserve_memory() {
  constexpr size_t bytes = size_t{48} << 20;
  void* reserved = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return reserved != MAP_FAILED && munmap(reserved, bytes) == 0;
}

/// Throws where the system allows too few threads, or too little memory beside them.
void check_threads_and_memory() {
  std::latch checked(1);
  std::vector<std::thread> started;
  std::string problem;
  try {
    while (started.size() < threads_of_kernel) started.emplace_back([&] { checked.wait(); });
  } catch (const std::system_error& e) {
    problem = "threads, but only " + std::to_string(started.size()) +
              " could be started: " + e.code().message() + " (ulimit -u, -v)";
  }
  if (problem.empty() && !can_reserve_memory())
    problem = "threads, but they leave too little memory (ulimit -v)";
  checked.count_down();
  for (std::thread& thread : started) thread.join();
  if (!problem.empty())
    throw std::runtime_error("a notebook kernel starts " + std::to_string(threads_of_kernel) + " " +
                             problem);
}

/// Throws where a limit of the system is too low for a kernel: ZeroMQ and xeus would abort.
void check_limits() {
  check_files();
  share_the_heap();
  check_threads_and_memory();
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
