// SPDX-License-Identifier: Apache-2.0
#include "repl/editor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace tilelab {
namespace {

/// $XDG_RUNTIME_DIR, otherwise $TMPDIR, otherwise /tmp; "" if its subdirectory is not private.
std::string private_directory() {
  std::string base = "/tmp";
  for (const char* name : {"TMPDIR", "XDG_RUNTIME_DIR"})
    if (const char* value = std::getenv(name); value && *value) base = value;
  std::string path = base + "/tilelab-" + std::to_string(getuid());
  mkdir(path.c_str(), 0700);
  struct stat info;
  bool ours = lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == getuid() &&
              (info.st_mode & 077) == 0;
  return ours ? path : "";
}

void remove_left_files(const std::string& directory) {
  DIR* entries = opendir(directory.c_str());
  if (!entries) return;
  while (dirent* entry = readdir(entries)) {
    int owner = std::atoi(entry->d_name);  // "PID.py"
    if (owner > 0 && kill(owner, 0) != 0 && errno == ESRCH)
      unlink((directory + "/" + entry->d_name).c_str());
  }
  closedir(entries);
}

std::string quoted(const std::string& path) {
  std::string out = "'";
  for (char c : path) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

bool write_file(const std::string& path, const std::string& text) {
  int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0) return false;
  bool written = write(descriptor, text.data(), text.size()) == ssize_t(text.size());
  return close(descriptor) == 0 && written;
}

std::string read_file(const std::string& path) {
  std::string text;
  if (FILE* file = std::fopen(path.c_str(), "r")) {
    char buffer[4096];
    for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, n);
    std::fclose(file);
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

Edited edit_in_editor(const std::string& text) {
  std::string directory = private_directory();
  if (directory.empty()) return {std::nullopt, "no private directory for its file"};
  remove_left_files(directory);
  std::string path = directory + "/" + std::to_string(getpid()) + ".py";
  if (!write_file(path, text)) return {std::nullopt, path + " cannot be written"};
  const char* editor = std::getenv("VISUAL");
  if (!editor || !*editor) editor = std::getenv("EDITOR");
  if (!editor || !*editor) editor = "vi";
  int status = std::system((std::string(editor) + " " + quoted(path)).c_str());
  Edited edited;
  if (status == 0) edited.text = read_file(path);
  unlink(path.c_str());
  if (WIFSIGNALED(status))
    edited.problem = "signal " + std::to_string(WTERMSIG(status)) + " ended it";
  else if (WEXITSTATUS(status) == 127)
    edited.problem = "program not found; set EDITOR";
  else if (status != 0)
    edited.problem = "it ended with status " + std::to_string(WEXITSTATUS(status));
  if (status != 0) edited.problem = std::string("editor ") + editor + ": " + edited.problem;
  return edited;
}

}  // namespace tilelab
