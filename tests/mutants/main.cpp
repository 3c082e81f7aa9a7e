// SPDX-License-Identifier: Apache-2.0
// ir_mutants [COUNT [SEED]]: mutants of the corpus' snapshots, half of them changes of the text,
// half of the tree, which is printed again; each is read, verified, passed on, simulated and
// written as C; one of eight is interrupted on its way. ir_mutants FILE: that text once. Without a
// COUNT some of seed 1 and fewer of a seed that is new each time; TILELAB_SEED=n repeats one,
// TILELAB_LONG makes 200,000.
//
// Mutants run in a child process; one that crashes it or does not end is a finding like an internal
// error. Of each finding (by its message) the text is made smaller and kept in the working folder.
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>

#include "core/ir_text/ir_text.h"
#include "core/support/text.h"
#include "tests/mutants/mutate.h"
#include "tests/mutants/mutate_tree.h"
#include "tests/mutants/run_text.h"

using namespace tilelab;
using namespace tilelab::test;

namespace {

constexpr size_t longest = 1 << 16;  // bytes of a mutant
constexpr int soft_seconds = 1;      // then passes and simulator are asked to stop
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TILELAB_SLOW_BUILD  // ten times slower
#endif
#endif
#ifdef TILELAB_SLOW_BUILD
constexpr int hard_seconds = 100;  // of processor time: then it hangs
#else
constexpr int hard_seconds = 15;  // of processor time: then it hangs
#endif
#ifdef __OPTIMIZE__
constexpr long few = 1500;
#else
constexpr long few = 400;
#endif

std::atomic<bool> stop{false};

/// State shared by child and parent: the mutant that runs.
struct Board {
  char text[longest];
  size_t size;
  char broken[4096];
  long done, reached[5];
};

/// A text to change, and its tree if it has one.
struct Seed {
  std::string text;
  FuncRef func;
};

/// The IR texts of the other tests: whole kernels, and small ones of single decisions.
std::vector<std::filesystem::path> corpus_files() {
  const std::filesystem::path tests = std::string(TILELAB_SOURCE_DIR) + "/tests";
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"ir/levels", "ir/kernels", "passes"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(tests / folder))
      if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// The text without what a test expects of it; empty where it is a kernel in Python.
std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line, out;
  while (std::getline(in, line))
    if (line.rfind("#", 0) != 0) out += line + "\n";
  return out.rfind("ir(", 0) == 0 ? out : "";
}

std::vector<Seed> corpus() {
  std::vector<Seed> seeds;
  for (const auto& file : corpus_files()) {
    const std::string text = text_of(file);
    if (text.empty()) continue;
    std::vector<std::string> made = snapshots_of(text);
    if (made.empty()) made = {text};
    for (std::string& s : made) {
      if (s.size() >= longest / 4) continue;
      Diagnostics sink;
      FuncRef func = read_ir("<seed>", s, sink);
      seeds.push_back({std::move(s), std::move(func)});
    }
  }
  return seeds;
}

void alarmed(int) { stop = true; }

/// The child's clock: `stop` is set after so many microseconds, 0 for never.
void set_clock(long microseconds) {
  itimerval value{};
  value.it_value.tv_sec = microseconds / 1000000, value.it_value.tv_usec = microseconds % 1000000;
  setitimer(ITIMER_REAL, &value, nullptr);
}

/// Runs `text` with the child's clock; its words go to the board.
Outcome run_one(const std::string& text, long microseconds = soft_seconds * 1000000L) {
  stop = false;
  set_clock(microseconds);
  Outcome out = run_text(text, &stop);
  set_clock(0);
  return out;
}

/// Some are stopped early, at an arbitrary point.
long patience(Generator& random) {
  return random() % 8 == 0 ? 50 + long(random() % 10000) : soft_seconds * 1000000L;
}

/// Whether a child hangs that has made no progress: by its processor time, of which a busy machine
/// gives it little, or, if it sleeps, by the clock.
class Stillness {
 public:
  explicit Stillness(pid_t child) { clock_getcpuclockid(child, &clock_); }
  void progress() { busy_ = seconds(clock_), since_ = seconds(CLOCK_MONOTONIC); }
  bool too_long() const {
    return seconds(clock_) - busy_ > hard_seconds ||
           seconds(CLOCK_MONOTONIC) - since_ > 20 * hard_seconds;
  }

 private:
  static double seconds(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
  }
  clockid_t clock_{};
  double busy_ = 0, since_ = seconds(CLOCK_MONOTONIC);
};

/// "crash: signal 11", "hang", an internal error's words, or "". In a separate process.
std::string verdict(const std::string& text) {
  int ends[2];
  if (pipe(ends) != 0) return "";
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGALRM, alarmed);
    const std::string broken = run_one(text).broken.substr(0, 4000);
    (void)!write(ends[1], broken.data(), broken.size());
    _exit(0);
  }
  close(ends[1]);
  int status = 0;
  const Stillness still(child);
  for (int polls = 0; waitpid(child, &status, WNOHANG) == 0; ++polls) {
    usleep(polls < 10 ? 2000 : 100000);
    if (!still.too_long()) continue;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    close(ends[0]);
    return "hang";
  }
  char words[4096];
  const ssize_t n = read(ends[0], words, sizeof words);
  close(ends[0]);
  if (WIFSIGNALED(status)) return "crash: signal " + std::to_string(WTERMSIG(status));
  return std::string(words, size_t(std::max<ssize_t>(n, 0)));
}

