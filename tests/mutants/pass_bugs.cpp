// SPDX-License-Identifier: Apache-2.0
// pass_bugs [--long] [--rules] [--pass=NAME] [--show] [KERNEL...]: what if a pass had a bug? Each
// of the kernels goes through the passes; in what each pass left one place is changed
// (pass_bug_sites.h), and the changed function runs under all watchers. It is
//   refused    by the verifier, the simulator, or later passes
//   found      by a detector: a race, an index out of bounds, memory that nothing has written, a
//   hang differs    from what the unchanged function computes. These three name the pass: the
//   snapshot
//              before is the last one that is right.
//   surviving  under three schedules, and after later passes: a rule of pass_bug_rules.def
//   says
//              why it is not a bug, or the test fails.
// Without --long every so manieth place, the same each time. --rules: all places that a row of the
// rules speaks of, and at the end the rows that explained none.
#include <sys/time.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "core/diagnostics/render.h"
#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/ir/traverse.h"
#include "core/ir/verify/verify.h"
#include "core/passes/pipeline/pipeline.h"
#include "core/sim/sim.h"
#include "core/support/check.h"
#include "core/support/interrupt.h"
#include "core/targets/target.h"
#include "tests/emulation/lint.h"
#include "tests/mutants/pass_bug_kernels.h"
#include "tests/mutants/pass_bug_sites.h"

using namespace tilelab;
using namespace tilelab::test;

namespace {

std::atomic<bool> out_of_time{false};

/// Sets `out_of_time` after so many seconds.
void give_seconds(int seconds) {
  out_of_time = false;
  itimerval timer{};
  timer.it_value.tv_sec = seconds;
  setitimer(ITIMER_REAL, &timer, nullptr);
}

struct Rule {
  const char* outcome;                               // what a survivor that it matches is
  const char *kernels, *passes, *kind, *what, *why;  // "" matches all; else a part of the text
};
const Rule kRules[] = {
#define RULE(kernels, passes, kind, what, why) {"explained", kernels, passes, kind, what, why},
#define OPEN(kernels, passes, kind, what, why) {"open", kernels, passes, kind, what, why},
#include "tests/mutants/pass_bug_rules.def"
#undef RULE
#undef OPEN
};

/// Memory for the arguments of a kernel, the same each time.
struct Call {
  std::vector<std::vector<uint8_t>> memory;
  std::vector<sim::Argument> arguments;
  std::vector<size_t> outputs;

  Call(const BugKernel& kernel, const Func& func) {
    uint64_t random = 1;
    for (const Stmt& stmt : func.params) {
      const Param& param = to<Param>(stmt);
      const Buffer& tensor = to<Buffer>(param.tensor);
      std::vector<int64_t> shape;
      int64_t count = 1;
      for (const Expr& extent : tensor.shape) {
        const Name* dim = as<Name>(extent);
        shape.push_back(dim ? kernel.sizes.at(dim->id.str()) : *int_value(extent));
        count *= shape.back();
      }
      const int64_t width = bytes(param.dtype);
      std::vector<uint8_t> data(size_t(count * width));
      const bool output =
          std::count(kernel.outputs.begin(), kernel.outputs.end(), tensor.name.str());
      if (output) outputs.push_back(memory.size());
      for (int64_t i = 0; i < count && !output; ++i) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const double x = double(random >> 40) / double(1 << 23) - 1;
        const uint64_t value = is_float(param.dtype) ? encode_float(param.dtype, x) : random >> 50;
        std::memcpy(&data[size_t(i * width)], &value, size_t(width));
      }
      memory.push_back(std::move(data));
      arguments.push_back(sim::tensor_argument(param.dtype, shape, memory.back().data()));
    }
  }
};

struct Outcome {
  std::string found;  // a detector's name, or "refused: ..."
  std::vector<std::vector<uint8_t>> values;
};

Outcome outcome_of(const BugKernel& kernel, const Func& func, uint64_t seed) {
  Call call(kernel, func);
  sim::RunOptions options;
  options.watch = sim::Watch::all();
  options.threads = 1;
  options.seed = seed;
  options.interrupt = &out_of_time;
  const sim::RunResult result = sim::run(func, call.arguments, options);
  Outcome out;
  if (!result.findings.empty())
    out.found = sim::finding_name(result.findings[0].kind);
  else if (result.status == sim::RunResult::Status::interrupted)
    out.found = "does not end";
  else if (result.status == sim::RunResult::Status::refused)
    out.found = "refused";
  for (size_t i : call.outputs) out.values.push_back(std::move(call.memory[i]));
  return out;
}

/// One snapshot, and what it computes.
struct Unchanged {
  FuncRef func, last;  // last: after all passes
  std::vector<std::vector<uint8_t>> values, last_values;
};

/// "" for a survivor.
std::string verdict(const BugKernel& kernel, const Unchanged& before, const FuncRef& changed) {
  Diagnostics sink;
  if (!verify(*changed, limits_of(*changed), sink)) return "refused";
  const Target& target = *find_target(kernel.target);
  give_seconds(20);
  for (uint64_t seed : {0, 1, 5}) {
    Outcome now = outcome_of(kernel, *changed, seed);
    if (now.found == "refused") return "refused";
    if (!now.found.empty()) return "found: " + now.found;
    if (now.values != before.values) return "differs";
  }
  if (changed->level == Level::flat)
    return codegen::lint(*changed, target).empty() ? "" : "refused";
  PipelineOptions options;
  options.interrupt = &out_of_time;
  PipelineResult rest = run_passes_on_text(changed, sink, options);
  if (!rest.ok) return "refused";
  if (equal(*rest.func(), *before.last)) return "the same in the end";
  Outcome end = outcome_of(kernel, *rest.func(), 0);
  if (!end.found.empty()) return "later: " + end.found;
  return end.values == before.last_values ? "" : "later: differs";
}

