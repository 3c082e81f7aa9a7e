// SPDX-License-Identifier: Apache-2.0
#include "core/sim/program/build.h"

#include <algorithm>

#include "core/support/check.h"

namespace tilelab::sim {

ProgramBuilder::ProgramBuilder(int lanes) {
  program_.lanes = lanes;
  program_.places.push_back({});
  program_.sites.push_back({});
  scopes_.emplace_back();
}

void ProgramBuilder::set_span(const Span& span) {
  uint32_t next = uint32_t(program_.places.size());
  if (span.known()) {  // copies of an unrolled statement share it
    uint64_t key = uint64_t{span.file} << 44 ^ uint64_t { span.line } << 20 ^
                   uint64_t { span.col } << 10 ^ uint64_t { span.end_line } << 32 ^ span.end_col;
    uint32_t& known = place_of_[key];
    if (known && program_.places[known] == span) {
      place_ = known;
      return;
    }
    known = next;
  }
  program_.places.push_back(span);
  place_ = next;
}

// ---- registers

Reg ProgramBuilder::temp(int bytes, bool keep) {
  size_.push_back(uint32_t(bytes));
  group_.push_back(-1);
  kept_.push_back(keep);
  changed_.push_back(0);
  mutable_.push_back(0);
  return Reg(size_.size()) - 1;
}

int32_t ProgramBuilder::array(Symbol name, int64_t count, int bytes) {
  int32_t index = int32_t(program_.arrays.size());
  RegArray a;
  a.first = Reg(size_.size());
  a.count = count;
  a.bytes = bytes;
  a.name = name;
  for (int64_t i = 0; i < count; ++i) {
    Reg r = temp(bytes);
    group_[r] = index;
    mutable_[r] = 1;
  }
  program_.arrays.push_back(a);
  return index;
}

void ProgramBuilder::keep_array(int32_t array) {
  const RegArray& a = program_.arrays[array];
  for (int64_t i = 0; i < a.count; ++i) kept_[a.first + Reg(i)] = 1;
}

void ProgramBuilder::written_array(int32_t array) {
  const RegArray& a = program_.arrays[array];
  std::fill_n(changed_.begin() + a.first, a.count, ++clock_);
}

Reg ProgramBuilder::constant(Elem elem, uint64_t bits) {
  Key key{uint64_t(elem_bytes(elem)), bits, 0, 0};
  auto [it, fresh] = constants_.try_emplace(key, 0);
  if (fresh) {
    it->second = constant_page | Reg(program_.constants.size());
    program_.constants.push_back({0, elem, bits});
  }
  return it->second;
}

Reg ProgramBuilder::input(Symbol name, Elem elem) {
  auto [it, fresh] = inputs_.try_emplace(name, no_reg);
  if (fresh) {
    it->second = temp(elem_bytes(elem), true);
    program_.inputs.push_back({name, elem, it->second});
  }
  return it->second;
}

// ---- code

size_t ProgramBuilder::emit(Instr instr) {
  instr.place = place_;
  if (instr.op == Op::store || (instr.op == Op::call && !instr.for_watchers)) ++changes_;
  program_.code.push_back(instr);
  return program_.code.size() - 1;
}

/// The register and the time of its last change: identifies a value.
uint64_t ProgramBuilder::stamp(Reg reg) const {
  if (reg == no_reg || !is_mutable(reg)) return reg;
  return uint64_t{std::max(changed_[reg], all_changed_)} << 32 | reg;
}

void ProgramBuilder::remember(const Key& key, Reg reg) {
  known_.emplace(key, reg);
  scopes_.back().push_back(key);
}

uint32_t ProgramBuilder::bytes_of(Reg reg) const {
  if (!(reg & constant_page)) return size_[reg];
  return uint32_t(elem_bytes(program_.constants[reg & ~constant_page].elem));
}

/// The last two operands of an operation have one size, so that it reads no lane beyond them.
void ProgramBuilder::check_operands(Reg a, Reg b, Reg c) const {
  if (b == no_reg) return;
  const Reg x = c == no_reg ? a : b, y = c == no_reg ? b : c;
  CHECK(bytes_of(x) == bytes_of(y), "operands of different sizes");
}

Reg ProgramBuilder::lanes(LaneFn fn, int bytes, Reg a, Reg b, Reg c) {
  CHECK(fn, "operation without a kernel");
  check_operands(a, b, c);
  Key key{reinterpret_cast<uint64_t>(fn), stamp(a), stamp(b), stamp(c)};
  if (auto it = known_.find(key); it != known_.end()) return it->second;
  Instr i;
  i.op = Op::lanes;
  i.fn = fn;
  i.dst = temp(bytes);
  i.a = a, i.b = b, i.c = c;
  i.bytes = uint8_t(bytes);
  i.counted = address_depth == 0;
  emit(i);
  remember(key, i.dst);
  return i.dst;
}

void ProgramBuilder::assign(Reg reg, int bytes, LaneFn fn, Reg a, Reg b, Reg c) {
  check_operands(a, b, c);
  Instr i;
  i.op = Op::masked;
  i.fn = fn;
  i.dst = reg;
  i.a = a, i.b = b, i.c = c;
  i.bytes = uint8_t(bytes);
  // A temporary of the previous instruction is computed directly into its destination.
  if (!program_.code.empty() && !fn) {
    Instr& last = program_.code.back();
    bool movable = last.op == Op::lanes && last.dst == a && last.bytes == bytes &&
                   position() > fence_ && last.place == place_;
    if (movable) {
      last.op = Op::masked;
      last.dst = reg;
      forget(a);
      written(reg);
      return;
    }
  }
  emit(i);
  written(reg);
}

/// The register is no longer defined: its value must be recomputed.
void ProgramBuilder::forget(Reg reg) {
  for (size_t s = scopes_.size(); s-- > 0;)
    for (size_t k = scopes_[s].size(); k-- > 0;) {
      auto it = known_.find(scopes_[s][k]);
      if (it == known_.end() || it->second != reg) continue;
      known_.erase(it);
      scopes_[s].erase(scopes_[s].begin() + static_cast<std::ptrdiff_t>(k));
      return;
    }
}

bool ProgramBuilder::checked(const Instr& check, const CheckSite* site) {
  uint64_t which = 0, place = 0;
  if (site) {
    const bool memory = site->memory >= 0;
    which = uint64_t(uint32_t(memory ? site->memory : site->array)) << 10 |
            uint64_t(site->dim) << 2 | uint64_t{memory} << 1 | uint64_t{site->write};
    place = place_;
  }
  const uint64_t what = uint64_t{1} << 63 | uint64_t(check.op) << 8 | uint64_t(check.elem);
  const Key key{what | which << 20, stamp(check.a), stamp(check.b), place << 32 | check.extra,
                uint64_t(check.imm)};
  if (known_.count(key)) return true;
  remember(key, no_reg);
  return false;
}

bool ProgramBuilder::holds(uint64_t what, uint64_t which) const {
  return known_.count({uint64_t{7} << 61, what, which, 0}) != 0;
}

void ProgramBuilder::assume(uint64_t what, uint64_t which) {
  if (!holds(what, which)) remember({uint64_t{7} << 61, what, which, 0}, no_reg);
}

uint32_t ProgramBuilder::add_site(const CheckSite& site) {
  program_.sites.push_back(site);
  return uint32_t(program_.sites.size()) - 1;
}

bool ProgramBuilder::once(uint64_t what, uint64_t which) {
  Key key{uint64_t{3} << 62, what, which, all_changed_};
  if (known_.count(key)) return true;
  remember(key, no_reg);
  return false;
}

ProgramBuilder::Key ProgramBuilder::load_key(const Access& access, int64_t delta) const {
  const uint64_t what = uint64_t{5} << 61 | uint64_t(access.elem) << 32 | uint32_t(access.memory);
  const uint64_t when = uint64_t{changes_} << 32 | all_changed_;
  const uint64_t where = access.offset == no_reg ? no_reg : stamp(access.offset);
  const uint64_t base = access.address == no_reg ? 0 : ~uint64_t{stamp(access.address)} << 20;
  return {what ^ uint64_t{place_} << 40, where ^ base, uint64_t(access.base + delta), when};
}

Reg ProgramBuilder::loaded(const Access& access, int64_t delta) const {
  auto it = known_.find(load_key(access, delta));
  return it == known_.end() ? no_reg : it->second;
}

void ProgramBuilder::remember_loaded(const Access& access, int64_t delta, Reg reg) {
  if (loaded(access, delta) == no_reg) remember(load_key(access, delta), reg);
}

Reg ProgramBuilder::range(Elem elem, Reg a) {
  Key key{uint64_t{1} << 62 | uint64_t(elem), stamp(a), 0, 0};
  if (auto it = known_.find(key); it != known_.end()) return it->second;
  Instr i;
  i.op = Op::range;
  i.elem = elem;
  i.a = a;
  i.dst = temp(8);
  emit(i);
  remember(key, i.dst);
  return i.dst;
}

int64_t ProgramBuilder::add_fate(Fate fate) {
  for (auto [array, elem] : fate.variables) keep_array(array);
  program_.fates.push_back(std::move(fate));
  return int64_t(program_.fates.size());
}

int32_t ProgramBuilder::add_access(Access access) {
  program_.accesses.push_back(access);
  return int32_t(program_.accesses.size()) - 1;
}

int32_t ProgramBuilder::add_call(CallSite call) {
  program_.calls.push_back(std::move(call));
  return int32_t(program_.calls.size()) - 1;
}

void ProgramBuilder::push_scope() {
  scopes_.emplace_back();
  fence_ = position();
}

void ProgramBuilder::pop_scope() {
  for (const Key& key : scopes_.back()) known_.erase(key);
  scopes_.pop_back();
  fence_ = position();
}

void ProgramBuilder::enter_loop() {
  forget_changes();
  push_scope();
  open_loops_.push_back(position());
}

void ProgramBuilder::leave_loop() {
  loops_.push_back({open_loops_.back(), position() - 1});
  open_loops_.pop_back();
  pop_scope();
  forget_changes();
}

// ---- storage

/// Linear scan over live ranges; an array is one block. A value that is defined before a loop and
/// used in it lives to the end of the loop.
class RegisterAllocator {
 public:
  explicit RegisterAllocator(ProgramBuilder& b)
      : b_(b), p_(b.program_), place_(b.size_.size(), no_reg) {}

