// SPDX-License-Identifier: Apache-2.0
// The front end of a terminal, and of pipes.
#pragma once

#include <string>
#include <thread>

#include "repl/line_reader.h"
#include "session/session.h"

namespace tilelab {

enum class ColorMode { automatic, always, never };

/// Whether to use color: --color, otherwise CLICOLOR_FORCE or FORCE_COLOR, otherwise a terminal
/// other than "dumb" without NO_COLOR.
bool wants_color(ColorMode mode, int descriptor);

class TerminalFrontend final : public Frontend {
 public:
  TerminalFrontend(ColorMode mode, bool pager);
  void set_reader(LineReader* reader) { reader_ = reader; }

  void stream(const std::string& name, const std::string& text) override;
  void flush() override;
  void display(const MimeBundle& bundle, const std::string& display_id, bool update) override;
  void result(int count, const MimeBundle& bundle) override;
  void error(const std::string& ename, const std::string& evalue,
             const std::vector<std::string>& traceback) override;
  void clear_output(bool wait) override;
  std::string input(const std::string& prompt, bool password) override;
  void page(const MimeBundle& bundle) override;
  bool pages() const override { return pager_; }
  void set_next_input(const std::string& text, bool replace) override;
  int width() const override;
  bool color() const override { return color_; }

  /// Returns the text of set_next_input, once.
  std::string take_next_input() { return std::exchange(next_input_, ""); }
  /// Ends an unterminated line, so that the prompt starts in column 1.
  void end_line();

 private:
  void print(const std::string& text);
  std::string ask_password(const std::string& prompt);

  LineReader* reader_ = nullptr;
  std::thread::id owner_ = std::this_thread::get_id();
  bool color_, pager_, line_open_ = false;
  std::string next_input_;
};

}  // namespace tilelab