/// The kind of a finding: its words without numbers and names, so that a bug is reported once.
std::string kind_of(const std::string& broken) {
  return broken.substr(0, std::min(broken.find('\n'), size_t{90}));
}

/// Without lines that the finding does not need.
std::string shrunk(std::string text, const std::string& kind) {
  for (size_t size = 8; size > 0; size /= 2)
    for (size_t at = 0; at < split(text, '\n').size();) {
      std::vector<std::string> lines = split(text, '\n');
      lines.erase(lines.begin() + std::ptrdiff_t(at),
                  lines.begin() + std::ptrdiff_t(std::min(at + size, lines.size())));
      const std::string less = join(lines, "\n");
      if (kind != "hang" && kind_of(verdict(less)) == kind)
        text = less;
      else
        at += size;
    }
  return text;
}

/// The next mutant; empty where a changed tree has no text.
std::string next_mutant(const std::vector<Seed>& seeds, Generator& random) {
  const Seed &seed = seeds[random() % seeds.size()], &other = seeds[random() % seeds.size()];
  if (seed.func && other.func && random() % 2 == 0)
    return mutated_tree(seed.func, other.func, random);
  return mutated(seed.text, other.text, random);
}

void run_batch(const std::vector<Seed>& seeds, Generator& random, long count, Board& board) {
  signal(SIGALRM, alarmed);
  for (long i = 0; i < count; ++i) {
    board.size = 0;
    const std::string text = next_mutant(seeds, random);
    if (text.empty() || text.size() >= longest) continue;
    std::memcpy(board.text, text.data(), text.size());
    board.size = text.size();
    const Outcome out = run_one(text, patience(random));
    ++board.done;
    ++board.reached[int(out.reached)];
    if (out.broken.empty()) continue;
    std::snprintf(board.broken, sizeof board.broken, "%s", out.broken.c_str());
    _exit(3);
  }
  _exit(0);
}

struct Findings {
  std::map<std::string, std::string> text;  // by kind
  void add(const std::string& broken, const std::string& mutant) {
    const std::string kind = kind_of(broken);
    if (!text.try_emplace(kind, mutant).second) return;
    const std::string small = shrunk(mutant, kind);
    const std::string name = "mutant-" + std::to_string(text.size()) + ".py";
    std::ofstream(name) << small;
    std::printf("FOUND %s\n%s\n(%s)\n", broken.c_str(), small.c_str(), name.c_str());
    std::fflush(stdout);
  }
};

/// Waits for the batch; true if it ended by itself, else what it ran is a finding.
bool watch_batch(pid_t child, Board& board, Findings& findings) {
  int status = 0;
  long before = -1;
  Stillness still(child);
  for (; waitpid(child, &status, WNOHANG) == 0; usleep(5000)) {
    if (board.done != before) still.progress();
    before = board.done;
    if (!still.too_long()) continue;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    findings.add("hang", {board.text, board.size});
    return false;
  }
  if (board.size == 0) return false;  // a tree that can't even be printed
  if (WIFSIGNALED(status))
    findings.add("crash: signal " + std::to_string(WTERMSIG(status)), {board.text, board.size});
  else if (WEXITSTATUS(status) == 3)
    findings.add(board.broken, {board.text, board.size});
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int run_file(const char* path) {
  std::ifstream in(path);
  const std::string broken = verdict({std::istreambuf_iterator<char>(in), {}});
  std::printf("%s\n", broken.empty() ? "good" : broken.c_str());
  return broken.empty() ? 0 : 1;
}

/// `count` mutants of one seed.
void run_seed(const std::vector<Seed>& seeds, unsigned long seed, long count, Board& board,
              Findings& findings) {
  std::printf("%zu texts, %ld mutants, seed %lu\n", seeds.size(), count, seed);
  std::fflush(stdout);
  const long end = board.done + count;
  for (unsigned long batch = 0; board.done < end; ++batch) {
    const pid_t child = fork();
    if (child == 0) {
      Generator random(seed * 1000003 + batch);
      run_batch(seeds, random, std::min(500L, end - board.done), board);
    }
    watch_batch(child, board, findings);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::filesystem::exists(argv[1])) return run_file(argv[1]);
  const char* given = std::getenv("TILELAB_SEED");
  const bool many = std::getenv("TILELAB_LONG");
  const long count = argc > 1 ? std::atol(argv[1]) : many ? 200000 : few;
  const unsigned long fresh = std::random_device()() % 1000000000;
  const unsigned long seed = argc > 2           ? std::strtoul(argv[2], nullptr, 10)
                             : given            ? std::strtoul(given, nullptr, 10)
                             : many || argc > 1 ? fresh
                                                : 1;
  const std::vector<Seed> seeds = corpus();
  void* shared =
      mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  Board& board = *new (shared) Board{};
  Findings findings;
  run_seed(seeds, seed, count, board, findings);
  if (argc == 1 && !given && !many) run_seed(seeds, fresh, count / 4, board, findings);
  std::printf(
      "%ld mutants: %ld not read, %ld refused by the verifier or stopped, %ld by a pass, "
      "%ld ran, %ld became C; %zu findings\n",
      board.done, board.reached[0], board.reached[1], board.reached[2], board.reached[3],
      board.reached[4], findings.text.size());
  return findings.text.empty() ? 0 : 1;
}
