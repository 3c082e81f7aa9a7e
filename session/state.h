// SPDX-License-Identifier: Apache-2.0
// State shared by session/. One session per process, as Python has one interpreter.
#pragma once

#include <memory>
#include <string>

#include "python/value.h"
#include "session/capture.h"
#include "session/debug_channel.h"
#include "session/history.h"
#include "session/session.h"

namespace tilelab {

struct SessionState {
  DebugChannel debug_channel;
  Session* session = nullptr;
  Frontend* frontend = nullptr;  // of the running cell, or of the last one
  SessionOptions options;
  History history{""};
  std::unique_ptr<Capture> capture;
  int count = 0;        // of the last stored cell
  bool silent = false;  // the running cell shows no result
  bool allow_stdin = true;
  std::string last_result;  // text/plain of the running cell's result
};

SessionState& session_state();

/// Registers the module _tilelab_host, by which Python calls the front end.
void add_host_module();

MimeBundle to_bundle(const python::Value& parts, const std::string& metadata);

// Processes forked by a cell: they inherit the session's variables, but neither its front end nor
// its threads. Their output goes to the file descriptors, and they end at the end of the cell.

/// Registers fork handlers. Once per process.
void watch_forks();
/// Whether this process is such a child.
bool is_forked();

}  // namespace tilelab
