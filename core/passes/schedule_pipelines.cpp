// SPDX-License-Identifier: Apache-2.0
// schedule_pipelines: rings and roles of T.Pipelined loops. For now the plain choice: the stages
// run one after the other, which is what every other schedule must equal.
#include <algorithm>
#include <map>
#include <set>

#include "core/ir/build.h"
#include "core/ir/effects.h"
#include "core/ir/traverse.h"
#include "core/passes/passes.h"
#include "core/support/text.h"

namespace tilelab {
namespace {

/// Which copies of a loop's body could be done turns before what uses them: those that need nothing
/// that a turn computes, and alone fill a buffer of the block.
class Stages {
 public:
  Stages(const For& loop, const BufferViews& views) {
    const Seq* list = as<Seq>(loop.body);
    for (const Stmt& stmt : list ? list->stmts : std::vector<Stmt>{loop.body}) {
      stmts_.push_back({stmt, touched(*stmt, views)});
      for (Symbol name : stmts_.back().memory.written) ++writers_[name];
    }
    walk(*loop.body, [&](const Node& node) {
      if (const Assign* assign = as<Assign>(&node)) computed_.insert(assign->name);
      return group(node.kind) != Group::expr;
    });
  }

  /// The buffers that are filled so, in the order of the copies.
  std::vector<std::string> filled_ahead(const BufferTable& buffers) {
    std::vector<std::string> out;
    for (const Part& part : stmts_) {
      if (const Let* let = as<Let>(part.stmt); let && waits(part)) computed_.insert(let->name);
      if (!as<Copy>(part.stmt) || waits(part)) continue;
      const Symbol name = *part.memory.written.begin();
      auto found = buffers.find(name);
      const bool of_block = found != buffers.end() && found->second->scope != Scope::global;
      if (of_block && writers_[name] == 1) out.push_back(name.str());
    }
    return out;
  }

 private:
  struct Part {
    Stmt stmt;
    Touched memory;
  };

  /// Whether the statement needs what this turn or the one before computes.
  bool waits(const Part& part) const {
    bool needs = std::any_of(part.memory.read.begin(), part.memory.read.end(),
                             [&](Symbol name) { return writers_.count(name) != 0; });
    walk(*part.stmt, [&](const Node& node) {
      const Name* name = as<Name>(&node);
      needs |= name && computed_.count(name->id);
      return !needs;
    });
    return needs;
  }

  std::vector<Part> stmts_;
  std::map<Symbol, int> writers_;  // statements of the body
  std::set<Symbol> computed_;      // names whose values a turn computes
};

}  // namespace

FuncRef schedule_pipelines(const FuncRef& func, PassContext& context) {
  int loops = 0;
  const BufferTable buffers = buffers_of(*func);
  const BufferViews views = views_of(*func->body);
  Stmt body = rewrite(
      func->body, [](const Expr& e) { return e; },
      [&](const Stmt& s) -> Stmt {
        const For* loop = as<For>(s);
        if (!loop || loop->stages == 0) return s;
        For plain(*loop);
        plain.stages = 0;
        plain.attrs.clear();
        ++loops;
        const std::vector<std::string> ahead = Stages(*loop, views).filled_ahead(buffers);
        context.reasons.push_back(
            (s->span.known() ? std::to_string(s->span.line) + ": " : "") +
            "T.Pipelined: a plain loop; overlapping stages are not scheduled yet (" +
            (ahead.empty() ? "no copy of it could run ahead"
                           : "what could run ahead: the copies into " + join(ahead, ", ")) +
            ")");
        return make(std::move(plain));
      });
  if (loops) context.decide(plural(loops, "pipelined loop") + ": in order");
  return with_body(func, body);
}

}  // namespace tilelab
