// SPDX-License-Identifier: Apache-2.0
// Commands on kernels in TileLang's syntax (or on IR texts). Arguments in capitals are values of
// names that the kernel uses (N=1024) or run-time extents (N=dynamic).
//   lower [target=T] [after=P]   the IR after P ("elaborate" = none), default the last pass
//   everypass [target=T]         after each pass: verified, printed and read back equal; resumed
//                                from the text to the same end. Prints the end, or the faults.
#include <cctype>

#include "core/diagnostics/render.h"
#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/ir/text/print.h"
#include "core/ir/verify/verify.h"
#include "core/ir_text/ir_text.h"
#include "core/passes/pass.h"
#include "core/passes/pipeline/pipeline.h"
#include "core/support/text.h"
#include "core/targets/target.h"
#include "tests/filetest/filetest.h"
#include "tests/unit/fake_host.h"

namespace tilelab::filetest {

FuncRef function_of(const Test& test, Diagnostics& sink) {
  if (has_ir_header(test.text)) return read_ir(test.source(), test.text, sink);
  test::FakeHost host;
  for (const auto& [name, value] : test.arguments) {
    if (!std::isupper(static_cast<unsigned char>(name[0]))) continue;
    if (value == "dynamic")
      host.globals[name] = Expr(name_ref(name));
    else
      host.globals[name] = static_cast<int64_t>(std::stoll(value));
  }
  elaborate::Request request;
  request.target = test.get("target", "mp_31");
  test::Elaborated made = test::elaborate_text(test.text, host, request);
  sink.append(made.diagnostics);
  const Target* target = find_target(request.target);
  const FuncRef func = made.result.func;
  return func && target ? for_target(func, *target) : func;
}

namespace {

Outcome lower_command(const Test& test) {
  Diagnostics sink;
  FuncRef func = function_of(test, sink);
  if (!func) return outcome_of(sink);
  PipelineResult result = run_passes(func, sink);
  if (!result.ok) return outcome_of(sink);
  const Snapshot* snapshot = result.after(test.get("after", result.func()->after));
  return outcome_of(sink, snapshot ? print(*snapshot->func) : "no such pass\n");
}

/// The problem of a snapshot as text; empty if it is valid.
std::string round_trip_fault(const FuncRef& func, const FuncRef& end) {
  Diagnostics sink;
  if (!verify(*func, limits_of(*func), sink)) return "breaks a rule:\n" + render(sink).plain();
  std::string text = print(*func, {.spans = true});  // as files keep it: origins name lines
  FuncRef again = read_ir("<again>", text, sink);
  if (!again) return "does not read back:\n" + render(sink).plain();
  if (print(*again) != print(*func)) return "prints differently when read back\n";
  if (!equal(*func, *again)) return "reads back as another function\n";
  PipelineResult resumed = run_passes(again, sink);
  if (!resumed.ok) return "does not resume:\n" + render(sink).plain();
  if (print(*resumed.func()) != print(*end)) return "resumes to another end\n";
  return "";
}

Outcome everypass_command(const Test& test) {
  Diagnostics sink;
  FuncRef func = function_of(test, sink);
  if (!func) return outcome_of(sink);
  PipelineResult result = run_passes(func, sink);
  if (!result.ok) return outcome_of(sink);
  Outcome out;
  for (const Snapshot& snapshot : result.snapshots) {
    std::string name = snapshot.pass ? snapshot.pass->name : "elaborate";
    std::string fault = round_trip_fault(snapshot.func, result.func());
    out.ok = out.ok && fault.empty();
    if (!fault.empty()) out.output += name + ": " + fault;
  }
  if (out.ok) out.output = print(*result.func());
  return out;
}

AddCommand add_lower("lower", &lower_command);
AddCommand add_everypass("everypass", &everypass_command);

}  // namespace
}  // namespace tilelab::filetest
