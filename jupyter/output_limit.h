// SPDX-License-Identifier: Apache-2.0
// Limits the text that a cell prints into its page: hundreds of thousands of lines freeze a
// browser.
#pragma once

#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

namespace tilelab::jupyter {

/// Up to a limit, text is shown immediately. Beyond it, the cell's complete text goes to a file,
/// and the page gets the file's name and, at the end, the last lines. A line rewritten with
/// carriage returns, as by progress bars, counts once. Any thread.
class OutputLimit {
 public:
  struct Sizes {
    size_t lines = 10'000, bytes = 1'000'000;  // lines 0: no limit
    size_t file_bytes = 200'000'000;           // limit for an infinite loop
    size_t last_lines = 20, last_bytes = 4'000;
    int files = 10;  // of all sessions; older ones are deleted
  };

  /// Sizes from $TILELAB_OUTPUT_LINES; files are in `directory` ("" = none).
  OutputLimit();
  OutputLimit(const Sizes& sizes, std::string directory);
  ~OutputLimit();

  /// A cell begins, after finish(); `what` becomes part of the file's name.
  void begin(const std::string& what);
  /// The part of the text to show.
  std::string take(const std::string& text);
  /// The page was cleared.
  void forget();
  /// The end of the cell: a summary of the text that was not shown, or "". Text between cells is
  /// counted separately.
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
  std::string shown_;  // while everything is shown
  size_t lines_ = 0, bytes_ = 0, line_bytes_ = 0;
  bool over_ = false;
  size_t all_bytes_ = 0, all_lines_ = 0, file_bytes_ = 0;
  std::string last_;  // the end of the text
  std::FILE* file_ = nullptr;
};

}  // namespace tilelab::jupyter
