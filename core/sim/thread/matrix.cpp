// SPDX-License-Identifier: Apache-2.0
// Matrix instructions. A product is one chain of fused multiply-adds per element, in increasing k,
// so it has the bits of the tile level whatever the instruction. wgmma and sqmma take effect at
// their group's wait, on the shared memory and registers of that moment.
#include "core/sim/thread/matrix.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/sim/thread/block.h"

namespace tilelab::sim {

SqmmaDescriptor decode_sqmma(uint32_t bits) {
  SqmmaDescriptor d;
  d.start = bits & 0x3FFFF;
  int pitch = bits >> 18 & 7, granule = bits >> 21 & 3;
  d.pitch = pitch ? int64_t{4} << pitch : 0;  // 1 = 8 bytes ... 6 = 256
  if (granule) {
    int g = 8 << granule;
    d.swizzle = {g, 256, 256 / g - 1};
  }
  return d;
}

// ---- within a warp

/// Eight rows of 16 bytes per matrix: lane l gives row l % 8 of matrix l / 8 and gets its two
/// elements of every matrix.
Step ThreadWarp::ldmatrix(const CallSite& call) {
  if (!whole_warp("ldmatrix")) return Step::halt;
  const Operand &d = call.operands[0], &row = call.operands[1];
  const MemoryInfo& info = block_.image.memories[size_t(row.memory)];
  const int matrices = int(d.regs.size()) / 2, bytes = elem_bytes(d.elem), per_row = 16 / bytes;
  int64_t address[128];
  for (int l = 0; l < lanes_; ++l) {
    address[l] = -1;
    if (l >= 8 * matrices) continue;
    int64_t offset =
        row.base +
        (row.regs[0] == no_reg ? 0 : integer(row.regs[0], row.wide ? Elem::i64 : Elem::i32, l));
    int64_t a = info.at + offset * bytes;
    bool ok = a % 16 == 0 && block_.arena.inside(a, 16);
    if (ok) {
      address[l] = swizzled(uint32_t(a), info.swizzle);
      continue;
    }
    Finding f =
        block_.finding(a % 16 ? FindingKind::misaligned : FindingKind::out_of_bounds, place(),
                       block_.thread_name(first_thread() + l), "gives a row of ldmatrix");
    f.buffer = info.name.str();
    f.detail = "byte " + std::to_string(a);
    block_.fatal(std::move(f));
    return Step::halt;
  }
  if (block_.races || block_.arena.watched())
    watch_access(row.memory, AccessKind::read, address, 16);
  const uint8_t* arena = block_.arena.data();
  for (int q = 0; q < matrices; ++q)
    for (int h = 0; h < 2; ++h) {
      uint8_t* out = at(d.regs[size_t(2 * q + h)]);
      for (int l = 0; l < lanes_; ++l) {
        int r = l / 4, c = per_row / 4 * (l % 4) + h;
        if (call.numbers[num_trans]) std::swap(r, c);
        std::memcpy(out + l * bytes, arena + address[8 * q + r] + c * bytes, size_t(bytes));
      }
    }
  return Step::next;
}

Step ThreadWarp::mma(const CallSite& call) {
  if (!whole_warp("mma")) return Step::halt;
  const Operand &c = call.operands[0], &a = call.operands[1], &b = call.operands[2];
  const int64_t m = call.numbers[num_m], n = call.numbers[num_n], k = call.numbers[num_k];
  const int pack = 4 / elem_bytes(a.elem);
  bool fits = m == 16 && n == 8 && c.regs.size() == 4 && int64_t(a.regs.size()) * 32 == m * k &&
              int64_t(b.regs.size()) * 32 == n * k && gemm_exists(c.elem, a.elem, b.elem) &&
              lanes_ == 32;
  if (!fits) {
    Finding f = block_.finding(FindingKind::descriptor, place(), "warp " + std::to_string(index_),
                               "runs mma");
    f.detail =
        "no such mma: m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k);
    block_.fatal(std::move(f));
    return Step::halt;
  }
  LaneMatrix A(a.elem, m, k), B(b.elem, k, n), C(c.elem, m, n);
  const size_t ea = size_t(elem_bytes(a.elem)), ec = size_t(elem_bytes(c.elem));
  for (int l = 0; l < int(a.regs.size()); ++l)
    for (int t = 0; t < 32; ++t) {
      RowCol p = mma_a(t, l, pack);
      std::memcpy(A.at(p.row, p.col), at(a.regs[size_t(l)]) + size_t(t) * ea, ea);
    }
  for (int l = 0; l < int(b.regs.size()); ++l)
    for (int t = 0; t < 32; ++t) {
      RowCol p = mma_b(t, l, pack);
      std::memcpy(B.at(p.row, p.col), at(b.regs[size_t(l)]) + size_t(t) * ea, ea);
    }
  auto move_c = [&](bool in) {
    for (int l = 0; l < 4; ++l)
      for (int t = 0; t < 32; ++t) {
        RowCol p = mma_c(t, l);
        uint8_t* r = at(c.regs[size_t(l)]) + size_t(t) * ec;
        std::memcpy(in ? C.at(p.row, p.col) : r, in ? r : C.at(p.row, p.col), ec);
      }
  };
  move_c(true);
  gemm(C.view(), A.view(), B.view(), m, n, k, false);
  lane_results += m * n * k;
  move_c(false);
  return Step::next;
}

// ---- a group of four warps

namespace {

/// Shared operand of a matrix operation: where its elements are.
struct SharedOperand {
  int64_t rows = 0, cols = 0;       // as stored
  std::vector<int64_t> row_pieces;  // byte offsets (unswizzled) of each run, `run` elements long
  int64_t run = 1;
  int64_t start = 0;
  Swizzle swizzle;
};

class MatrixOp : public AsyncOp {
 public:
  MatrixOp(Block& block, uint32_t place) : AsyncOp(place), block(block) {}

