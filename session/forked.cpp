// SPDX-License-Identifier: Apache-2.0
#include "session/state.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>

#include "core/support/descriptor.h"

namespace tilelab {
namespace {

bool forked = false;

/// Writes text immediately and without locks: threads of the parent may have held them.
class ChildFrontend final : public Frontend {
 public:
  void stream(const std::string& name, const std::string& text) override {
    write_all(name == "stderr" ? 2 : 1, text);
  }
  void display(const MimeBundle& bundle, const std::string&, bool) override {
    if (const std::string* text = bundle.find("text/plain")) write_all(1, *text + "\n");
  }
  void result(int, const MimeBundle& bundle) override { display(bundle, "", false); }
  void error(const std::string&, const std::string&,
             const std::vector<std::string>& traceback) override {
    for (const std::string& line : traceback) write_all(2, line + "\n");
  }
  void clear_output(bool) override {}
  std::string input(const std::string&, bool) override {
    throw std::runtime_error("a forked process cannot use input(), which belongs to the session");
  }
  void page(const MimeBundle& bundle) override { display(bundle, "", false); }
  void set_next_input(const std::string&, bool) override {}
};

/// Flushes C's buffer, which the child would write again.
void before_fork() { std::fflush(stdout); }

void in_child() {
  static ChildFrontend frontend;
  forked = true;
  SessionState& state = session_state();
  state.frontend = &frontend;
  static_cast<void>(state.capture.release());  // its thread and its lock belong to the parent
  // A signal to a child (multiprocessing's terminate()) is for the child alone.
  signal(SIGTERM, SIG_DFL);
}

}  // namespace

void watch_forks() { pthread_atfork(before_fork, nullptr, in_child); }

bool is_forked() { return forked; }

}  // namespace tilelab