  void run() {
    find_ranges();
    extend_over_loops();
    place_blocks();
    place_constants();
    rewrite();
  }

 private:
  struct Block {
    size_t first = SIZE_MAX, last = 0;
    uint32_t bytes = 0;
    Reg reg = 0;
    Reg count = 1;
    bool keep = false;
    bool changes = false;  // an array or a variable
  };

  template <class F> void for_each_reg(Instr& i, F&& f) {
    f(i.dst), f(i.a), f(i.b), f(i.c);
    if (i.op == Op::load || i.op == Op::store) {
      Access& a = p_.accesses[i.extra];
      f(a.offset), f(a.address);
      for (int k = 0; k < a.width; ++k) f(a.value[k]);
      for (Reg& mark : a.marks) f(mark);
    } else if (i.op == Op::call) {
      CallSite& c = p_.calls[i.extra];
      for (Operand& o : c.operands) {
        f(o.address);
        for (Reg& r : o.regs) f(r);
      }
      for (Reg& r : c.results) f(r);
    }
  }

  void find_ranges() {
    block_of_.resize(b_.size_.size());
    for (Reg r = 0; r < b_.size_.size(); ++r) {
      int32_t g = b_.group_[r];
      if (g < 0 || p_.arrays[g].first == r) blocks_.push_back({SIZE_MAX, 0, 0, r, 0, false});
      Block& block = blocks_.back();
      block_of_[r] = blocks_.size() - 1;
      ++block.count;
      block.keep |= b_.kept_[r] != 0;
      block.changes = g >= 0;
      block.bytes += lane_block(b_.size_[r]);
    }
    for (size_t pos = 0; pos < p_.code.size(); ++pos) {
      auto touch = [&](Reg r) {
        if (r == no_reg || (r & constant_page)) return;
        Block& block = blocks_[block_of_[r]];
        block.first = std::min(block.first, pos);
        block.last = std::max(block.last, pos);
      };
      for_each_reg(p_.code[pos], touch);
      if (p_.code[pos].op == Op::load_reg || p_.code[pos].op == Op::store_reg)
        touch(p_.arrays[p_.code[pos].extra].first);
    }
  }