  void write() override {
    LaneMatrix A = a_regs.empty() ? fetch(a) : a_from_registers();
    LaneMatrix B = fetch(b);
    LaneMatrix C(c_elem, m, n);
    if (!zero) move_c(C, true);
    gemm(C.view(), A.view(a_regs.empty() && tA), B.view(!tB), m, n, k, zero);
    block.lane_results += m * n * k;
    move_c(C, false);
  }

  Block& block;
  std::vector<ThreadWarp*> warps;
  bool sq = false, zero = false, tA = false, tB = false;
  int64_t m = 0, n = 0, k = 0;
  Elem c_elem = Elem::f32, elem = Elem::f16;
  std::vector<Reg> c_regs, a_regs;
  SharedOperand a, b;
  AsyncActor actor;

 private:
  LaneMatrix fetch(const SharedOperand& o) {
    LaneMatrix out(elem, o.rows, o.cols);
    uint8_t* to = out.bytes.data();
    const int64_t bytes = o.run * elem_bytes(elem);
    int64_t hole = -1;
    std::optional<RaceDetector::Runs> runs;
    if (block.races) runs.emplace(block.race, block.arena_shadow(), actor, place, AccessKind::read);
    for (int64_t piece : o.row_pieces) {
      for_each_piece(o.start + piece, bytes, o.swizzle,
                     [&](int64_t at, int64_t offset, int64_t part) {
                       std::memcpy(to + offset, block.arena.data() + at, size_t(part));
                       if (hole < 0) hole = block.arena.first_unwritten(at, part);
                       if (runs) runs->touch(at, part);
                     });
      to += bytes;
    }
    if (hole >= 0) {
      Finding f = block.finding(FindingKind::uninitialized, place, "the matrix unit", "reads");
      block.locate_shared(hole, f);
      block.report(std::move(f));
    }
    return out;
  }

