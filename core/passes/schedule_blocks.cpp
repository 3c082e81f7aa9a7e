// SPDX-License-Identifier: Apache-2.0
// In which order a grid's blocks take its tiles. Of a grid of gx by gy, panels of p rows:
//   T.use_swizzle(p)  ->  number = block_y * gx + block_x;  panel = number // (p * gx)
//                         rows = p, or what is left for the last panel
//                         bx = within // rows, backwards in every second panel
//                         by = panel * p + within % rows
#include "core/ir/build.h"
#include "core/passes/pipeline_plan.h"

namespace tilelab {
namespace {

Expr index(const Expr& e) { return cast(DType::i32, e); }

Stmt assumed(Expr condition) {
  Record out;
  out.what = RecordKind::assume;
  out.values = {std::move(condition)};
  return make(std::move(out));
}

/// `first` in front of the kernel's statements, behind its rings, which stand at its head.
Stmt begun_with(const Stmt& first, const Stmt& body) {
  const Seq* list = as<Seq>(body);
  std::vector<Stmt> stmts = list ? list->stmts : std::vector<Stmt>{body};
  size_t behind = 0;
  for (size_t i = 0; i < stmts.size() && group(stmts[i]->kind) == Group::decl; ++i)
    if (as<Ring>(stmts[i])) behind = i + 1;
  stmts.insert(stmts.begin() + std::ptrdiff_t(behind), first);
  return at(body->span, seq(std::move(stmts)));
}

}  // namespace

Kernel in_panels(const Func& func, const Kernel& kernel) {
  const Attr* size = find_attr(kernel.attrs, "panel");
  Kernel out(kernel);
  if (!size || kernel.indices.size() < 2) return out;
  const Attr* order = find_attr(kernel.attrs, "panel_order");
  std::erase_if(out.attrs, [](const Attr& a) {
    return a.name == Symbol("panel") || a.name == Symbol("panel_order");
  });
  const size_t along = order && order->string == "column" ? 1 : 0, across = 1 - along;
  const Expr length = index(kernel.grid[along]), width = index(kernel.grid[across]);
  if (is_int(width, 1) || is_int(length, 1)) return out;
  std::unordered_map<Symbol, int> taken = names_in(func);
  for (size_t i : {along, across}) out.indices[i] = fresh_name("block", taken);
  auto name = [&](const char* base) { return fresh_name(base, taken); };
  const Symbol number = name("number"), panel = name("panel"), within = name("within"),
               rows = name("rows"), far = name("far");
  const Expr p = int_const(size->integer), one = int_const(1), all = mul(p, length);
  const Expr begins = mul(name_ref(panel), p), left = sub(width, begins);
  Stmt lets = seq({
      let(number, add(mul(name_ref(out.indices[across]), length), name_ref(out.indices[along]))),
      let(panel, floordiv(name_ref(number), all)),
      let(within, floormod(name_ref(number), all)),
      let(rows, select(lt(left, p), left, p)),
      let(far, floordiv(name_ref(within), name_ref(rows))),
      let(kernel.indices[along], select(eq(floormod(name_ref(panel), int_const(2)), one),
                                        sub(sub(length, one), name_ref(far)), name_ref(far))),
      let(kernel.indices[across], add(begins, floormod(name_ref(within), name_ref(rows)))),
      assumed(land(ge(name_ref(kernel.indices[along]), int_const(0)),
                   lt(name_ref(kernel.indices[along]), length))),
      assumed(land(ge(name_ref(kernel.indices[across]), int_const(0)),
                   lt(name_ref(kernel.indices[across]), width))),
  });
  out.body = begun_with(lets, kernel.body);
  return out;
}

}  // namespace tilelab
