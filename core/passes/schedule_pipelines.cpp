// SPDX-License-Identifier: Apache-2.0
// schedule_pipelines: rings and roles of T.Pipelined loops. For now the plain choice: the stages
// run one after the other, which is what every other schedule must equal.
#include "core/ir/traverse.h"
#include "core/passes/passes.h"
#include "core/support/text.h"

namespace tilelab {

FuncRef schedule_pipelines(const FuncRef& func, PassContext& context) {
  int loops = 0;
  Stmt body = rewrite(
      func->body, [](const Expr& e) { return e; },
      [&](const Stmt& s) -> Stmt {
        const For* loop = as<For>(s);
        if (!loop || loop->stages == 0) return s;
        For plain(*loop);
        plain.stages = 0;
        plain.attrs.clear();
        ++loops;
        context.reasons.push_back((s->span.known() ? std::to_string(s->span.line) + ": " : "") +
                                  "T.Pipelined: a plain loop; overlapping stages are not "
                                  "scheduled yet");
        return make(std::move(plain));
      });
  if (loops) context.decide(plural(loops, "pipelined loop") + ": in order");
  return with_body(func, body);
}

}  // namespace tilelab