  LaneMatrix a_from_registers() {
    LaneMatrix A(elem, m, k);
    const int bytes = elem_bytes(elem), pack = 4 / bytes;
    for (int w = 0; w < 4; ++w)
      for (size_t l = 0; l < a_regs.size(); ++l) {
        const uint8_t* from = warps[size_t(w)]->at(a_regs[l]);
        for (int t = 0; t < 32; ++t) {
          RowCol p = wgmma_a(32 * w + t, int(l), pack);
          std::memcpy(A.at(p.row, p.col), from + t * bytes, size_t(bytes));
        }
      }
    return A;
  }

  void move_c(LaneMatrix& C, bool in) {
    const int bytes = elem_bytes(c_elem),
              chunk = sq ? 8 : 2;  // neighbouring columns of neighbouring threads
    for (int w = 0; w < 4; ++w)
      for (size_t l = 0; l < c_regs.size(); ++l) {
        uint8_t* r = warps[size_t(w)]->at(c_regs[l]);
        for (int t = 0; t < 32; t += sq ? chunk : 1) {
          RowCol p = sq ? sqmma_c(32 * w + t, int(l), int(n)) : wgmma_c(32 * w + t, int(l));
          size_t size = size_t(sq ? chunk * bytes : bytes);
          uint8_t *x = r + t * bytes, *y = C.at(p.row, p.col);
          std::memcpy(in ? y : x, in ? x : y, size);
        }
      }
  }
};

SharedOperand from_region(const Block& block, const Operand& o, int64_t offset) {
  const MemoryInfo& info = block.image.memories[size_t(o.memory)];
  const BoxTable& table = block.image.boxes[size_t(o.number)];
  const int64_t bytes = elem_bytes(info.elem);
  SharedOperand s;
  s.rows = table.extents.size() == 2 ? table.extents[0] : 0;
  s.cols = table.extents.size() == 2 ? table.extents[1] : 0;
  s.start = info.at + offset * bytes;
  s.swizzle = info.swizzle;
  s.run = table.run;
  for (size_t i = 0; i < table.offset.size(); i += size_t(s.run))
    s.row_pieces.push_back(table.offset[i] * bytes);
  return s;
}

SharedOperand from_descriptor(uint32_t bits, int64_t rows, int64_t cols, int elem_size) {
  SqmmaDescriptor d = decode_sqmma(bits);
  SharedOperand s;
  s.rows = rows, s.cols = cols, s.run = cols;
  s.start = d.start;
  s.swizzle = d.swizzle;
  for (int64_t r = 0; r < rows; ++r)
    s.row_pieces.push_back(r * (d.pitch ? d.pitch : cols * elem_size));
  return s;
}

/// Fills `op` from a call; says what is wrong with its operands, or null.
const char* describe_operation(Block& block, ThreadWarp& warp, const CallSite& call, MatrixOp& op) {
  const Operand &c = call.operands[0], &a = call.operands[1], &b = call.operands[2];
  op.sq = Intrinsic(call.what) == Intrinsic::sqmma;
  op.zero = call.numbers[num_zero] && !op.sq;
  op.tA = call.numbers[num_ta], op.tB = call.numbers[num_tb];
  op.m = call.numbers[num_m], op.n = call.numbers[num_n], op.k = call.numbers[num_k];
  op.c_elem = c.elem;
  op.c_regs = c.regs;
  if (b.form == Operand::Form::region) op.elem = b.elem;
  auto shared = [&](const Operand& o, int64_t rows, int64_t cols) {
    if (o.form != Operand::Form::region)
      return from_descriptor(uint32_t(warp.integer(o.regs[0], o.elem, 0)), rows, cols,
                             elem_bytes(op.elem));
    int64_t corner = o.base;
    if (o.regs[0] != no_reg) corner += warp.integer(o.regs[0], o.wide ? Elem::i64 : Elem::i32, 0);
    return from_region(block, o, corner);
  };
  if (a.form == Operand::Form::slice) {
    op.a_regs = a.regs;
  } else {
    op.a = op.tA ? shared(a, op.k, op.m) : shared(a, op.m, op.k);
  }
  op.b = op.tB ? shared(b, op.k, op.n) : shared(b, op.n, op.k);
  const int64_t a_size =
      op.a_regs.empty() ? op.a.rows * op.a.cols : int64_t(op.a_regs.size()) * 128;
  bool fits = int64_t(c.regs.size()) * 128 == op.m * op.n && block.image.warp == 32 &&
              gemm_exists(c.elem, op.elem, op.elem) && op.b.rows * op.b.cols == op.k * op.n &&
              (op.sq || op.m == 64) && a_size == op.m * op.k;
  if (!fits) return "the operands do not have the instruction's shape";
  for (const SharedOperand* s : {&op.a, &op.b})
    for (int64_t p : s->row_pieces)
      if (!block.arena.inside(s->start + p, s->run * elem_bytes(op.elem)))
        return "an operand leaves shared memory";
  return nullptr;
}

}  // namespace

/// Equal for equal operands: what all warps of a group must bring.
uint64_t ThreadWarp::operand_hash(const Operand& o) {
  uint64_t h = uint64_t(o.memory) + uint64_t(o.base) * 31;
  if (o.form == Operand::Form::slice) return h;
  for (Reg r : o.regs)
    if (r != no_reg)
      h = (h ^ uint64_t(integer(
                   r, o.form == Operand::Form::region ? (o.wide ? Elem::i64 : Elem::i32) : o.elem,
                   0))) *
          0x9E3779B97F4A7C15u;
  return h;
}

Step ThreadWarp::group_mma(const CallSite& call) {
  const Intrinsic what = Intrinsic(call.what);
  if (!released_ && !whole_warp(name(what))) return Step::halt;
  const int32_t g = index_ / 4;
  const Operand &c = call.operands[0], &a = call.operands[1], &b = call.operands[2];
  bool last = !released_;
  Step step = meet(block_.group_place(g), 4, operand_hash(a) * 31 + operand_hash(b));
  if (step != Step::next || !last) return step;
  auto op = std::make_unique<MatrixOp>(block_, place());
  if (const char* problem = describe_operation(block_, *this, call, *op)) {
    Finding f = block_.finding(FindingKind::descriptor, place(), "group " + std::to_string(g),
                               std::string("runs ") + name(what));
    f.detail = problem;
    block_.fatal(std::move(f));
    return Step::halt;
  }
  if (what == Intrinsic::wgmma) check_fenced(call);
  MatrixGroup& group = block_.matrix_group(g);
  for (int w = 0; w < 4; ++w) op->warps.push_back(&block_.warp(4 * g + w));
  uint32_t number = group.fifo.committed() + 1;
  if (block_.races) {
    for (int w = 0; w < 4; ++w)
      op->actor.view.join(block_.race.issue(4 * g + w, block_.warp(4 * g + w).live()));
    if (group.actor == no_actor)
      block_.name_actor(group.actor = block_.race.add_actor(),
                        "the matrix unit of group " + std::to_string(g));
    op->actor.self = group.actor;
    op->actor.clock = number;
  }
  group.pending.push_back({c.array, c.first, int64_t(c.regs.size()), true, number, place()});
  if (a.form == Operand::Form::slice)
    group.pending.push_back({a.array, a.first, int64_t(a.regs.size()), false, number, place()});
  group.fifo.issue(std::move(op));
  return Step::next;
}

/// Registers of an array are fenced by eights, as they are looked at (ThreadCompiler::touch).
static uint64_t eight(int32_t array, int64_t index) {
  return uint64_t(array) << 32 | uint64_t(index / 8);
}

/// Without operands all registers are meant.
Step ThreadWarp::mma_fence(const CallSite& call) {
  auto add = [&](int32_t array, int64_t first, int64_t n) {
    for (int64_t i = first / 8; i * 8 < first + n; ++i)
      if (std::find(fenced_.begin(), fenced_.end(), eight(array, i * 8)) == fenced_.end())
        fenced_.push_back(eight(array, i * 8));
  };
  for (const Operand& o : call.operands) add(o.array, o.first, int64_t(o.regs.size()));
  if (call.operands.empty())
    for (size_t a = 0; a < program().arrays.size(); ++a)
      add(int32_t(a), 0, program().arrays[a].count);
  return Step::next;
}

bool ThreadWarp::fenced(const Operand& o) const {
  for (int64_t i = o.first / 8; i * 8 < o.first + int64_t(o.regs.size()); ++i)
    if (std::find(fenced_.begin(), fenced_.end(), eight(o.array, i * 8)) == fenced_.end())
      return false;
  return true;
}

/// Accumulators and operands in registers of an asynchronous product need a fence since the threads
/// touched them; the matrix unit's own results do not.
void ThreadWarp::check_fenced(const CallSite& call) {
  for (size_t i = 0; i < 2; ++i) {
    const Operand& o = call.operands[i];
    if (o.form != Operand::Form::slice) continue;
    for (int w = index_ / 4 * 4; w < index_ / 4 * 4 + 4; ++w) {
      if (block_.warp(w).fenced(o)) continue;
      Finding f = block_.finding(FindingKind::fence, place(), "warp " + std::to_string(w),
                                 i == 0 ? "gives its registers to the matrix unit as accumulators"
                                        : "gives its registers to the matrix unit as an operand");
      f.buffer = program().arrays[size_t(o.array)].name.str();
      f.detail = "no mma_fence since the threads touched them";
      block_.report(std::move(f));
      break;
    }
  }
}

Step ThreadWarp::mma_commit() {
  if (!released_ && !whole_warp("mma_commit")) return Step::halt;
  bool last = !released_;
  Step step = meet(block_.group_place(index_ / 4), std::min(4, block_.warps() - index_ / 4 * 4), 0);
  if (step == Step::next && last) block_.matrix_group(index_ / 4).fifo.commit();
  return step;
}

/// Completion is known to the four warps together.
Step ThreadWarp::mma_wait(const CallSite& call) {
  if (!released_ && !whole_warp("mma_wait")) return Step::halt;
  bool last = !released_;
  const int64_t n = call.numbers[num_imm];
  Step step = meet(block_.group_place(index_ / 4), std::min(4, block_.warps() - index_ / 4 * 4),
                   uint64_t(n));
  if (step != Step::next) return step;
  MatrixGroup& group = block_.matrix_group(index_ / 4);
  if (last) {
    group.fifo.wait(n);
    std::erase_if(group.pending,
                  [&](const PendingRegisters& p) { return p.group <= group.fifo.completed(); });
  }
  if (block_.races && group.actor != no_actor)
    block_.race.acquire_actor(index_, live_, group.actor, group.fifo.completed());
  return Step::next;
}

/// The program is about to access registers of a local array.
Step ThreadWarp::touch(const CallSite& call) {
  const Operand& o = call.operands[0];
  if (!fenced_.empty()) std::erase(fenced_, eight(o.array, o.first));
  for (const PendingRegisters& p : block_.matrix_group(index_ / 4).pending) {
    bool overlap =
        p.array == o.array && p.first < o.first + o.extents[0] && o.first < p.first + p.n;
    if (!overlap || (!p.accumulator && !call.numbers[0])) continue;
    Finding f = block_.finding(FindingKind::pending, place(), "warp " + std::to_string(index_),
                               call.numbers[0] ? "writes" : "reads");
    f.buffer = program().arrays[size_t(o.array)].name.str();
    f.where.insert(f.where.begin(), {block_.span(p.place), "a matrix operation", "still uses"});
    f.detail = "wait for the operation's group first";
    block_.report(std::move(f));
    return Step::next;
  }
  return Step::next;
}

}  // namespace tilelab::sim
