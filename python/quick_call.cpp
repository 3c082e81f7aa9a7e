// SPDX-License-Identifier: Apache-2.0
#include "python/quick_call.h"

#include <algorithm>
#include <cfenv>
#include <utility>

#include "core/analysis/endless.h"
#include "core/check/check.h"
#include "core/ir/traverse.h"
#include "core/sim/host_value.h"
#include "core/sim/sim.h"
#include "core/sim/work.h"
#include "core/support/interrupt.h"
#include "python/runs.h"

namespace tilelab::python {
namespace {

// Interrupts are served after such a call: immediately, for a user or a notebook.
constexpr double kQuick = 1 << 18;
constexpr double kAlone =
    1 << 16;                  // below this, running alone is cheaper than waking other threads
constexpr int kSmall = 1000;  // nodes

/// The floating-point environment of the simulator's threads, whatever the program has set in this
/// one.
class DefaultFloats {
 public:
  DefaultFloats() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloats() { std::fesetenv(&before_); }
  DefaultFloats(const DefaultFloats&) = delete;
  DefaultFloats& operator=(const DefaultFloats&) = delete;

 private:
  std::fenv_t before_;
};

bool quiet(const sim::RunResult& result) {
  return result.ok() && result.records.empty() && result.lost_records == 0 &&
         result.not_finite.empty() && result.warnings.empty();
}

}  // namespace

QuickCall::QuickCall(const FuncObject& func, bool as_list)
    : func_(func.func),
      signature_(*func.func),
      as_list_(as_list),
      small_(is_smaller(*func.func, kSmall) && !waits_for_others(*func.func)) {}

double QuickCall::most_work(const CallArguments& given) {
  if (most_work_ >= 0 && given.dims() == dims_) return most_work_;
  const auto& names = signature_.dims();
  dims_ = given.dims();
  watched_ = false;
  return most_work_ = sim::most_work(*func_, [&](Symbol name) -> std::optional<int64_t> {
           auto it = std::find(names.begin(), names.end(), name);
           if (it == names.end()) return std::nullopt;
           return dims_[size_t(it - names.begin())];
         });
}

Object QuickCall::run(const Object& values, bool not_finite) {
  if (!small_ || (signature_.dims().empty() && most_work_ > kQuick)) return none();
  CallArguments given(signature_);
  const TupleItems items(raw(values));
  if (!signature_.take(items.first(), items.size(), Memory::host, given)) return none();
  if (signature_.overlap(given) && !std::exchange(overlap_reported_, true)) return none();
  const double work = most_work(given);
  if (!(work <= kQuick) || !signature_.make_outputs(given)) return none();
  interrupt_flag.store(false, std::memory_order_relaxed);  // as in serve()
  if (PyErr_CheckSignals() < 0) throw PythonError();
  std::vector<sim::Argument> arguments;
  arguments.reserve(given.all().size());
  for (const host::Value& argument : given.all()) arguments.push_back(sim::argument_of(argument));
  sim::RunOptions options;
  options.not_finite = not_finite;
  options.threads = work <= kAlone ? 1 : 0;
  const bool watching = !std::exchange(watched_, true);
  sim::RunResult result;
  {
    DefaultFloats floats;
    result =
        watching ? run_watching(*func_, arguments, options) : sim::run(*func_, arguments, options);
  }
  Object outcome = none();
  if (!quiet(result)) {
    outcome = result_dict(result, none());
    set(outcome, "warnings", diagnostics_list(warnings_of(*func_, result)));
  }
  return tuple_of(outcome, checked(given.returned(as_list_)));
}

}  // namespace tilelab::python
