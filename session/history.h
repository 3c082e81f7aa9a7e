// SPDX-License-Identifier: Apache-2.0
// The history of inputs, of this session and earlier ones: a file that several sessions may share.
#pragma once

#include <string>
#include <vector>

#include "session/session.h"

namespace tilelab {

/// The user's history file: $XDG_STATE_HOME/tilelab/history, by default under ~/.local/state.
std::string default_history_file();

class History {
 public:
  /// "" keeps the history in memory only.
  explicit History(std::string file) : file_(std::move(file)) {}

  /// Adds a cell and appends it to the file in one write under a lock. Not written: lines that
  /// start with a blank, repetitions of the previous line, and cells of more than 1 MiB.
  void add(int line, const std::string& input);
  /// Text of the result of the last added cell, for %history -o.
  void set_output(const std::string& output);
  const std::vector<HistoryEntry>& own() const { return own_; }
  /// Entries of earlier sessions, oldest first; sessions count from 1. Reads the file once.
  const std::vector<HistoryEntry>& earlier() const;
  /// Compacts a file that has grown too long, atomically: a kill loses nothing. Not for every cell,
  /// since it reads the file.
  void compact() const;
  /// Why the history is not saved, for the user; or "".
  std::string problem() const;
  /// The index of this session; 0 until the file has been read.
  int session() const;

 private:
  void read() const;
  void append(const std::string& input);

  std::string file_, last_;
  std::vector<HistoryEntry> own_;
  mutable std::vector<HistoryEntry> earlier_;
  mutable int session_ = 1;
  mutable bool read_ = false;
};

}  // namespace tilelab
