// SPDX-License-Identifier: Apache-2.0
// Matrix instructions. A matmul is one chain of fused multiply-adds per element, in increasing k,
// so it is bit-identical to tile level for every instruction. Operands in f32 are read as tf32.
// wgmma and sqmma take effect at their group's wait, with the shared memory and registers of that
// moment.
#include "core/sim/thread/matrix.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <tuple>

#include "core/layout/fragments.h"
#include "core/sim/thread/block.h"
#include "core/support/fork_safe.h"

namespace tilelab::sim {

const std::vector<int32_t>& fragment_elements(const MatrixInstruction& row, MatrixOperand operand,
                                              const MatrixShape& shape, int64_t bits) {
  using Key = std::tuple<std::string_view, MatrixOperand, int64_t, int64_t, int64_t, int64_t>;
  static ForkSafe<std::mutex> mutex;
  static std::map<Key, std::vector<int32_t>> known;
  std::lock_guard lock(mutex);
  auto [it, fresh] = known.try_emplace({row.name, operand, shape.m, shape.n, shape.k, bits});
  if (!fresh) return it->second;
  const auto layout = fragment_map(row.name, operand, shape.m, shape.n, shape.k, bits);
  if (!layout) return it->second;
  it->second.resize(size_t(extent(*layout, 'r') * extent(*layout, 't')));
  for (int64_t i = 0; i < layout->shape[0]; ++i)
    for (int64_t j = 0; j < layout->shape[1]; ++j) {
      const Place p = place_of(*layout, {i, j});
      it->second[size_t(p.reg * row.lanes + p.thread)] = int32_t(i * layout->shape[1] + j);
    }
  return it->second;
}

namespace {

enum class Move { to_registers, to_matrix };

/// Moves one register of `lanes` lanes; `elements` has each lane's element of the matrix.
void move_register(uint8_t* lane, LaneMatrix& matrix, const int32_t* elements, int lanes,
                   Move way) {
  with_word(elem_bytes(matrix.elem), [&]<class Unit>(Unit) {
    for (int i = 0; i < lanes; ++i) {
      uint8_t *x = lane + i * sizeof(Unit),
              *y = matrix.bytes.data() + elements[i] * int64_t(sizeof(Unit));
      if (way == Move::to_matrix)
        std::memcpy(y, x, sizeof(Unit));
      else
        std::memcpy(x, y, sizeof(Unit));
    }
  });
}

}  // namespace

OperandPlaces decode_sqmma(uint64_t bits, int64_t rows, int64_t cols, int elem_bytes) {
  OperandPlaces s;
  s.rows = rows, s.cols = cols, s.run = cols;
  s.start = int64_t(bits & 0x3FFFF);
  const int pitch = int(bits >> 18 & 7), granule = int(bits >> 21 & 3);
  for (int64_t r = 0; r < rows; ++r)
    s.row_pieces.push_back(r * (pitch ? int64_t{4} << pitch : cols * elem_bytes));
  if (granule) {
    const int g = 8 << granule;
    s.swizzle = {g, 256, 256 / g - 1};
  }
  return s;
}

OperandPlaces decode_wgmma(uint64_t bits, int64_t rows, int64_t cols, int elem_bytes) {
  OperandPlaces s;
  s.rows = rows, s.cols = cols;
  s.start = int64_t(bits & 0x3FFF) * 16;
  const int64_t leading = int64_t(bits >> 16 & 0x3FFF) * 16,
                stride = int64_t(bits >> 32 & 0x3FFF) * 16;
  const auto code = int(bits >> 62);
  const int64_t line = code == 0 ? 16 : 256 >> code;
  if (code) s.swizzle = {16, 128, int32_t(line / 16) - 1};
  s.run = std::gcd(cols, line / elem_bytes);  // a row may end within a line
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols * elem_bytes; c += s.run * elem_bytes)
      s.row_pieces.push_back(r / 8 * stride + r % 8 * line + c / line * leading + c % line);
  return s;
}

// ---- within a warp

