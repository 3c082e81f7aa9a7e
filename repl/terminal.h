// SPDX-License-Identifier: Apache-2.0
// The front end of a terminal, and of pipes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "repl/keyboard.h"
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
  /// Ends the read of a thread that Python does not wait for, so that the terminal gets its modes
  /// back.
  ~TerminalFrontend() override;
  /// Stays until the end of the process: threads may ask for input while Python waits for them.
  void set_reader(std::unique_ptr<LineReader> reader) { reader_ = std::move(reader); }
  bool reads_cells() const { return reader_->reads_cells(); }
  /// Reads a cell or an answer, after the threads that asked before.
  LineReader::Outcome read(const LineRequest& request, std::string& line);
  /// Of the session's thread.
  void add_history(const std::string& text) { new_history_.push_back(text); }

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
  LineReader::Outcome ask(const std::string& prompt, bool password, std::string& line);
  LineReader::Outcome ask_password(const std::string& prompt, std::string& line);

  Keyboard keyboard_;
  std::unique_ptr<LineReader> reader_;
  std::vector<std::string> new_history_;  // readline's list belongs to the thread that reads
  bool color_, pager_, line_open_ = false;
  std::string next_input_;
};

}  // namespace tilelab
