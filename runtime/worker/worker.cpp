// SPDX-License-Identifier: Apache-2.0
#include "runtime/worker/worker.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "core/support/check.h"
#include "core/support/interrupt.h"
#include "core/support/own_files.h"
#include "runtime/platform.h"

extern char** environ;

namespace tilelab::runtime {

using worker::Call;
using worker::Message;

namespace {

constexpr int kPollInterval = 20;  // milliseconds
/// How long a pending call may continue after an interrupt.
constexpr std::chrono::milliseconds kGrace{300};

std::string program() { return own_file("TILELAB_GPU_WORKER", "gpu-worker", TILELAB_GPU_WORKER); }

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status))
    return "signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
  return "its exit, with status " + std::to_string(WEXITSTATUS(status));
}

/// The child gets default signal handling: our threads block some signals.
pid_t spawn_program(const std::string& path, int socket, int life, int memory) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  // Moves descriptors up first, so that none of the three is overwritten before it is moved.
  constexpr int kAside = 100;
  const int given[] = {socket, life, memory};
  for (int i = 0; i < 3; ++i) posix_spawn_file_actions_adddup2(&actions, given[i], kAside + i);
  for (int i = 0; i < 3; ++i) {
    posix_spawn_file_actions_adddup2(&actions, kAside + i, worker::kSocket + i);
    posix_spawn_file_actions_addclose(&actions, kAside + i);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none), sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  // A separate process group: a terminal's Ctrl-C goes to the session only.
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  char* const argv[] = {const_cast<char*>(path.c_str()), nullptr};
  pid_t child = -1;
  const int error = posix_spawn(&child, path.c_str(), &actions, &attributes, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error == 0 ? child : -error;
}

}  // namespace

Worker& Worker::cuda() {
  static auto* const one =
      new Worker;  // never destroyed: threads may use it until the process ends
  return *one;
}

void Worker::close_ends() {
  for (int* fd : {&socket_, &life_end_, &memory_}) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
  }
  if (shared_) munmap(shared_, worker::kShared);
  shared_ = nullptr;
  child_ = -1;
}

/// "" or the reason why no process was started.
std::string Worker::spawn() {
  // A forked child that outlives the session must not keep the worker alive.
  static const int registered = pthread_atfork(nullptr, nullptr, [] {
    Worker& worker = cuda();
    if (worker.life_end_ >= 0) close(std::exchange(worker.life_end_, -1));
  });
  static_cast<void>(registered);
  int ends[2] = {-1, -1}, life[2] = {-1, -1};
  memory_ = memfd_create("tilelab", MFD_CLOEXEC);
  const bool made = memory_ >= 0 && ftruncate(memory_, worker::kShared) == 0 &&
                    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0 &&
                    pipe2(life, O_CLOEXEC) == 0;
  void* mapped =
      made ? mmap(nullptr, worker::kShared, PROT_READ | PROT_WRITE, MAP_SHARED, memory_, 0)
           : MAP_FAILED;
  socket_ = ends[0], life_end_ = life[1];
  if (mapped != MAP_FAILED) shared_ = static_cast<char*>(mapped);
  std::string wrong = shared_ ? "" : std::strerror(errno);
  if (shared_) {
    child_ = spawn_program(program(), ends[1], life[0], memory_);
    if (child_ < 0) wrong = program() + ": " + std::strerror(-child_);
  }
  for (int fd : {ends[1], life[0]})
    if (fd >= 0) close(fd);
  if (!wrong.empty()) close_ends();
  return wrong;
}

/// Whether it runs; records it if it has ended.
bool Worker::runs() {
  if (child_ < 0) return false;
  if (owner_ != getpid()) {  // a child of the session: the worker belongs to its parent
    close_ends();
    life_ = 0;
    return false;
  }
  int status = 0;
  const pid_t found = waitpid(child_, &status, WNOHANG);
  if (found == 0) return true;
  ends_.back() = found == child_ ? how_it_ended(status) : "its end";
  close_ends();
  life_ = 0;
  return false;
}

int Worker::life() {
  // The caller may hold Python's GIL, and a pending call may never return.
  const std::unique_lock lock(mutex_, std::try_to_lock);
  return !lock || runs() ? life_.load() : 0;
}

std::string Worker::ended(int life) {
  const std::lock_guard lock(mutex_);
  return life > 0 && size_t(life) <= ends_.size() ? ends_[size_t(life) - 1] : "";
}

std::string Worker::ended() {
  const std::lock_guard lock(mutex_);
  return ended(int(ends_.size()));
}

