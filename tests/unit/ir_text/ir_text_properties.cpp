// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/ir_text/ir_text_properties.h"

#include "core/diagnostics/render.h"
#include "core/ir/compare.h"
#include "core/ir/text/print.h"
#include "core/ir/verify/verify.h"
#include "core/ir_text/ir_text.h"
#include "core/targets/target.h"

namespace tilelab::test {

std::string check_ir_text(std::string_view text, int* functions) {
  Diagnostics sink;
  FuncRef func = read_ir("<fuzz>", text, sink);
  render(sink);
  if (!func) return sink.ok() ? "refused without a word" : "";
  if (functions) ++*functions;
  std::string printed = print(*func);
  Diagnostics second;
  FuncRef again = read_ir("<again>", printed, second);
  if (!again) return "does not read back: " + render(second).plain();
  if (print(*again) != printed) return "prints differently";
  if (!equal(*func, *again)) return "reads back as another function";
  Diagnostics broken;
  verify(*func, limits_of(*func), broken);
  render(broken);
  return "";
}

}  // namespace tilelab::test