std::string guarded_verdict(const BugKernel& kernel, const Unchanged& before,
                            const FuncRef& changed) {
  try {
    InterruptScope scope(&out_of_time);
    return verdict(kernel, before, changed);
  } catch (const InternalError& error) {
    return "refused";
  } catch (const Cancelled&) {
    return "found: does not end";
  }
}

/// Whether the parts of a pattern between its stars occur in the text, in this order.
bool matches(std::string_view text, std::string_view pattern) {
  for (size_t at = 0; !pattern.empty();) {
    const size_t star = std::min(pattern.find('*'), pattern.size());
    const size_t found = text.find(pattern.substr(0, star), at);
    if (found == text.npos) return false;
    at = found + star;
    pattern.remove_prefix(std::min(star + 1, pattern.size()));
  }
  return true;
}

const Rule* rule_for(const std::string& kernel, const std::string& pass, const PassBug& bug) {
  for (const Rule& rule : kRules)
    if (kernel.find(rule.kernels) != std::string::npos &&
        pass.find(rule.passes) != std::string::npos &&
        bug.kind.find(rule.kind) != std::string::npos && matches(bug.what, rule.what))
      return &rule;
  return nullptr;
}

class Tally {
 public:
  explicit Tally(bool show) : show_(show) {}

  void add(const BugKernel& kernel, const std::string& pass, const PassBug& bug, std::string said) {
    const bool lives = said.empty() || said.starts_with("later");
    const Rule* rule = lives ? rule_for(kernel.name, pass, bug) : nullptr;
    if (said.empty()) said = "survives";
    if (rule) said += std::string(", ") + rule->outcome, used_.insert(rule);
    const bool fails = lives && !rule;
    ++counts_[bug.kind][said];
    unexplained_ += fails;
    if (fails || show_)
      std::printf("%s%s %s %s: %s | %s%s%s\n", fails ? "UNEXPLAINED " : "", said.c_str(),
                  kernel.name, pass.c_str(), bug.kind.c_str(), bug.what.substr(0, 110).c_str(),
                  rule ? " | " : "", rule ? rule->why : "");
    std::fflush(stdout);
  }

  void report_unused() const {
    for (const Rule& rule : kRules)
      if (!used_.count(&rule))
        std::printf("explains none: \"%s\" \"%s\" \"%s\" \"%s\"\n", rule.kernels, rule.passes,
                    rule.kind, rule.what);
  }

  int finish() const {
    long all = 0;
    for (const auto& [kind, outcomes] : counts_) {
      std::printf("%-10s", kind.c_str());
      for (const auto& [said, n] : outcomes) std::printf(" %s %ld;", said.c_str(), n), all += n;
      std::printf("\n");
    }
    std::printf("%ld bugs, %ld unexplained\n", all, unexplained_);
    return unexplained_ ? 1 : 0;
  }

 private:
  bool show_;
  long unexplained_ = 0;
  std::set<const Rule*> used_;
  std::map<std::string, std::map<std::string, long>> counts_;
};

/// Which of the places.
struct Wanted {
  size_t stride = 1;
  bool rules = false;  // those that a row speaks of
  std::string pass;    // after this one
  bool of(std::string_view name) const { return pass.empty() || pass == name; }
};

/// Every `stride`-th place of what each pass of the kernel left.
void check(const BugKernel& kernel, const Wanted& wanted, Tally& tally) {
  FuncRef func = elaborated(kernel);
  Diagnostics sink;
  PipelineResult passes = func ? run_passes(func, sink) : PipelineResult{};
  if (!passes.ok) {
    std::printf("%s: %s\n", kernel.name, render(sink).plain().c_str());
    std::exit(1);
  }
  size_t number = 0;
  const auto last = outcome_of(kernel, *passes.func(), 0).values;
  for (const Snapshot& snapshot : passes.snapshots) {
    if (!snapshot.pass || !snapshot.changed || !wanted.of(snapshot.pass->name)) continue;
    give_seconds(60);
    Outcome right = outcome_of(kernel, *snapshot.func, 0);
    if (!right.found.empty())
      std::printf("%s %s: %s\n", kernel.name, snapshot.pass->name, right.found.c_str()),
          std::exit(1);
    const Unchanged before{snapshot.func, passes.func(), std::move(right.values), last};
    const size_t sites = pass_bug_sites(snapshot.func);
    for (size_t site = 0; site < sites; ++site) {
      if (number++ % wanted.stride) continue;
      const PassBug bug = pass_bug_at(snapshot.func, site);
      if (wanted.rules && !rule_for(kernel.name, snapshot.pass->name, bug)) continue;
      tally.add(kernel, snapshot.pass->name, bug, guarded_verdict(kernel, before, bug.func));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGALRM, [](int) { out_of_time = true; });
  bool all = std::getenv("TILELAB_LONG") != nullptr, show = false;
  Wanted wanted;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    all |= word == "--long", show |= word == "--show", wanted.rules |= word == "--rules";
    if (word.starts_with("--pass=")) wanted.pass = word.substr(7);
    if (word[0] != '-') names.push_back(word);
  }
#ifdef NDEBUG
  wanted.stride = all || wanted.rules ? 1 : 13;
#else  // with sanitizers, which look for faults of passes and simulator, not of what they are given
  wanted.stride = all || wanted.rules ? 1 : 149;
#endif
  Tally tally(show);
  for (const BugKernel& kernel : bug_kernels())
    if (names.empty() || std::count(names.begin(), names.end(), kernel.name))
      check(kernel, wanted, tally);
  if (wanted.rules && wanted.pass.empty() && names.empty()) tally.report_unused();
  return tally.finish();
}