  void extend_over_loops() {
    auto loops = b_.loops_;
    std::sort(loops.begin(), loops.end(), [](auto& a, auto& b) { return a.first > b.first; });
    for (Block& block : blocks_) {
      if (block.first == SIZE_MAX) continue;
      for (auto [start, end] : loops) {
        if (block.first < start && block.last >= start && block.last < end) block.last = end;
        // A mutable value is live throughout the loop, since the next iteration may read it before
        // it writes it.
        if (block.changes && block.first >= start && block.first < end) {
          block.first = start;
          block.last = std::max(block.last, end);
        }
      }
    }
  }

  uint32_t lane_block(uint32_t bytes) const { return (bytes * uint32_t(p_.lanes) + 63) / 64 * 64; }

  void place_blocks() {
    std::vector<Block*> order;
    for (Block& block : blocks_) {
      if (block.keep) block.first = 0, block.last = p_.code.size();
      if (block.first != SIZE_MAX) order.push_back(&block);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](Block* a, Block* b) { return a->first < b->first; });
    std::vector<std::pair<size_t, std::pair<uint32_t, uint32_t>>> live;  // heap by last use
    auto later = [](auto& a, auto& b) { return a.first > b.first; };
    for (Block* block : order) {
      while (!live.empty() && live.front().first < block->first) {
        std::pop_heap(live.begin(), live.end(), later);
        give_back(live.back().second.first, live.back().second.second);
        live.pop_back();
      }
      uint32_t at = take(block->bytes);
      live.push_back({block->last, {at, block->bytes}});
      std::push_heap(live.begin(), live.end(), later);
      for (Reg k = 0; k < block->count; ++k) {
        place_[block->reg + k] = at;
        at += lane_block(b_.size_[block->reg + k]);
      }
    }
    p_.register_bytes = end_;
  }