void Worker::end(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (!runs()) return;
  kill(child_, SIGKILL);
  int status = 0;
  while (waitpid(child_, &status, 0) < 0 && errno == EINTR) continue;
  ends_.back() = why;
  close_ends();
  life_ = 0;
}

std::string Worker::start() {
  const std::lock_guard lock(mutex_);
  if (runs()) return "";
  if (std::string wrong = spawn(); !wrong.empty()) return "no worker (" + wrong + ")";
  owner_ = getpid();
  ends_.emplace_back();
  life_ = int(ends_.size());
  const DriverSource& source = runtime::cuda().source();
  Message message(Call::open);
  for (const char* part :
       {source.device, source.prefix, source.library, source.variable, source.map_encoder})
    message.add(part, std::strlen(part) + 1);
  if (ask(message) == worker::kEnded) return "the worker ended by " + ends_.back();
  std::string problem = message.text();
  if (!problem.empty()) end(problem);
  return problem;
}

/// Whether a response has arrived; false if the worker has ended or on an interrupt.
bool Worker::answered() const {
  using namespace std::chrono;
  steady_clock::time_point asked{};
  for (;;) {
    pollfd waiting{socket_, POLLIN, 0};
    const int ready = poll(&waiting, 1, kPollInterval);
    if (ready > 0) return (waiting.revents & POLLIN) != 0;
    if (!InterruptScope::requested()) continue;
    if (asked == steady_clock::time_point{}) asked = steady_clock::now();
    if (steady_clock::now() - asked > kGrace) return false;
  }
}

Status Worker::exchange(Message& message) {
  message.context = context();
  if (send(socket_, &message, message.size(), MSG_NOSIGNAL) < 0) return worker::kEnded;
  if (!answered() || recv(socket_, &message, sizeof message, 0) <= 0) return worker::kEnded;
  return message.status;
}

Status Worker::ask(Message& message) {
  const std::lock_guard lock(mutex_);
  const Status status = socket_ >= 0 && owner_ == getpid() ? exchange(message) : worker::kEnded;
  if (status != worker::kEnded) return status;
  if (InterruptScope::requested()) {
    end("Ctrl-C");
    return status;
  }
  // Its socket is closed: it ends soon.
  for (int i = 0; i < 1000 && runs(); ++i) usleep(1000);
  end("a timeout");
  return status;
}

Status Worker::load(Module* module, const std::string& image) {
  const std::lock_guard lock(mutex_);
  CHECK(image.size() < worker::kShared, "an image");
  if (!shared_) return worker::kEnded;
  std::memcpy(shared_, image.c_str(), image.size() + 1);
  Message message(Call::module_load);
  const Status status = ask(message);
  *module = worker::value_of<Module>(message.words[0]);
  return status;
}

Status Worker::launch(Function function, const PlannedLaunch& launch, Stream stream,
                      void* const* params) {
  Message message(Call::launch);
  const uint64_t words[] = {worker::word_of(function),
                            launch.grid[0],
                            launch.grid[1],
                            launch.grid[2],
                            launch.block,
                            launch.shared,
                            worker::word_of(stream)};
  std::copy(std::begin(words), std::end(words), message.words);
  for (size_t i = 0; i < launch.slots.size(); ++i) {
    const bool map = launch.slots[i].from == Slot::From::map;
    const worker::ParameterSize size = map ? worker::kMapBytes : sizeof(uint64_t);
    CHECK(message.add(&size, sizeof size) && message.add(params[i], size), "a kernel's parameters");
  }
  return ask(message);
}

Status Worker::copy_in(Address to, const void* from, size_t bytes, Stream stream) {
  const std::lock_guard lock(mutex_);
  for (size_t done = 0; done < bytes;) {
    if (!shared_) return worker::kEnded;
    const size_t part = std::min(bytes - done, worker::kShared);
    std::memcpy(shared_, static_cast<const char*>(from) + done, part);
    Message message(Call::copy_in);
    message.words[0] = to + done, message.words[1] = part;
    message.words[2] = worker::word_of(stream);
    if (const Status status = ask(message); status != 0) return status;
    done += part;
  }
  return 0;
}

Status Worker::copy_out(void* to, Address from, size_t bytes, Stream stream) {
  const std::lock_guard lock(mutex_);
  for (size_t done = 0; done < bytes;) {
    if (!shared_) return worker::kEnded;
    const size_t part = std::min(bytes - done, worker::kShared);
    Message message(Call::copy_out);
    message.words[0] = from + done, message.words[1] = part;
    message.words[2] = worker::word_of(stream);
    if (const Status status = ask(message); status != 0) return status;
    std::memcpy(static_cast<char*>(to) + done, shared_, part);
    done += part;
  }
  return 0;
}

}  // namespace tilelab::runtime
