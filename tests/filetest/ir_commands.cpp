// SPDX-License-Identifier: Apache-2.0
// Commands on IR texts:
//   print [spans=1]             the text as the printer writes it
//   roundtrip                   the text verifies, is what the printer writes, and reads back equal
//   verify, diag                what reader and verifier say; "ok" where they say nothing
//   passes after=P | run=P,Q    the pipeline up to P, or just these passes, then print
//   becomes is=NAME             the text verifies, and the later passes make the text of
//   NAME.py
//                               beside it, which says in its header how far
#include <fstream>
#include <iterator>

#include "core/diagnostics/render.h"
#include "core/ir/compare.h"
#include "core/ir/text/print.h"
#include "core/ir/verify/verify.h"
#include "core/ir_text/ir_text.h"
#include "core/passes/pass.h"
#include "core/support/text.h"
#include "core/targets/target.h"
#include "tests/filetest/filetest.h"

namespace tilelab::filetest {
namespace {

FuncRef read(const Test& test, Diagnostics& sink) {
  return read_ir(test.source(), test.text, sink);
}

Outcome print_command(const Test& test) {
  Diagnostics sink;
  FuncRef func = read(test, sink);
  return outcome_of(sink, func ? print(*func, {.spans = !test.get("spans").empty()}) : "");
}

Outcome roundtrip_command(const Test& test) {
  Diagnostics sink;
  FuncRef func = read(test, sink);
  if (!func) return outcome_of(sink);
  std::string text = print(*func);
  FuncRef again = read_ir("<again>", text, sink);
  if (!again) return outcome_of(sink);
  if (!verify(*func, limits_of(*func), sink)) return outcome_of(sink);
  if (!equal(*func, *again)) return {false, "reads back as another function:\n" + print(*again)};
  return {true, text};
}

Outcome verify_command(const Test& test) {
  Diagnostics sink;
  FuncRef func = read(test, sink);
  if (func) verify(*func, limits_of(*func), sink);
  return outcome_of(sink, sink.empty() ? "ok\n" : "");
}

Outcome passes_command(const Test& test) {
  Diagnostics sink;
  FuncRef func = read(test, sink);
  if (!func) return outcome_of(sink);
  if (std::string names = test.get("run"); !names.empty()) {
    PassContext context{*find_target(func->target), sink, "", {}};
    for (const std::string& name : split(names, ',')) {
      const PassInfo* pass = find_pass(name);
      if (!pass) return {false, "no pass " + name + "\n"};
      Func after(*pass->run(func, context));
      if (!sink.ok()) return outcome_of(sink);
      after.after = name;
      after.level = pass->gives;
      func = make(std::move(after));
    }
    return outcome_of(sink, print(*func));
  }
  PipelineOptions options;
  options.stop_after = test.get("after");
  PipelineResult result = run_passes(func, sink, options);
  return outcome_of(sink, result.ok ? print(*result.func()) : "");
}

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Outcome becomes_command(const Test& test) {
  Diagnostics sink;
  FuncRef func = read(test, sink);
  if (!func || !verify(*func, limits_of(*func), sink)) return outcome_of(sink);
  const std::string name = test.get("is") + ".py";
  const std::string folder = TILELAB_SOURCE_DIR "/" + test.path.substr(0, test.path.rfind('/') + 1);
  FuncRef wanted = read_ir(name, contents(folder + name), sink);
  if (!wanted) return outcome_of(sink);
  PipelineOptions options;
  options.stop_after = wanted->after;
  PipelineResult result = run_passes(func, sink, options);
  if (!result.ok) return outcome_of(sink);
  const std::string want = print(*wanted), got = print(*result.func());
  if (want == got) return outcome_of(sink);
  const std::vector<std::string> a = split(want, '\n'), b = split(got, '\n');
  size_t i = 0;
  while (i < a.size() && i < b.size() && a[i] == b[i]) ++i;
  return {false, name + " says\n" + (i < a.size() ? a[i] : "nothing more") + "\nthe passes make\n" +
                     (i < b.size() ? b[i] : "nothing more") + "\n"};
}

AddCommand add_becomes("becomes", &becomes_command);
AddCommand add_print("print", &print_command);
AddCommand add_roundtrip("roundtrip", &roundtrip_command, true);
AddCommand add_verify("verify", &verify_command);
AddCommand add_diag("diag", &verify_command);
AddCommand add_passes("passes", &passes_command);

}  // namespace

Outcome outcome_of(const Diagnostics& sink, const std::string& output) {
  Diagnostics sorted;
  sorted.append(sink);
  sorted.sort();
  std::string said = render(sorted).plain();
  return {sorted.ok(), said + (said.empty() || output.empty() ? "" : "\n") + output};
}

}  // namespace tilelab::filetest
