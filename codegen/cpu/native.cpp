// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/native.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <optional>

#include "codegen/cpu/guarded_buffer.h"
#include "codegen/events.h"
#include "core/analysis/effects.h"
#include "core/ir/traverse.h"
#include "core/sim/not_finite.h"
#include "core/support/check.h"

namespace tilelab::cpu {

namespace {

/// Copies of a launch's tensors that a child process shares, each between unmapped pages.
/// Overlapping tensors are parts of one copy.
class SharedTensors {
 public:
  SharedTensors(const std::vector<sim::GlobalMemory>& memories, const std::set<Symbol>& written) {
    std::vector<const sim::GlobalMemory*> order;
    for (const sim::GlobalMemory& m : memories) order.push_back(&m);
    std::sort(order.begin(), order.end(),
              [](const auto* a, const auto* b) { return a->data < b->data; });
    for (const sim::GlobalMemory* m : order) {
      uint8_t* const end = m->data + m->bytes;
      if (parts_.empty() || m->data >= parts_.back().end) parts_.push_back({m->data, end});
      parts_.back().end = std::max(parts_.back().end, end);
      parts_.back().written |= written.count(m->name) != 0;
    }
    for (Part& part : parts_) {
      part.copy.emplace(size_t(part.end - part.begin), 16, 0, true);
      std::memcpy(part.copy->data(), part.begin, part.copy->size());
    }
  }
  uint8_t* copy_of(const sim::GlobalMemory& m) const {
    for (const Part& part : parts_)
      if (m.data >= part.begin && m.data + m.bytes <= part.end)
        return part.copy->as<uint8_t>() + (m.data - part.begin);
    UNREACHABLE("no copy of " + m.name.str());
  }
  /// Copies the kernel's writes back to the tensors.
  void copy_back() const {
    for (const Part& part : parts_)
      if (part.written) std::memcpy(part.begin, part.copy->data(), part.copy->size());
  }

