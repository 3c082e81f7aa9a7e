// SPDX-License-Identifier: Apache-2.0
// select_instructions: which engine moves each copy, which instruction multiplies. For now the
// plain choices, which every target has: plain loads and stores, and a sequence of fused
// multiply-adds; each choice says why, so that %explain can tell.
#include "core/ir/traverse.h"
#include "core/passes/passes.h"
#include "core/support/text.h"

namespace tilelab {
namespace {

std::string place(const Node& node) {
  return node.span.known() ? std::to_string(node.span.line) + ": " : "";
}

}  // namespace

FuncRef select_instructions(const FuncRef& func, PassContext& context) {
  int copies = 0, gemms = 0;
  Stmt body = rewrite(
      func->body, [](const Expr& e) { return e; },
      [&](const Stmt& s) -> Stmt {
        if (const Copy* copy = as<Copy>(s); copy && copy->by == CopyBy::unset) {
          Copy chosen(*copy);
          chosen.by = CopyBy::simt;
          ++copies;
          context.reasons.push_back(place(*s) +
                                    "copy: loads and stores by the threads; copy "
                                    "engines are not selected yet");
          return make(std::move(chosen));
        }
        if (const Gemm* gemm = as<Gemm>(s); gemm && gemm->by == GemmBy::unset) {
          Gemm chosen(*gemm);
          chosen.by = GemmBy::fma;
          ++gemms;
          context.reasons.push_back(place(*s) +
                                    "gemm: fused multiply-adds by the threads; matrix "
                                    "instructions are not selected yet");
          return make(std::move(chosen));
        }
        return s;
      });
  if (copies) context.decide("copies: loads and stores");
  if (gemms) context.decide("gemm: fma");
  return with_body(func, body);
}

}  // namespace tilelab
