// SPDX-License-Identifier: Apache-2.0
// Reads lines from standard input without editing, through C's stdin, which input() shares.
#include <errno.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "repl/line_reader.h"
#include "repl/signals.h"

namespace tilelab {
namespace {

class PlainReader final : public LineReader {
 public:
  ~PlainReader() override { std::free(buffer_); }

  Outcome read(const LineRequest& request, std::string& line) override {
    if (isatty(0)) {
      std::fputs(request.prompt.c_str(), stdout);
      std::fflush(stdout);
    }
    return isatty(0) ? read_terminal(line) : read_line(line);
  }
  void add_history(const std::string&) override {}
  bool print_above(const std::string&) override { return false; }

 private:
  Outcome read_terminal(std::string& line) {
    PromptSignals signals;
    for (;;) {
      bool typed = signals.wait();
      for (int signal; (signal = PromptSignals::next()) != 0;) {
        if (signal == SIGTERM || signal == SIGHUP) end_by_signal(signal);
        if (signal == SIGTSTP) stop_self();
      }
      if (take_typed_interrupt()) {
        std::fputs("\n", stdout);
        return Outcome::interrupted;
      }
      if (PromptSignals::reads_ended()) return Outcome::end;
      if (typed) return read_line(line);
    }
  }

  Outcome read_line(std::string& line) {
    if (take_typed_interrupt()) return Outcome::interrupted;
    errno = 0;
    ssize_t size = getline(&buffer_, &capacity_, stdin);
    bool cut_short = size < 0 && errno == EINTR && !feof(stdin);
    if (cut_short) clearerr(stdin);
    if (size < 0) return take_typed_interrupt() || cut_short ? Outcome::interrupted : Outcome::end;
    line.assign(buffer_, size_t(size));
    if (!line.empty() && line.back() == '\n') line.pop_back();
    if (!line.empty() && line.back() == '\r') line.pop_back();
    return Outcome::line;
  }

  char* buffer_ = nullptr;
  size_t capacity_ = 0;
};

}  // namespace

std::unique_ptr<LineReader> make_plain_reader() { return std::make_unique<PlainReader>(); }

#ifndef TILELAB_READLINE
std::unique_ptr<LineReader> make_readline_reader(Session&) { return nullptr; }
#endif

}  // namespace tilelab