/// Eight rows of 16 bytes per matrix: lane l addresses row l % 8 of matrix l / 8. Fills `address`,
/// -1 for the other lanes; false: a row has no valid address.
bool ThreadWarp::matrix_rows(const CallSite& call, const Operand& row, int matrices,
                             int64_t* address) {
  const MemoryInfo& info = block_.image.memories[size_t(row.memory)];
  for (int l = 0; l < lanes_; ++l) {
    address[l] = -1;
    if (l >= 8 * matrices) continue;
    int64_t offset =
        row.base +
        (row.regs[0] == no_reg ? 0 : integer(row.regs[0], row.wide ? Elem::i64 : Elem::i32, l));
    int64_t a = info.at + offset * elem_bytes(info.elem);
    bool ok = a % 16 == 0 && block_.arena.inside(a, 16);
    if (ok) {
      address[l] = swizzled(uint32_t(a), info.swizzle);
      continue;
    }
    Finding f = finding(a % 16 ? FindingKind::misaligned : FindingKind::out_of_bounds, l,
                        "provides a row of " + std::string(name(Intrinsic(call.what))));
    f.buffer = info.name.str();
    f.detail = "byte " + std::to_string(a);
    block_.fatal(std::move(f));
    return false;
  }
  const bool write = Intrinsic(call.what) == Intrinsic::stmatrix;
  touched({row.memory, write ? AccessKind::write : AccessKind::read,
           write ? Mover::row_stores : Mover::row_loads, 16, 8 * matrices},
          address);
  return true;
}

/// Each lane gets its 4 bytes of every matrix: of row l / 4, or if transposed of column l / 4.
Step ThreadWarp::ldmatrix(const CallSite& call) {
  if (!whole_warp("ldmatrix")) return Step::halt;
  const Operand& d = call.operands[0];
  const int bytes = elem_bytes(d.elem), held = 4 / bytes, matrices = int(d.regs.size()) / held;
  int64_t address[128];
  if (!matrix_rows(call, call.operands[1], matrices, address)) return Step::halt;
  const uint8_t* arena = block_.arena.data();
  for (int q = 0; q < matrices; ++q)
    for (int h = 0; h < held; ++h) {
      uint8_t* out = at(d.regs[size_t(held * q + h)]);
      for (int l = 0; l < lanes_; ++l) {
        int r = l / 4, c = held * (l % 4) + h;
        if (call.numbers[num_trans]) std::swap(r, c);
        std::memcpy(out + l * bytes, arena + address[8 * q + r] + c * bytes, size_t(bytes));
      }
    }
  return Step::next;
}

/// The inverse: each lane stores its 4 bytes of every matrix.
Step ThreadWarp::stmatrix(const CallSite& call) {
  if (!whole_warp("stmatrix")) return Step::halt;
  const Operand &row = call.operands[0], &from = call.operands[1];
  const int bytes = elem_bytes(from.elem), held = 4 / bytes;
  const int matrices = int(from.regs.size()) / held;
  int64_t address[128];
  if (!matrix_rows(call, row, matrices, address)) return Step::halt;
  uint8_t* arena = block_.arena.data();
  for (int q = 0; q < matrices; ++q)
    for (int h = 0; h < held; ++h) {
      const uint8_t* in = at(from.regs[size_t(held * q + h)]);
      for (int l = 0; l < lanes_; ++l) {
        int r = l / 4, c = held * (l % 4) + h;
        if (call.numbers[num_trans]) std::swap(r, c);
        std::memcpy(arena + address[8 * q + r] + c * bytes, in + l * bytes, size_t(bytes));
      }
    }
  for (int l = 0; l < 8 * matrices && block_.log(); ++l)
    block_.logged(row.memory, place(), address[l], 16);
  return Step::next;
}

Step ThreadWarp::mma(const CallSite& call) {
  if (!whole_warp("mma")) return Step::halt;
  const Operand &c = call.operands[0], &a = call.operands[1], &b = call.operands[2];
  const MatrixInstruction& row = matrix_instructions()[size_t(call.numbers[num_row])];
  const MatrixShape shape{call.numbers[num_m], call.numbers[num_n], call.numbers[num_k]};
  const auto [m, n, k] = shape;
  const int64_t bits = 8 * elem_bytes(a.elem), lanes = lanes_;
  bool fits = row.has_shape(shape, bits) && int64_t(c.regs.size()) * lanes == m * n &&
              int64_t(a.regs.size()) * lanes == m * k && int64_t(b.regs.size()) * lanes == n * k &&
              lanes == row.lanes;
  if (!fits) {
    Finding f = block_.finding(FindingKind::descriptor, place(), "warp " + std::to_string(index_),
                               "runs mma");
    f.detail = "no such mma: " + to_text(shape);
    block_.fatal(std::move(f));
    return Step::halt;
  }
  LaneMatrix A(a.elem, m, k), B(b.elem, k, n), C(c.elem, m, n);
  auto move = [&](LaneMatrix& matrix, const Operand& o, MatrixOperand operand, Move way) {
    const int32_t* elements = fragment_elements(row, operand, shape, bits).data();
    for (size_t l = 0; l < o.regs.size(); ++l)
      move_register(at(o.regs[l]), matrix, elements + l * size_t(lanes), int(lanes), way);
  };
  move(A, a, MatrixOperand::a, Move::to_matrix);
  move(B, b, MatrixOperand::b, Move::to_matrix);
  move(C, c, MatrixOperand::c, Move::to_matrix);
  gemm(C.view(), A.view(), B.view(), m, n, k, false, a.elem == Elem::f32);
  lane_results += m * n * k;
  if (block_.launch.meter) meter_matmul(call, a.elem);
  move(C, c, MatrixOperand::c, Move::to_registers);
  return Step::next;
}