 private:
  struct Part {
    uint8_t *begin, *end;
    bool written = false;
    std::optional<codegen::GuardedBuffer> copy;
  };
  std::vector<Part> parts_;
};

constexpr int kPollInterval = 20;           // milliseconds
constexpr size_t kStack = size_t{8} << 20;  // of a process in the same memory
constexpr int kCrashed = 64;                // added to a signal: its exit status

struct Child {
  Library::Entry entry;
  void** args;
  bool same_memory = false;
};

int run_entry(void* of) {
  const Child& child = *static_cast<const Child*>(of);
  // A core dump would end all processes with this memory before Linux 5.16.
  const auto leave = [](int s) { _exit(kCrashed + s); };
  for (int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    signal(s, child.same_memory ? static_cast<void (*)(int)>(leave) : SIG_DFL);
  signal(SIGINT, SIG_IGN);  // the parent handles it and ends this process
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  child.entry(child.args);
  _exit(0);
}

/// A process with this one's memory, in which the kernel writes to tensors at addresses; a signal
/// ends it alone.
pid_t start_in_same_memory(Child& child, codegen::GuardedBuffer& stack) {
  uint8_t* const top = stack.as<uint8_t>() + stack.size();
  return clone(run_entry, top, CLONE_VM | SIGCHLD, &child);
}

/// Runs `entry` in a child process. Returns waitpid's status; nullopt after an interrupt.
std::optional<int> run_in_child(Child given, const std::atomic<bool>* interrupt) {
  int ends[2];  // the child's death closes its end
  CHECK(pipe2(ends, O_CLOEXEC) == 0);
  std::optional<codegen::GuardedBuffer> stack;
  if (given.same_memory) stack.emplace(kStack);
  const pid_t child = given.same_memory ? start_in_same_memory(given, *stack) : fork();
  if (child == 0) run_entry(&given);
  close(ends[1]);
  CHECK(child > 0, "fork: " + std::string(std::strerror(errno)));
  pollfd end{ends[0], POLLIN, 0};
  bool interrupted = false;
  while (poll(&end, 1, kPollInterval) <= 0 && !interrupted)
    interrupted = interrupt && interrupt->load(std::memory_order_relaxed);
  if (interrupted) kill(child, SIGKILL);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (interrupted) return std::nullopt;
  const bool left = given.same_memory && WIFEXITED(status) && WEXITSTATUS(status) > kCrashed;
  return left ? WEXITSTATUS(status) - kCrashed : status;
}

sim::Finding crash(const Kernel& kernel, int status) {
  sim::Finding f;
  f.kind = sim::FindingKind::crash;
  f.detail = WIFSIGNALED(status) ? strsignal(WTERMSIG(status))
                                 : "exit status " + std::to_string(WEXITSTATUS(status));
  f.where.push_back({kernel.span, "the compiled kernel", "crashed"});
  for_each(*kernel.body, [&](const Buffer& tensor) {
    if (tensor.address)
      f.related.push_back({tensor.span, "", "declares " + tensor.name.str() + " at an address"});
  });
  return f;
}

}  // namespace

std::vector<std::shared_ptr<NativeFunction>> NativeFunction::make(
    const std::vector<FuncRef>& functions, Diagnostics& sink, std::string* problem) {
  codegen::Rendered all;
  std::vector<std::shared_ptr<NativeFunction>> made;
  for (const FuncRef& func : functions) {
    auto rendered = codegen::render(*func, *find_target(func->target), {}, sink);
    if (!rendered) return {};
    all.text += rendered->text;
    all.kernels.insert(all.kernels.end(), rendered->kernels.begin(), rendered->kernels.end());
    auto one = std::make_shared<NativeFunction>();
    one->func_ = func;
    one->kernels_ = std::move(rendered->kernels);
    one->written_ = touched(*func->body).written;
    made.push_back(std::move(one));
  }
  auto library = Library::of(all, problem);
  if (!library) return {};
  for (auto& one : made) one->library_ = library;
  return made;
}

const codegen::RenderedKernel& NativeFunction::rendered(const Kernel& kernel) const {
  for (const codegen::RenderedKernel& k : kernels_)
    if (k.source == kernel.name) return k;
  UNREACHABLE("kernel " + kernel.name.str() + " was not compiled here");
}

sim::RunResult NativeFunction::run(std::span<const sim::Argument> arguments,
                                   const sim::RunOptions& options) const {
  std::optional<sim::NotFiniteWatch> numbers;
  if (options.not_finite) numbers.emplace(*func_, arguments, sim::workers_of(options));
  sim::RunResult result =
      sim::run_host(*func_, arguments,
                    [&](const sim::Launch& l, sim::RunResult& made) { launch(l, options, made); });
  if (numbers && result.status == sim::RunResult::Status::finished)
    result.not_finite = numbers->found();
  return result;
}

void NativeFunction::launch(const sim::Launch& l, const sim::RunOptions& options,
                            sim::RunResult& result) const {
  const codegen::RenderedKernel& kernel = rendered(l.kernel);
  const SharedTensors tensors(l.memories, written_);
  std::deque<uint64_t> words;  // what args point at
  std::vector<void*> args;
  auto word = [&](uint64_t value) { args.push_back(&words.emplace_back(value)); };
  for (Symbol id : kernel.params) {
    for (const sim::GlobalMemory& m : l.memories)
      if (m.name == id) word(reinterpret_cast<uint64_t>(tensors.copy_of(m)));
    for (const auto& [name, scalar] : l.scalars)
      if (name == id) word(scalar.bits);  // little-endian: the low bytes come first
  }
  CHECK(args.size() == kernel.params.size(), "a kernel parameter without a value");
  std::optional<codegen::GuardedBuffer> ring;
  if (kernel.records) {
    ring.emplace(codegen::kEventRingBytes, 16, 0, true);
    codegen::open_event_ring(ring->data());
    word(reinterpret_cast<uint64_t>(ring->data()));
  }
  result.threads = 1;
  const bool by_address = any_of(
      *l.kernel.body, [](const Buffer& tensor) { return static_cast<bool>(tensor.address); });
  const auto status =
      run_in_child({library_->entry(kernel.name), args.data(), by_address}, options.interrupt);
  if (ring) {
    const std::span bytes(reinterpret_cast<const char*>(ring->data()), codegen::kEventRingBytes);
    codegen::read_events({bytes, l.grid, 1}, *func_, kernel, result);
  }
  if (!status) {
    result.all_blocks = result.blocks;  // the progress of this launch is unknown
    result.status = sim::RunResult::Status::interrupted;
    return;
  }
  if (*status != 0) {
    result.findings.push_back(crash(l.kernel, *status));
    result.status = sim::RunResult::Status::stopped;
    return;
  }
  tensors.copy_back();
  result.blocks += l.grid[0] * l.grid[1] * l.grid[2];
}

}  // namespace tilelab::cpu
