// SPDX-License-Identifier: Apache-2.0
// How much text a cell may print into its page: hundreds of thousands of lines freeze a browser.
#pragma once

#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

namespace tilelab::jupyter {

/// Up to a limit, text is shown as it comes. Beyond it, the cell's whole text goes to a file, and
/// the page gets the file's name and, at the end, the last lines. A line that is written over by a
/// carriage return, as progress bars do it, counts once. Any thread.
class OutputLimit {
 public:
  struct Sizes {
    size_t lines = 10'000, bytes = 1'000'000;  // lines 0: no limit
    size_t file_bytes = 200'000'000;           // what a loop without end may write to the disk
    size_t last_lines = 20, last_bytes = 4'000;
    int files = 10;  // of all sessions; older ones go
  };

  /// The sizes that $TILELAB_OUTPUT_LINES asks for; files lie in `directory` ("" = none is kept).
  OutputLimit();
  OutputLimit(const Sizes& sizes, std::string directory);
  ~OutputLimit();

  /// A cell begins, behind finish(); `what` names it in the file's name.
  void begin(const std::string& what);
  /// What of the text is shown.
  std::string take(const std::string& text);
  /// What has been shown was removed from the page.
  void forget();
  /// The end of the cell: what is said of the text that was not shown, or "". What comes between
  /// cells counts anew.
  std::string finish();

 private:
  void start_over();
  void count(char c);
  bool open_file();
  void write(std::string_view text);
  void close();
  std::string note() const;

  Sizes sizes_;
  std::string directory_, what_, path_;
  std::mutex mutex_;
  std::string shown_;  // as long as everything is shown
  size_t lines_ = 0, bytes_ = 0, line_bytes_ = 0;
  bool over_ = false;
  size_t all_bytes_ = 0, all_lines_ = 0, file_bytes_ = 0;
  std::string last_;  // the end of the text
  std::FILE* file_ = nullptr;
};

}  // namespace tilelab::jupyter
