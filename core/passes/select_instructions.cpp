// SPDX-License-Identifier: Apache-2.0
// select_instructions: which engine moves each copy, which instruction multiplies. For now the
// plain choices, which every target has: plain loads and stores, and a sequence of fused
// multiply-adds; each choice says why, so that %explain can tell.
#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/passes/expand_scan.h"
#include "core/passes/passes.h"
#include "core/support/text.h"

namespace tilelab {
namespace {

std::string place(const Node& node) {
  return node.span.known() ? std::to_string(node.span.line) + ": " : "";
}

}  // namespace

FuncRef select_instructions(const FuncRef& func, PassContext& context) {
  int copies = 0, gemms = 0, scans = 0;
  BufferTable buffers = buffers_of(*func);
  std::unordered_map<Symbol, int> taken = names_in(*func);
  const BufferViews views = views_of(*func->body);
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
        if (const Scan* scan = as<Scan>(s)) {
          ++scans;
          context.reasons.push_back(place(*s) + "scan: a thread for each line, in shared memory");
          Stmt loops = expand_scan(*scan, buffers, views, taken);
          if (const Seq* several = as<Seq>(loops)) {  // joined with its neighbours
            Seq placed(*several);
            for (Stmt& each : placed.stmts) each = at(s->span, each);
            return make(std::move(placed));
          }
          return at(s->span, loops);
        }
        return s;
      });
  if (scans) context.decide("scans: line by line");
  if (copies) context.decide("copies: loads and stores");
  if (gemms) context.decide("gemm: fma");
  return with_body(func, body);
}

}  // namespace tilelab