// ---- a group of four warps

namespace {

class MatrixOp : public AsyncOp {
 public:
  MatrixOp(Block& block, uint32_t place) : AsyncOp(place), block(block) {}

  void write() override {
    LaneMatrix A = a_regs.empty() ? fetch(a) : a_from_registers();
    LaneMatrix B = fetch(b);
    const auto [m, n, k] = shape;
    LaneMatrix C(c_elem, m, n);
    if (!zero) move(C, c_regs, MatrixOperand::c, Move::to_matrix);
    gemm(C.view(), A.view(a_regs.empty() && tA), B.view(!tB), m, n, k, zero, elem == Elem::f32);
    block.lane_results += m * n * k;
    move(C, c_regs, MatrixOperand::c, Move::to_registers);
  }

  Block& block;
  std::vector<ThreadWarp*> warps;
  const MatrixInstruction* row = nullptr;
  MatrixShape shape;
  bool zero = false, tA = false, tB = false;
  Elem c_elem = Elem::f32, elem = Elem::f16;
  std::vector<Reg> c_regs, a_regs;
  OperandPlaces a, b;
  AsyncActor actor;

 private:
  LaneMatrix fetch(const OperandPlaces& o) {
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
                       block.trace_bytes(-1, at, part, false);
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
    LaneMatrix A(elem, shape.m, shape.k);
    move(A, a_regs, MatrixOperand::a, Move::to_matrix);
    return A;
  }

  void move(LaneMatrix& matrix, const std::vector<Reg>& regs, MatrixOperand operand, Move way) {
    const int32_t* elements = fragment_elements(*row, operand, shape, 8 * elem_bytes(elem)).data();
    for (size_t l = 0; l < regs.size(); ++l)
      for (int t = 0; t < row->lanes; t += 32)
        move_register(warps[size_t(t / 32)]->at(regs[l]), matrix,
                      elements + l * size_t(row->lanes) + t, std::min(32, row->lanes - t), way);
  }
};

OperandPlaces from_region(const Block& block, const Operand& o, int64_t offset) {
  const MemoryInfo& info = block.image.memories[size_t(o.memory)];
  const BoxTable& table = block.image.boxes[size_t(o.number)];
  const int64_t bytes = elem_bytes(info.elem);
  OperandPlaces s;
  s.rows = table.extents.size() == 2 ? table.extents[0] : 0;
  s.cols = table.extents.size() == 2 ? table.extents[1] : 0;
  s.start = info.at + offset * bytes;
  s.swizzle = info.swizzle;
  s.run = table.run;
  for (size_t i = 0; i < table.offset.size(); i += size_t(s.run))
    s.row_pieces.push_back(table.offset[i] * bytes);
  return s;
}

/// Fills `op` from a call; returns the error in its operands, or null.
const char* describe_operation(Block& block, ThreadWarp& warp, const CallSite& call, MatrixOp& op) {
  const Operand &c = call.operands[0], &a = call.operands[1], &b = call.operands[2];
  const auto what = Intrinsic(call.what);
  op.row = &matrix_instructions()[size_t(call.numbers[num_row])];
  op.shape = {call.numbers[num_m], call.numbers[num_n], call.numbers[num_k]};
  const auto [m, n, k] = op.shape;
  op.zero = call.numbers[num_zero] && what == Intrinsic::wgmma;
  op.tA = call.numbers[num_ta], op.tB = call.numbers[num_tb];
  op.c_elem = c.elem;
  op.c_regs = c.regs;
  op.elem = b.form == Operand::Form::region ? b.elem : Elem(call.numbers[num_dtype]);
  auto shared = [&](const Operand& o, int64_t rows, int64_t cols) {
    if (o.form != Operand::Form::region) {
      const auto decode = what == Intrinsic::wgmma ? decode_wgmma : decode_sqmma;
      return decode(uint64_t(warp.integer(o.regs[0], o.elem, 0)), rows, cols, elem_bytes(op.elem));
    }
    int64_t corner = o.base;
    if (o.regs[0] != no_reg) corner += warp.integer(o.regs[0], o.wide ? Elem::i64 : Elem::i32, 0);
    return from_region(block, o, corner);
  };
  if (a.form == Operand::Form::slice) {
    op.a_regs = a.regs;
  } else {
    op.a = op.tA ? shared(a, k, m) : shared(a, m, k);
  }
  op.b = op.tB ? shared(b, k, n) : shared(b, n, k);
  auto is = [](const OperandPlaces& o, int64_t rows, int64_t cols, bool transposed) {
    return o.rows == (transposed ? cols : rows) && o.cols == (transposed ? rows : cols);
  };
  const bool a_fits =
      op.a_regs.empty() ? is(op.a, m, k, op.tA) : int64_t(op.a_regs.size()) * 128 == m * k;
  const bool fits = int64_t(c.regs.size()) * 128 == m * n && block.image.warp == 32 &&
                    op.row->has_shape(op.shape, 8 * elem_bytes(op.elem)) && a_fits &&
                    is(op.b, n, k, op.tB);
  if (!fits) return "the operands do not have the shape of the instruction";
  for (const OperandPlaces* s : {&op.a, &op.b})
    for (int64_t p : s->row_pieces)
      if (!block.arena.inside(s->start + p, s->run * elem_bytes(op.elem), s->swizzle))
        return "an operand is outside shared memory";
  return nullptr;
}

}  // namespace

