// SPDX-License-Identifier: Apache-2.0
// Tile level: declarations, names, roles, T.Parallel.
#include "core/sim/tile/compile.h"
#include "core/sim/tile/op.h"

#include <algorithm>

#include "core/analysis/divergence.h"
#include "core/analysis/endless.h"
#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/support/extents.h"
#include "core/support/text.h"
#include "core/targets/target.h"

namespace tilelab::sim {
namespace {

/// Target number of iterations per chunk of a T.Parallel: its registers stay in the L1 cache.
constexpr int64_t chunk_lanes = 512;
constexpr int64_t max_block_bytes = int64_t{1} << 28;  // memory of a block and its threads

}  // namespace

TileCompiler::TileCompiler(const Launch& launch, TileImage& image, int lanes, int64_t lo,
                           int64_t hi, const Definitions* definitions, const StatementTexts* texts)
    : BodyCompiler(lanes),
      launch_(launch),
      definitions_(definitions),
      image_(image),
      lo_(lo),
      hi_(hi),
      lanes_(lanes) {
  texts_ = texts;
}

TileCompiler::TileCompiler(TileCompiler& parent, int lanes, const std::vector<Symbol>& variables)
    : BodyCompiler(lanes),
      launch_(parent.launch_),
      definitions_(parent.definitions_),
      image_(parent.image_),
      parent_(&parent),
      variables_(variables),
      lo_(parent.lo_),
      hi_(parent.hi_),
      lanes_(lanes),
      memories_(parent.memories_) {}

// ---- names

Value TileCompiler::name(const Name& node) {
  for (size_t v = 0; v < variables_.size(); ++v) {
    if (variables_[v] != node.id) continue;
    Reg& r = target_->variables[v];
    if (r == no_reg) r = b.input(node.id, node.type.dtype);
    return reg(node.type.dtype, r);
  }
  if (parent_) {
    const Value* known = parent_->find(node.id);
    return capture(node.id, known ? *known : parent_->name(node));
  }
  for (auto& [id, scalar] : launch_.scalars)
    if (id == node.id) return constant(scalar.dtype, scalar.bits);
  const std::string& text = node.id.str();
  const auto& indices = launch_.kernel.indices;
  bool block_index = std::find(indices.begin(), indices.end(), node.id) != indices.end();
  bool thread_index = text == "tid" || text == "lane" || text == "warp";
  if (!block_index && !thread_index) cannot(node, "the name " + text + " is not known here");
  return reg(Elem::i32, b.input(node.id, Elem::i32));
}

/// Passes a value of the enclosing program to this one as an input. It must be uniform there.
Value TileCompiler::capture(Symbol name, const Value& outer) {
  if (outer.constant) return outer;
  CHECK(outer.regs.size() == 1, "a vector cannot be captured");
  Reg inner = b.input(name, outer.elem);
  if (std::find(captured_.begin(), captured_.end(), name) == captured_.end()) {
    captured_.push_back(name);
    target_->captures.push_back({parent_->operand(*parallel_site_, outer), outer.elem, inner});
  }
  return reg(outer.elem, inner);
}

/// A variable of the enclosing program that iterations assign: privatized per iteration.
void TileCompiler::carry(Symbol name) {
  const Variable* outer = parent_->find_variable(name);
  if (!outer) return;  // its assignment is diagnosed
  stmt(var(name, outer->elem, name_ref(name, {outer->elem, 1})));
  const Variable* inner = find_variable(name);
  b.keep_array(inner->array);
  parent_->b.keep_array(outer->array);
  target_->carried.push_back({inner->array, outer->array, elem_bytes(outer->elem)});
}

/// Per-thread memory, declared outside, that iterations write: privatized per iteration.
void TileCompiler::own_memory(const Stmt& body) {
  walk(*body, [&](const Node& node) {
    if (group(node.kind) == Group::expr) return false;
    for (const Effect& e : effects(node)) {
      auto it = memories_.find(e.buffer);
      if (!e.write || it == memories_.end()) continue;
      TileMemory own = image_.memories[size_t(it->second)];
      if (own.scope != Scope::local || own.root != it->second) continue;
      if (parent_->memories_.at(e.buffer) != it->second) continue;  // already privatized
      own.root = int32_t(image_.memories.size());
      own.per_lane = true;
      allocate(own, node);
      target_->own.push_back({own.root, it->second});
      it->second = own.root;
      image_.memories.push_back(std::move(own));
    }
    return true;
  });
}

int64_t TileCompiler::number(const Expr& e, const Node& node) {
  auto value = expr(e).integer();
  if (!value) cannot(node, "an extent that is computed at run time");
  return *value;
}

std::vector<int64_t> TileCompiler::numbers(const std::vector<Expr>& es, const Node& node) {
  std::vector<int64_t> v;
  for (const Expr& e : es) v.push_back(number(e, node));
  return v;
}

int32_t TileCompiler::operand(CallSite& site, const Value& v) {
  site.operands.push_back({.form = Operand::Form::value, .elem = v.elem, .regs = {at(v)}});
  return int32_t(site.operands.size()) - 1;
}

void TileCompiler::emit_call(CallSite site) {
  b.emit({.op = Op::call, .extra = uint32_t(b.add_call(std::move(site)))});
}

// ---- declarations

int32_t TileCompiler::memory_of(Symbol name, const Node& node) const {
  auto it = memories_.find(name);
  if (it != memories_.end()) return it->second;
  for (size_t m = 0; m < image_.memories.size(); ++m)  // parameters and memory shared by roles
    if (image_.memories[m].name == name) return int32_t(m);
  cannot(node, "no buffer " + name.str() + " is known here");
}

void TileCompiler::declare(const Buffer& buffer) {
  if (buffer.scope == Scope::barrier) return declare_barriers(buffer);
  TileMemory m;
  m.name = buffer.name;
  m.holds = holds(buffer);
  m.elem = buffer.dtype;
  m.pairs = buffer.pairs != Pairs::none;
  m.scope = buffer.scope;
  m.span = buffer.span;
  m.root = int32_t(image_.memories.size());
  m.granule = elem_bytes(m.elem);
  m.shape = numbers(buffer.shape, buffer);
  m.strides = row_major_strides(m.shape);
  m.elements = volume(m.shape);
  if (buffer.scope == Scope::global) return declare_tensor(buffer, std::move(m));
  m.per_lane = buffer.scope == Scope::local && (lanes_ > 1 || parent_);
  if (m.elements < 0 || m.elements > max_block_bytes)
    cannot(buffer, "a buffer of " + plural(m.elements, "element"));
  if (buffer.scope == Scope::shared && buffer.at >= 0)
    m.at = buffer.at;  // the arena is the start of the block's memory
  else
    allocate(m, buffer);
  if (buffer.ring && !m.shape.empty()) {
    m.ring = ring_of(buffer.ring);
    m.slot_bytes = m.strides[0] * elem_bytes(m.elem);
  }
  memories_[buffer.name] = int32_t(image_.memories.size());
  image_.memories.push_back(std::move(m));
}

/// Allocates the memory in the block.
void TileCompiler::allocate(TileMemory& m, const Node& node) {
  m.at = (image_.block_bytes + 63) / 64 * 64;
  m.copies = m.per_lane ? lanes_ : 1;
  image_.block_bytes = m.at + m.elements * elem_bytes(m.elem) * m.copies;
  if (image_.block_bytes > max_block_bytes) cannot(node, "a block with so much memory");
}

void TileCompiler::declare(const View& view) {
  const TileMemory& base = image_.memories[size_t(memory_of(view.buffer, view))];
  TileMemory m = base;
  m.name = m.holds = view.name;
  m.elem = view.dtype;
  m.shape = numbers(view.shape, view);
  m.strides = row_major_strides(m.shape), m.elements = volume(m.shape);
  const bool gaps = base.elements > 0 && base.strides != row_major_strides(base.shape);
  if (gaps) cannot(view, "a view of a tensor with gaps");
  const int64_t rest = base.elements * elem_bytes(base.elem) - m.elements * elem_bytes(m.elem);
  if (rest < 0 || (rest > 0 && base.scope != Scope::global))
    cannot(view, "a view with another size than its buffer");
  m.granule = std::min(base.granule, elem_bytes(m.elem));
  for (TileMemory& sibling : image_.memories)
    if (sibling.root == m.root) sibling.granule = std::min(sibling.granule, m.granule);
  memories_[view.name] = int32_t(image_.memories.size());
  image_.memories.push_back(std::move(m));
}

void TileCompiler::other(const Stmt& node) {
  switch (node->kind) {
    case Kind::Buffer: return declare(to<Buffer>(node));
    case Kind::View: return declare(to<View>(node));
    case Kind::Parallel: return parallel(to<Parallel>(node));
    default: break;
  }
  if (parent_ && node->kind != Kind::Record)
    cannot(*node, std::string(tilelab::name(node->kind)) + " inside T.Parallel");
  switch (node->kind) {
    case Kind::TileLoop: return tile_loop(to<TileLoop>(node));
    case Kind::Ring: return declare(to<Ring>(node));
    case Kind::Role: cannot(*node, "a role that is not at the top level of its kernel");
    default: break;
  }
  effects_ = effects(*node);
  visit(*node, [&](const auto& operation) {
    if constexpr (requires { compile(operation, *this); })
      compile(operation, *this);
    else
      cannot(operation, std::string(tilelab::name(operation.kind)) + " at tile level");
  });
}

// ---- T.Parallel

/// Chooses the chunks of iterations, once the extents are known.
static void plan_chunks(TileParallel& p, int64_t lanes) {
  p.split = int(p.extents.size()) - 1;
  while (p.split > 0 && p.extents[size_t(p.split)] > 0 &&
         p.inner * p.extents[size_t(p.split)] <= lanes)
    p.inner *= p.extents[size_t(p.split--)];
  const int64_t extent = p.extents[size_t(p.split)];
  p.piece = std::max<int64_t>(1, lanes / p.inner);
  if (extent <= 0) return;
  p.piece = std::min(p.piece, extent);  // pieces of equal size if possible
  const int64_t pieces = (extent + p.piece - 1) / p.piece;
  p.piece = (extent + pieces - 1) / pieces;
}

/// Records the bindings of the body, and privatizes outer variables that it assigns.
void TileCompiler::enter_body(const Stmt& body) {
  std::vector<Symbol> assigned;
  for_each(
      *body, [&](const Assign& a) { assigned.push_back(a.name); },
      [&](const Let& l) {
        lets_[l.name] = inside_.count(l.name) ? Expr() : l.value;  // a reused name is ambiguous
        inside_[l.name] = true;
      },
      [&](const Var& v) { inside_[v.name] = true; },
      [&](const For& f) { inside_[f.var] |= varies(f.lo) || (f.step && varies(f.step)); });
  for (Symbol name : assigned)
    if (inside_.try_emplace(name, true).second) carry(name);
}

void TileCompiler::parallel(const Parallel& node) {
  if (parent_) cannot(node, "T.Parallel inside T.Parallel");
  auto made = std::make_unique<TileParallel>();
  TileParallel& p = *made;
  p.span = node.span;
  CallSite site{.what = call_parallel, .numbers = {int64_t(image_.parallels.size())}};
  for (const Expr& e : node.extents) {
    Value v = expr(e);
    auto n = v.integer();
    p.extents.push_back(n ? std::max<int64_t>(*n, 0) : -1);
    p.extent_operands.push_back(n ? -1 : operand(site, v));
  }
  const size_t number = image_.parallels.size();
  image_.parallels.push_back(std::move(made));
  if (std::find(p.extents.begin(), p.extents.end(), 0) != p.extents.end()) return;

  const bool sequential = iterations_share_elements(node, [&](Symbol name) {
    return image_.memories[size_t(memory_of(name, node))].scope == Scope::fragment;
  });
  plan_chunks(p, sequential ? 1 : chunk_lanes);
  p.variables.assign(node.vars.size(), no_reg);
  p.names = node.vars;

  TileCompiler body(*this, int(p.piece * p.inner), node.vars);
  body.target_ = &p;
  body.parallel_site_ = &site;
  body.extents_ = p.extents;
  body.split_ = p.split;
  body.b.set_span(node.span);
  body.enter_body(node.body);
  body.own_memory(node.body);
  const size_t first_access = image_.accesses.size();
  body.stmt(node.body);
  mark_disjoint(image_, first_access, p.extents);
  p.program = body.finish();
  p.constants = constant_lanes(p.program);
  for (const Input& input : p.program.inputs) {  // finish() has assigned storage to registers
    for (size_t v = 0; v < node.vars.size(); ++v)
      if (input.name == node.vars[v]) p.variables[v] = input.reg;
    for (size_t c = 0; c < body.captured_.size(); ++c)
      if (input.name == body.captured_[c]) p.captures[c].reg = input.reg;
  }
  b.set_span(node.span);
  emit_call(std::move(site));
  for (const TileParallel::Carried& c : image_.parallels[number]->carried) b.written_array(c.outer);
}

// ---- kernels

TileAgent TileCompiler::agent(const Stmt& body, Symbol role) {
  TileAgent a;
  a.role = role;
  a.lo = lo_, a.hi = hi_;
  stmt(body);
  a.program = finish();
  a.constants = constant_lanes(a.program);
  return a;
}

namespace {

/// Collects the parts of the kernel: roles at its top level, other statements before (and between)
/// and after them.
struct Parts {
  std::vector<Stmt> common, after;
  std::vector<const Role*> roles;
  /// Whether code for all threads, other than declarations, precedes the roles.
  bool begins() const {
    return std::any_of(common.begin(), common.end(), [](const Stmt& s) {
      return group(s->kind) == Group::tile || s->kind == Kind::Do || s->kind == Kind::Store ||
             group(s->kind) == Group::structure || s->kind == Kind::Parallel;
    });
  }
};
Parts parts_of(const Stmt& body) {
  Parts parts;
  auto add = [&](const Stmt& s) {
    if (const Role* r = as<Role>(s))
      parts.roles.push_back(r);
    else
      (parts.roles.empty() ? parts.common : parts.after).push_back(s);
  };
  if (const Seq* seq = as<Seq>(body)) {
    for (const Stmt& s : seq->stmts) add(s);
  } else if (body) {
    add(body);
  }
  return parts;
}

}  // namespace

static Definitions definitions_of(const Stmt& body) {
  Definitions out;
  for_each(
      *body, [&](const Let& l) { out[l.name].push_back(l.value); },
      [&](const Assign& a) { out[a.name].push_back(a.value); },
      [&](const Var& v) {
        if (v.init) out[v.name].push_back(v.init);
      });
  return out;
}

/// The tensors of a launch, as the first memories.
static void name_tensors(const Launch& launch, TileImage& image) {
  for (size_t m = 0; m < launch.memories.size(); ++m) {
    const GlobalMemory& g = launch.memories[m];
    TileMemory t;
    t.name = g.name, t.elem = g.dtype, t.scope = Scope::global;
    t.global = int32_t(m);
    t.guarded = guards_accesses(launch.func);
    t.root = int32_t(m);
    t.granule = elem_bytes(t.elem);
    for (TileMemory& other :
         image.memories) {  // arguments that share memory are one to the watchers
      if (g.bytes == 0 || launch.memories[size_t(other.global)].data != g.data) continue;
      t.root = other.root;
      t.granule = other.granule = std::min(t.granule, other.granule);
    }
    t.shape = g.shape, t.strides = g.strides;
    t.elements = volume(g.shape);
    image.memories.push_back(std::move(t));
  }
  std::vector<Stmt> declared;
  for (const Stmt& s : launch.func.params)
    if (to<Param>(s).tensor) declared.push_back(to<Param>(s).tensor);
  for (const Stmt& s : declared) {
    const Buffer& buffer = to<Buffer>(s);
    for (TileMemory& t : image.memories) {
      if (t.name != buffer.name) continue;
      t.span = buffer.span;
      if (const Const* c = buffer.safe ? as<Const>(buffer.safe) : nullptr)
        t.safe = c->bits, t.declared = true;
    }
  }
}

static TileImage compile_agents(const Launch& launch, const ImageUse& use) {
  const Kernel& kernel = launch.kernel;
  TileImage image;
  image.logged = use.logged, image.watched = use.watched;
  if (const Target* target = find_target(launch.func.target)) image.warp = target->lanes;
  name_tensors(launch, image);
  int64_t arena = std::max<int64_t>(kernel.smem, 0);
  const DivergenceAnalysis varying(kernel);
  walk(*kernel.body, [&](const Node& node) {
    image.threads |= group(node.kind) != Group::expr && varying(node);
    if (const Buffer* b = as<Buffer>(&node); b && b->scope == Scope::shared && b->at >= 0) {
      int64_t n = bytes(b->dtype);
      for (const Expr& e : b->shape) n *= int_value(e).value_or(1);
      arena = std::max(arena, b->at + n);
    }
    return node.kind != Kind::Parallel;  // its iterations are separate lanes
  });
  if (arena > max_block_bytes) throw CannotRun{kernel.span, "a block with so much shared memory"};
  image.block_bytes = arena;
  Definitions definitions;
  if (use.notes || use.logged) definitions = definitions_of(kernel.body);
  const Definitions* known = use.notes || use.logged ? &definitions : nullptr;
  StatementTexts texts;
  if (use.traced) texts = statement_texts(launch.func);
  const StatementTexts* traced_texts = use.traced ? &texts : nullptr;
  Parts parts = parts_of(kernel.body);
  if (parts.roles.empty()) {
    TileCompiler c(launch, image, image.threads ? int(kernel.block) : 1, 0, kernel.block, known,
                   traced_texts);
    image.agents.push_back(c.agent(kernel.body, ""));
    return image;
  }
  auto add = [&](const Stmt& body, Symbol name, int64_t lo, int64_t hi, int phase) {
    TileCompiler c(launch, image, image.threads ? int(hi - lo) : 1, lo, hi, known, traced_texts);
    image.agents.push_back(c.agent(body, name));
    image.agents.back().phase = phase;
  };
  // The first agent declares what all roles share.
  std::vector<Stmt> shared = parts.common;
  if (parts.begins()) add(seq(std::exchange(shared, {})), "", 0, kernel.block, 0);
  for (const Role* role : parts.roles) {
    if (role->copies > 1) throw CannotRun{role->span, "a role with copies at tile level"};
    std::vector<Stmt> stmts = std::exchange(shared, {});
    stmts.push_back(role->body);
    add(seq(std::move(stmts)), role->name, role->lo, role->hi, 1);
  }
  if (!parts.after.empty()) add(seq(parts.after), "", 0, kernel.block, 2);
  return image;
}

TileImage compile_tile_kernel(const Launch& launch, const ImageUse& use) {
  TileImage image = compile_agents(launch, use);
  for (size_t m = 0; m < image.memories.size(); ++m) image.memories[m].number = int32_t(m);
  choose_spaces(image);
  image.waits = waits_for_others(*launch.kernel.body);
  return image;
}

}  // namespace tilelab::sim