  uint32_t take(uint32_t bytes) {
    for (size_t i = 0; i < free_.size(); ++i) {
      auto& [at, size] = free_[i];
      if (size < bytes) continue;
      uint32_t result = at;
      at += bytes, size -= bytes;
      if (size == 0) free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(i));
      return result;
    }
    uint32_t result = end_;
    end_ += bytes;
    return result;
  }

  void give_back(uint32_t at, uint32_t bytes) {
    auto it = std::lower_bound(free_.begin(), free_.end(), std::pair{at, bytes});
    it = free_.insert(it, {at, bytes});
    if (auto next = it + 1; next != free_.end() && it->first + it->second == next->first) {
      it->second += next->second;
      free_.erase(next);
    }
    if (it != free_.begin() && (it - 1)->first + (it - 1)->second == it->first) {
      (it - 1)->second += it->second;
      free_.erase(it);
    }
  }

  void place_constants() {
    uint32_t at = 0;
    for (ConstantLane& c : p_.constants) {
      c.offset = at;
      at += lane_block(uint32_t(elem_bytes(c.elem)));
    }
    p_.constant_bytes = at;
  }

  void rewrite() {
    auto f = [&](Reg& r) {
      if (r == no_reg) return;
      r = (r & constant_page) ? constant_page | p_.constants[r & ~constant_page].offset : place_[r];
    };
    for (Instr& i : p_.code) for_each_reg(i, f);
    for (Input& input : p_.inputs) f(input.reg);
    for (RegArray& a : p_.arrays) {
      a.stride = lane_block(uint32_t(a.bytes));
      f(a.first);
    }
  }

  ProgramBuilder& b_;
  Program& p_;
  std::vector<Block> blocks_;
  std::vector<size_t> block_of_;
  std::vector<Reg> place_;
  std::vector<std::pair<uint32_t, uint32_t>> free_;
  uint32_t end_ = 0;
};

Program ProgramBuilder::finish() {
  CHECK(open_loops_.empty() && scopes_.size() == 1, "program with an open scope");
  emit({});
  RegisterAllocator(*this).run();
  return std::move(program_);
}

}  // namespace tilelab::sim
