// SPDX-License-Identifier: Apache-2.0
#include "codegen/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "core/support/check.h"
#include "core/support/interrupt.h"
#include "core/support/own_files.h"

extern char** environ;

namespace tilelab::codegen {

namespace {

constexpr int kPollInterval = 20;  // milliseconds
constexpr const char* kScratchName = "tilelab-code-";

/// Appends a pipe's output to `log` until it ends, or until an interrupt (false).
bool read_all(int from, std::string* log) {
  char buffer[4096];
  for (;;) {
    pollfd waiting{from, POLLIN, 0};
    const int ready = poll(&waiting, 1, kPollInterval);
    if (InterruptScope::requested()) return false;
    if (ready < 0 && errno != EINTR) return true;
    if (ready <= 0) continue;
    const ssize_t n = read(from, buffer, sizeof buffer);
    if (n <= 0) return true;
    if (log) log->append(buffer, size_t(n));
  }
}

/// A process group that ends with this process, even by SIGKILL. The kernel can do that for a child
/// only (PR_SET_PDEATHSIG), and the compiler is a child of the compiler driver. So a shell leads
/// the group and waits for the end of a pipe; what runs joins the group from its first instruction.
class WatchedGroup {
 public:
  WatchedGroup() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    std::string shell = "sh", option = "-c", script = "read -r ended || kill -s KILL 0";
    char* argv[] = {shell.data(), option.data(), script.data(), nullptr};
    if (posix_spawn(&leader_, "/bin/sh", &actions, &attributes, argv, environ) != 0) leader_ = 0;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(ends[0]);
    if (leader_ > 0)
      pipe_ = ends[1];
    else
      close(ends[1]);
  }
  /// What remains of the group continues.
  ~WatchedGroup() {
    if (pipe_ >= 0) {
      [[maybe_unused]] const ssize_t written = write(pipe_, "\n", 1);
      close(pipe_);
    }
    while (leader_ > 0 && waitpid(leader_, nullptr, 0) < 0 && errno == EINTR) continue;
  }
  WatchedGroup(const WatchedGroup&) = delete;
  WatchedGroup& operator=(const WatchedGroup&) = delete;

  /// 0 if the shell did not start.
  pid_t number() const { return leader_; }
  /// Kills the group; if the shell did not start, that of `first`, the process that runs.
  void end(pid_t first) {
    kill(-(leader_ > 0 ? leader_ : first), SIGKILL);
    if (pipe_ >= 0) close(pipe_);
    pipe_ = -1;
  }

 private:
  pid_t leader_ = 0;
  int pipe_ = -1;
};

}  // namespace

int run_program(const std::vector<std::string>& command, std::string* log) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  // A separate process group: compilers have children, which end with them.
  WatchedGroup group;
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, group.number());
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t child = -1;
  const int error = posix_spawnp(&child, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(ends[1]);
  if (error) {
    close(ends[0]);
    if (log) *log += command[0] + ": " + std::strerror(error) + "\n";
    return -1;
  }
  const bool whole = read_all(ends[0], log);
  close(ends[0]);
  if (!whole) group.end(child);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (!whole) throw Cancelled{};
  if (!WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

/// Locks a directory of this user; -1 if a process uses it.
static int lock_directory(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat info;
  if (descriptor < 0 || fstat(descriptor, &info) != 0) return -1;
  if (info.st_uid == geteuid() && flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  close(descriptor);
  return -1;
}

static void remove_left_directories(const std::string& base) {
  std::error_code ignored;
  std::filesystem::directory_iterator at(base, ignored), end;
  for (; at != end; at.increment(ignored)) {
    const auto age = std::filesystem::file_time_type::clock::now() - at->last_write_time(ignored);
    if (!at->path().filename().string().starts_with(kScratchName) || ignored ||
        age < std::chrono::minutes(1))  // it may not be locked yet
      continue;
    const int lock = lock_directory(at->path());
    if (lock < 0) continue;
    std::filesystem::remove_all(at->path(), ignored);
    close(lock);
  }
}

ScratchDirectory::ScratchDirectory() {
  const char* given = std::getenv("TMPDIR");
  const std::string base = given && *given ? given : "/tmp";
  path_ = base + "/" + kScratchName + "XXXXXX";
  static const bool removed = (remove_left_directories(base), true);
  static_cast<void>(removed);
  if (!mkdtemp(path_.data()))
    throw std::runtime_error("cannot create a directory in " + base + ": " + std::strerror(errno) +
                             "; set TMPDIR to a directory that you can write");
  lock_ = lock_directory(path_);
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  if (lock_ >= 0) close(lock_);
}

std::string ScratchDirectory::write(const std::string& name, const std::string& text) const {
  std::string path = path_ + "/" + name;
  std::FILE* file = std::fopen(path.c_str(), "w");
  CHECK(file != nullptr, path);
  const bool complete = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  CHECK(std::fclose(file) == 0 && complete, path);
  return path;
}

std::string device_directory() {
  return own_file("TILELAB_DEVICE_DIR", "device", TILELAB_DEVICE_DIR);
}

}  // namespace tilelab::codegen
