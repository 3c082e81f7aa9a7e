// SPDX-License-Identifier: Apache-2.0
// Compilers as child processes, and the files that they read and write.
#pragma once

#include <string>
#include <vector>

namespace tilelab::codegen {

/// Runs a program (found on PATH) with arguments; its output and errors go to `log`. Returns its
/// exit status, -1 if it could not be started or was killed. An interrupt of this thread
/// (InterruptScope) ends it with its children and throws Cancelled.
int run_program(const std::vector<std::string>& command, std::string* log);

/// A directory that its destructor removes with its contents. Those of processes that were killed
/// are removed by the first one of another process.
class ScratchDirectory {
 public:
  /// Throws std::runtime_error, with a message for the user, if TMPDIR has no place for it.
  ScratchDirectory();
  ~ScratchDirectory();
  const std::string& path() const { return path_; }
  /// Writes a file in it and returns its path.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
  int lock_ = -1;  // held by the process that uses the directory
};

/// The directory of the device header: TILELAB_DEVICE_DIR, or that of the source tree.
std::string device_directory();

}  // namespace tilelab::codegen
