// SPDX-License-Identifier: Apache-2.0
// Statements, the frame of a kernel, and write_ptx().
#include <algorithm>
#include <bit>

#include "codegen/c_family/kept_loops.h"
#include "codegen/c_family/names.h"
#include "codegen/c_family/writer.h"
#include "codegen/ptx/ptx.h"
#include "codegen/ptx/writer.h"
#include "core/analysis/effects.h"
#include "core/analysis/foreign.h"
#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/support/text.h"

namespace tilelab::codegen {

namespace {

constexpr size_t kLongest = 4 << 20;  // limit for a kernel with unrolled loops

/// The values of the lets of a name, in all scopes that have one.
using Lets = std::unordered_map<Symbol, std::vector<Expr>>;

/// Collects the names in `e` and in the values of lets among them.
void note_names(const Expr& e, const Lets& lets, std::unordered_set<Symbol>* out) {
  for_each(*e, [&](const Name& name) {
    if (!out->insert(name.id).second) return;
    if (const auto let = lets.find(name.id); let != lets.end())
      for (const Expr& value : let->second) note_names(value, lets, out);
  });
}

/// Whether iterations wait for an engine or start matmuls: unrolling such a body saves nothing.
bool has_engine_step(const Stmt& body) {
  return calls(*body, {Intrinsic::wgmma, Intrinsic::bar_wait});
}

}  // namespace

PtxWriter::PtxWriter(const Func& func, const Kernel& kernel, const Target& target)
    : func_(func), kernel_(kernel), target_(target), buffers_(buffers_of(func)) {
  budget_.registers = target.launched_registers(kernel.block, kernel.min_blocks());
  const BufferViews views = views_of(*kernel.body);
  for (Symbol name : touched(*kernel.body, views).written) written_.insert(views.base_of(name));
  // Loop variables that index registers of a thread's arrays.
  std::unordered_set<Symbol> own;
  Lets lets;
  for_each(
      *kernel.body,
      [&](const Buffer& b) {
        if (b.scope == Scope::local) own.insert(b.name);
      },
      [&](const Let& l) { lets[l.name].push_back(l.value); });
  auto note_index = [&](Symbol buffer, const Expr& index) {
    if (own.count(buffer)) note_names(index, lets, &indexing_);
  };
  for_each(
      *kernel.body, [&](const Load& l) { note_index(l.buffer, l.index.at(0)); },
      [&](const Region& r) { note_index(r.buffer, r.dims.at(0).lo); },
      [&](const Store& s) { note_index(s.buffer, s.dims.at(0).lo); });
}

void PtxWriter::bind(Symbol id, const Lanes& value) { names_[id] = frozen(value); }

void PtxWriter::stmt(const Stmt& s) {
  if (!s) return;
  if (length() > kLongest) refuse("a kernel as long as this");
  switch (s->kind) {
    case Kind::Seq:
      for (const Stmt& inner : to<Seq>(s).stmts) stmt(inner);
      return;
    case Kind::Buffer: return buffer_stmt(to<Buffer>(s));
    case Kind::View: return view_stmt(to<View>(s));
    case Kind::Var: {
      const auto& v = to<Var>(s);
      Lane variable{fresh(bank_of(v.dtype)), {}, 0, true};
      names_[v.name] = {v.dtype, {variable}, {}, 1};
      return assign(variable, v.dtype, v.init ? scalar(v.init) : Lane{"", 0});
    }
    case Kind::Let: return bind(to<Let>(s).name, expr(to<Let>(s).value));
    case Kind::Assign: {
      const Lanes& variable = names_.at(to<Assign>(s).name);
      return assign(variable.lanes[0], variable.dtype, scalar(to<Assign>(s).value));
    }
    case Kind::Store: {
      const auto& store_node = to<Store>(s);
      CHECK(store_node.dims.size() == 1, store_node.buffer.str() + " is not flat");
      return store(store_node.buffer, store_node.dims[0].lo, expr(store_node.value));
    }
    case Kind::Do: return void(expr(to<Do>(s).call));
    case Kind::If: return if_stmt(to<If>(s));
    case Kind::For: return for_stmt(to<For>(s));
    case Kind::While: return while_stmt(to<While>(s));
    case Kind::Break: return emit("bra " + ends_.back());
    case Kind::Record:
      if (to<Record>(s).what == RecordKind::assume) return;
      refuse("what a kernel prints and asserts");
    default: refuse(name(s->kind));
  }
}

void PtxWriter::assign(const Lane& variable, DType dtype, const Lane& value) {
  emit("mov" + ptx_bits(bank_of(dtype)) + " " + variable.text + ", " + in_register(value, dtype));
}

void PtxWriter::buffer_stmt(const Buffer& b) {
  if (b.scope == Scope::barrier) {
    barriers_[b.name] = &b;
    return;
  }
  Memory memory{Memory::Space::shared, b.dtype, arena_, b.at};
  if (b.address) {
    const std::string address = in_register(scalar(b.address), DType::i64);
    memory = {Memory::Space::global, b.dtype,
              emit_to(Bank::b64, "cvta.to.global.u64", {address}).text};
  } else if (b.scope == Scope::local) {
    memory = {Memory::Space::registers, b.dtype};
    int64_t count = 1;
    for (int64_t extent : const_shape(b)) count *= extent;
    const int each = in_word(b.dtype);
    const Bank bank = each == 1 ? bank_of(b.dtype) : Bank::b32;
    for (int64_t i = 0; i < count; i += each) {
      memory.registers.push_back({fresh(bank), {}, 0, true});
      // Reads never precede writes, but ptxas requires initialized words.
      if (each > 1) emit("mov.b32 " + memory.registers.back().text + ", 0");
      budget_.arrays += bank == Bank::b64 ? 2 : 1;
    }
  } else {
    CHECK(b.at >= 0, b.name.str() + " has no place in shared memory");
  }
  memories_[b.name] = std::move(memory);
}

void PtxWriter::view_stmt(const View& v) {
  Memory memory = this->memory(v.buffer);
  if (memory.space == Memory::Space::registers && in_word(memory.dtype) != in_word(v.dtype))
    refuse("a view of registers by elements of another size");
  memory.dtype = v.dtype;
  memories_[v.name] = std::move(memory);
}

/// Writes a store under conditions as a store with a predicate; returns false if it is more than
/// that, or if computing its operands in all threads reads memory or is long.
bool PtxWriter::guarded_store(const If& s) {
  constexpr int kShort = 16;  // nodes of the value
  std::vector<Expr> conditions;
  const If* branch = &s;
  const Store* found = nullptr;
  for (; branch && !found;) {
    if (branch->else_ || !harmless(branch->cond)) return false;
    conditions.push_back(branch->cond);
    const std::vector<Stmt> body = statements_of(branch->then_);
    if (body.size() != 1) return false;
    branch = as<If>(body[0]);
    found = as<Store>(body[0]);
  }
  const auto is_pure = [&](const Expr& e) {
    return harmless(e) && !any_of(*e, [](const Call& c) { return !info(c.intrinsic).pure(); });
  };
  if (!found || is_in_registers(found->buffer) || !is_smaller(*found->value, kShort) ||
      !is_pure(found->value) || !is_pure(found->dims.at(0).lo))
    return false;
  for (const Expr& each : conditions)
    if (!is_pure(each)) return false;
  Lane all = scalar(conditions[0]);
  for (size_t i = 1; i < conditions.size(); ++i)
    all =
        emit_to(Bank::truth, "and.pred",
                {in_register(all, DType::bool_), in_register(scalar(conditions[i]), DType::bool_)});
  const Lanes value = expr(found->value);
  predicate_ = in_register(all, DType::bool_);
  store(found->buffer, found->dims[0].lo, value);
  predicate_.clear();
  return true;
}

void PtxWriter::if_stmt(const If& s) {
  if (guarded_store(s)) return;
  const Lane condition = scalar(s.cond);
  if (condition.constant) return stmt(*condition.constant ? s.then_ : s.else_);
  const std::string otherwise = label();
  const Budget outside = budget_;
  emit("@!" + condition.text + " bra " + otherwise);
  stmt(s.then_);
  budget_ = outside;
  if (!s.else_) return place_label(otherwise);
  const std::string end = label();
  emit("bra " + end);
  place_label(otherwise);
  stmt(s.else_);
  budget_ = outside;
  place_label(end);
}

/// Whether the loop is unrolled: by the same criteria as in C, and if its variable indexes
/// registers.
bool PtxWriter::unrolled(const For& s) const {
  if (s.mode != LoopMode::serial) return true;
  if (!int_value(s.lo) || !int_value(s.hi)) return false;
  const int64_t together = copies(s);
  return indexing_.count(s.var) || (together > 1 && together == known_iterations(s));
}

/// How many iterations of a serial loop are written next to each other.
int64_t PtxWriter::copies(const For& s) const {
  return copies_for_loads(s, [&](Symbol name) -> const Buffer* {
    const auto found = buffers_.find(name);
    return found == buffers_.end() ? nullptr : found->second;
  });
}

void PtxWriter::for_stmt(const For& s) {
  const DType dtype = s.lo ? s.lo->type.dtype : DType::i32;
  const auto iteration = [&](int64_t value) {
    names_[s.var] = {dtype, {Lane{"", uint64_t(value)}}, {}, 1};
    stmt(s.body);
  };
  if (s.steps.empty() && !unrolled(s)) return counted_loop(s);
  ends_.push_back(label());
  if (!s.steps.empty()) {
    for (int64_t value : s.steps) iteration(value);
  } else {
    const Lane lo = scalar(s.lo), hi = scalar(s.hi);
    const int64_t step = s.step ? int_value(s.step).value_or(0) : 1;
    if (!lo.constant || !hi.constant || step == 0)
      refuse("an unrolled loop whose number of iterations is not constant");
    const auto last = int64_t(*hi.constant);
    for (auto i = int64_t(*lo.constant); step > 0 ? i < last : i > last; i += step) iteration(i);
  }
  place_label(ends_.back());
  ends_.pop_back();
}

void PtxWriter::counted_loop(const For& s) {
  const DType dtype = s.lo->type.dtype;
  const Bank bank = bank_of(dtype);
  const int64_t step = s.step ? int_value(s.step).value_or(0) : 1;
  CHECK(step != 0, "the step of a loop is a constant");
  const Lane i{fresh(bank)};
  assign(i, dtype, scalar(s.lo));
  const Lane last = frozen(scalar(s.hi), dtype);
  const std::string end = last.constant ? use(last, dtype) : in_register(last, dtype);
  const std::string begin = label(), done = label();
  const std::string test = std::string("setp.") + (step > 0 ? "ge" : "le") + ptx_type(dtype);
  emit("@" + emit_to(Bank::truth, test, {i.text, end}).text + " bra " + done);
  begin_loop(begin, i.text);
  if (has_engine_step(s.body)) emit(".pragma \"nounroll\"");
  ends_.push_back(done);
  int64_t together = copies(s);
  while (known_iterations(s).value_or(1) % together != 0) together /= 2;
  for (int64_t copy = 0; copy < together; ++copy) {
    const std::string by = std::to_string(copy * step);
    names_[s.var] = {
        dtype, {copy == 0 ? i : emit_to(bank, "add" + ptx_type(dtype), {i.text, by})}, {}, 1};
    stmt(s.body);
  }
  ends_.pop_back();
  emit("add" + ptx_type(dtype) + " " + i.text + ", " + i.text + ", " +
       std::to_string(together * step));
  emit("@!" + emit_to(Bank::truth, test, {i.text, end}).text + " bra " + begin);
  end_loop();
  place_label(done);
}

void PtxWriter::while_stmt(const While& s) {
  const std::string begin = label(), done = label();
  begin_loop(begin);
  const Lane condition = scalar(s.cond);
  emit("@!" + in_register(condition, DType::bool_) + " bra " + done);
  ends_.push_back(done);
  stmt(s.body);
  ends_.pop_back();
  emit("bra " + begin);
  end_loop();
  place_label(done);
}

// ---- the frame

/// Declares a parameter and loads its value into registers.
void PtxWriter::parameter(Symbol id, const std::string& name, std::string* declared) {
  if (const auto it = buffers_.find(id);
      it != buffers_.end() && it->second->scope == Scope::global) {
    *declared = ".param .u64 " + name;
    const Lane given = emit_to(Bank::b64, "ld.param.u64", {"[" + name + "]"});
    Memory memory{Memory::Space::global, it->second->dtype,
                  emit_to(Bank::b64, "cvta.to.global.u64", {given.text}).text};
    memory.read_only = !written_.count(id) && !it->second->aliased;
    memory.evict_first = it->second->evict_first && !written_.count(id);
    memories_[id] = std::move(memory);
    return;
  }
  std::optional<DType> dtype;
  for (const Stmt& p : func_.params)
    if (to<Param>(p).name == id) dtype = to<Param>(p).dtype;
  for (const Stmt& d : func_.dims)
    if (to<Dim>(d).name == id) dtype = to<Dim>(d).dtype;
  if (!dtype) {
    *declared = ".param .align 64 .b8 " + name + "[128]";
    const Lane at = emit_to(Bank::b64, "mov.b64", {name});
    maps_[id] = emit_to(Bank::b64, "cvta.param.u64", {at.text}).text;
    return;
  }
  const std::string width = std::to_string(bits(*dtype));
  *declared = ".param .b" + width + " " + name;
  if (*dtype == DType::bool_) {
    const Lane byte = emit_to(Bank::b32, "ld.param.u8", {"[" + name + "]"});
    names_[id] = {*dtype, {emit_to(Bank::truth, "setp.ne.b32", {byte.text, "0"})}, {}, 1};
    return;
  }
  const Bank bank = bank_of(*dtype);
  const bool extended = bank == Bank::b32 && bits(*dtype) < 32;
  names_[id] = {*dtype,
                {emit_to(bank,
                         std::string("ld.param") +
                             (extended ? is_signed(*dtype) ? ".s" : ".u" : ".b") + width,
                         {"[" + name + "]"})},
                {},
                1};
}

/// The built-in names, the arena and addresses relative to it: before any branch, so that they
/// dominate all uses.
void PtxWriter::prologue() {
  tid_ = emit_to(Bank::b32, "mov.u32", {"%tid.x"}).text;
  const auto builtin = [&](Symbol id, Lane lane) {
    names_[id] = {DType::i32, {std::move(lane)}, {}, 1};
  };
  Lane tid{tid_};
  tid.maybe = uint32_t(std::bit_ceil(uint64_t(kernel_.block)) - 1);
  builtin("tid", tid);
  builtin("lane", bitwise(BinOp::band, DType::i32, tid, {"", uint64_t(target_.lanes - 1)}));
  builtin("warp", shift(BinOp::shr, DType::i32, tid, {"", 5}));
  if (!maps_.empty()) prefetch_maps();
  static constexpr const char* kBlock[] = {"%ctaid.x", "%ctaid.y", "%ctaid.z"};
  for (size_t i = 0; i < kernel_.indices.size() && i < 3; ++i)
    builtin(kernel_.indices[i], emit_to(Bank::b32, "mov.u32", {kBlock[i]}));
  if (kernel_.smem <= 0) return;
  arena_ = emit_to(Bank::b32, "mov.b32", {"smem"}).text;
  const Lane units = emit_to(Bank::b32, "shr.u32", {arena_, "4"});
  operands_ = emit_to(Bank::b64, "cvt.u64.u32", {units.text}).text;
  int64_t barriers = 0;
  for_each(*kernel_.body, [&](const Call& call) {
    if (call.intrinsic == Intrinsic::bar_reserve) barriers = int_value(call.args.at(0)).value_or(0);
  });
  bars_ = emit_to(Bank::b32, "add.s32",
                  {arena_, std::to_string(kernel_.smem - barriers * target_.barriers.bytes)})
              .text;
}

/// Loads the tensor maps into the cache of the copy engine, where the first copies find them.
void PtxWriter::prefetch_maps() {
  const Lane first = emit_to(Bank::truth, "setp.eq.s32", {tid_, "0"});
  for (Symbol id : codegen::parameters(kernel_, target_))
    if (auto map = maps_.find(id); map != maps_.end())
      emit("@" + first.text + " prefetch.tensormap [" + map->second + "]");
}

std::string PtxWriter::write() {
  const std::string name = c_identifier(kernel_.name.str());
  std::string declared;
  size_t number = 0;
  for (Symbol id : codegen::parameters(kernel_, target_)) {
    std::string one;
    parameter(id, name + "_param_" + std::to_string(number++), &one);
    declared += (declared.empty() ? "\n  " : ",\n  ") + one;
  }
  prologue();
  stmt(kernel_.body);
  std::string out = "\n.visible .entry " + name + "(" + declared + ")\n.maxntid " +
                    std::to_string(kernel_.block) + ", 1, 1\n.minnctapersm " +
                    std::to_string(kernel_.min_blocks()) + "\n";
  if (const Attr* cluster = find_attr(kernel_.attrs, "cluster"); cluster && sm90())
    out += ".explicitcluster\n.reqnctapercluster " + join(cluster->list, ", ") + "\n";
  return out + "{\n" + declarations() + body_ + "  ret;\n}\n";
}

/// The lowest version that has all instructions, since drivers reject versions newer than theirs.
static std::string head_of(const Target& target, const std::string& kernels) {
  const bool narrow_mma =
      kernels.find("mma.sync.aligned.m16n8k32.row.col.f32.e") != std::string::npos;
  const bool cache_policies = kernels.find("evict_first") != std::string::npos ||
                              kernels.find("cache_hint") != std::string::npos;
  const char* version = narrow_mma                ? "8.4"
                        : target.name == "sm_90a" ? "8.1"
                        : cache_policies          ? "7.4"
                                                  : "7.1";
  return std::string(".version ") + version + "\n.target " + std::string(target.name) +
         "\n.address_size 64\n.extern .shared .align " + std::to_string(target.arena_align) +
         " .b8 smem[];\n";
}

std::optional<std::string> write_ptx(const Func& flat, const Target& target, std::string* why) {
  CHECK(flat.level == Level::flat && target.family == Family::cuda, "flat IR for NVIDIA's chips");
  if (has_foreign_calls(flat)) {
    *why = "it calls functions of CUDA source";
    return std::nullopt;
  }
  std::string text;
  try {
    for_each_of_host(
        flat, [&](const Kernel& kernel) { text += PtxWriter(flat, kernel, target).write(); });
  } catch (const NotInPtx& refused) {
    *why = refused.what;
    return std::nullopt;
  }
  return head_of(target, text) + text + '\0';
}

}  // namespace tilelab::codegen