/// Equal for equal operands, which all warps of a group must pass.
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
  Step step = join_rendezvous(block_.group_place(g), 4, operand_hash(a) * 31 + operand_hash(b));
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
  if (block_.launch.meter) meter_matmul(call, op->elem);
  MatrixGroup& group = block_.matrix_group(g);
  for (int w = 0; w < 4; ++w) op->warps.push_back(&block_.warp(4 * g + w));
  uint32_t number = group.fifo.committed() + 1;
  if (block_.races) {
    // A warp's part of the matmul begins when that warp arrives: it waits for no other's stores.
    for (int w = 0; w < 4; ++w) {
      const Knowledge view = block_.race.issue(4 * g + w, block_.warp(4 * g + w).live());
      if (w == 0) op->actor.view = view;
      op->actor.view.intersect(view);
    }
    if (group.actor == no_actor)
      block_.name_actor(group.actor = block_.race.add_actor(),
                        "the matrix unit of group " + std::to_string(g));
    op->actor.self = group.actor;
    op->actor.clock = number;
    op->actor.sees_copies = true;
  }
  group.pending.push_back({c.array, c.first, int64_t(c.regs.size()), true, number, place()});
  if (a.form == Operand::Form::slice)
    group.pending.push_back({a.array, a.first, int64_t(a.regs.size()), false, number, place()});
  block_.trace_issued(*op);
  group.fifo.issue(std::move(op));
  return Step::next;
}

/// Registers of an array are fenced in groups of eight, as they are checked
/// (ThreadCompiler::touch).
static uint64_t eight(int32_t array, int64_t index) {
  return uint64_t(array) << 32 | uint64_t(index / 8);
}

/// Without operands it fences all registers.
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

/// Accumulators and register operands of an asynchronous matmul need a fence after the threads
/// access them; results of the matrix unit do not.
void ThreadWarp::check_fenced(const CallSite& call) {
  for (size_t i = 0; i < 2; ++i) {
    const Operand& o = call.operands[i];
    if (o.form != Operand::Form::slice) continue;
    for (int w = index_ / 4 * 4; w < index_ / 4 * 4 + 4; ++w) {
      if (block_.warp(w).fenced(o)) continue;
      Finding f = block_.finding(FindingKind::fence, place(), "warp " + std::to_string(w),
                                 i == 0 ? "passes its registers to the matrix unit as accumulators"
                                        : "passes its registers to the matrix unit as an operand");
      f.buffer = program().arrays[size_t(o.array)].name.str();
      f.detail = "no mma_fence since the threads accessed them";
      block_.report(std::move(f));
      break;
    }
  }
}

Step ThreadWarp::mma_commit() {
  if (!released_ && !whole_warp("mma_commit")) return Step::halt;
  bool last = !released_;
  Step step = join_rendezvous(block_.group_place(index_ / 4),
                              std::min(4, block_.warps() - index_ / 4 * 4), 0);
  if (step != Step::next || !last) return step;
  GroupFifo& fifo = block_.matrix_group(index_ / 4).fifo;
  fifo.commit();
  if (block_.early()) fifo.wait(0);
  return step;
}

/// Completion is visible to all four warps.
Step ThreadWarp::mma_wait(const CallSite& call) {
  if (!released_ && !whole_warp("mma_wait")) return Step::halt;
  bool last = !released_;
  const int64_t n = call.numbers[num_imm];
  Step step = join_rendezvous(block_.group_place(index_ / 4),
                              std::min(4, block_.warps() - index_ / 4 * 4), uint64_t(n));
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
    f.detail = "wait for the group of the operation first";
    block_.report(std::move(f));
    return Step::next;
  }
  return Step::next;
}

}  // namespace tilelab::sim
