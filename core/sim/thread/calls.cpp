// SPDX-License-Identifier: Apache-2.0
// Intrinsics -> call sites: operands by the kinds of intrinsics.def, attributes as numbers.
#include <algorithm>

#include "core/ir/build.h"
#include "core/ir/intrinsics/memory_order.h"
#include "core/layout/layout.h"
#include "core/layout/matrix.h"
#include "core/sim/thread/compile.h"

namespace tilelab::sim {
namespace {

using Form = Operand::Form;

int64_t unit_number(const std::string& text) {
  if (text == "copies") return unit_copies;
  auto unit = parse_enum<Unit>(text);
  return unit ? int64_t(*unit) : unit_of_barrier;
}

}  // namespace

void ThreadCompiler::attributes(const Call& node, CallSite& site) {
  site.numbers.assign(call_numbers, 0);
  site.numbers[num_unit] = unit_of_barrier;
  site.numbers[num_id] = -1;
  site.numbers[num_dtype] = int64_t(DType::f16);
  if (is_matmul(node.intrinsic)) {
    const Attr* shape = find_attr(node.attrs, "shape");
    const MatrixInstruction* row =
        matrix_of(tilelab::name(node.intrinsic), options_.target,
                  shape ? parse_matrix_shape(shape->string) : std::nullopt);
    if (!row) cannot(node, std::string(tilelab::name(node.intrinsic)) + " on this target");
    site.numbers[num_row] = row - matrix_instructions().data();
  }
  for (const Attr& a : node.attrs) {
    if (a.name == Symbol("shape")) {
      const auto shape = parse_matrix_shape(a.string);
      if (!shape) cannot(node, "shape = \"" + a.string + "\"");
      site.numbers[num_m] = shape->m, site.numbers[num_n] = shape->n;
      site.numbers[num_k] = shape->k;
    } else if (a.name == Symbol("tA")) {
      site.numbers[num_ta] = a.integer;
    } else if (a.name == Symbol("tB")) {
      site.numbers[num_tb] = a.integer;
    } else if (a.name == Symbol("zero")) {
      site.numbers[num_zero] = a.integer;
    } else if (a.name == Symbol("trans")) {
      site.numbers[num_trans] = a.integer;
    } else if (a.name == Symbol("unit")) {
      site.numbers[num_unit] = unit_number(a.string);
    } else if (a.name == Symbol("order")) {
      const MemoryOrder order = memory_order(node);
      site.numbers[num_order] = order_acquires * order.acquires | order_releases * order.releases;
    } else if (a.name == Symbol("dtype")) {
      site.numbers[num_dtype] = int64_t(dtype_from_name(a.string).value_or(DType::f16));
    } else if (a.name == Symbol("granule")) {
      site.numbers[num_granule] = a.integer;
    } else if (a.name == Symbol("id")) {
      site.numbers[num_id] = a.integer;
      if (node.intrinsic == Intrinsic::role_sync && image_.flat) use_part(a.integer, site);
    } else if (a.name == Symbol("threads")) {
      site.numbers[num_threads] = a.integer;
    } else if (a.name == Symbol("mem")) {
      site.numbers[num_all_memory] = a.string == "all";
    } else if (a.name == Symbol("relaxed")) {
      site.numbers[num_relaxed] = a.integer;
    } else if (a.name == Symbol("box")) {
      Operand box;
      box.extents = a.list;
      site.operands.push_back(box);
    }
  }
}

/// The barrier of a part of the block, which `key` identifies.
void ThreadCompiler::use_part(int64_t key, CallSite& site) {
  auto& parts = image_.parts;
  auto it = std::find(parts.begin(), parts.end(), key);
  site.numbers[num_part] = 1 + (it - parts.begin());
  if (it == parts.end()) parts.push_back(key);
}

/// A barrier of a range of the role's threads: by its ID at flat level, else by its first and last
/// thread in the block.
void ThreadCompiler::range_barrier(const Call& node, CallSite& site) {
  if (node.intrinsic != Intrinsic::range_sync) return;
  constexpr int64_t kMaxThreads = 1 << 16;
  const int64_t lo = int_value(node.args.at(0)).value_or(0);
  const int64_t hi = int_value(node.args.at(1)).value_or(lo);
  site.numbers[num_threads] = hi - lo;
  const Attr* id = find_attr(node.attrs, "id");
  use_part(id && image_.flat ? id->integer : -1 - ((role_lo_ + lo) * kMaxThreads + role_lo_ + hi),
           site);
}

// ---- operands

Operand ThreadCompiler::value_operand(const Expr& e) {
  Value v = expr(e);
  Operand o{.form = Form::value, .elem = v.elem};
  for (int i = 0; i < std::max(v.width(), 1); ++i) o.regs.push_back(at(v, i));
  return o;
}

Operand ThreadCompiler::list_operand(const Expr& e) {
  Operand o{.form = Form::list, .wide = true};
  ++b.address_depth;
  const Vec* list = as<Vec>(e);
  auto one = [&](const Expr& part) { o.regs.push_back(at(cast(Elem::i64, expr(part)))); };
  if (list) {
    for (const Expr& part : list->parts) one(part);
  } else {
    one(e);
  }
  --b.address_depth;
  o.elem = Elem::i64;
  return o;
}

Operand ThreadCompiler::slice_operand(const Expr& e) {
  const Region* r = as<Region>(e);
  if (!r) cannot(*e, "a register operand must be a slice of a local buffer");
  const BufferUse& u = use(r->buffer, *r);
  if (u.scope != Scope::local || u.array)
    cannot(*r, "a register operand must be a slice of a local buffer");
  int width = 1;
  Index i = local_index(u, r->dims, true, &width);
  const RegArray& array = b.array(u.number);
  if (i.reg != no_reg)
    cannot(*r, "the index of a register operand must be constant after unrolling");
  if (i.add < 0 || i.add + width > array.count) cannot(*r, "a register operand outside its buffer");
  Operand o;
  o.form = Form::slice;
  o.elem = u.dtype;
  o.array = u.number;
  o.first = i.add;
  o.extents = {width};
  for (int k = 0; k < width; ++k) o.regs.push_back(b.element(u.number, i.add + k));
  return o;
}

Operand ThreadCompiler::element_operand(const Expr& e) {
  Operand o;
  o.form = Form::element;
  std::vector<RegionDim> dims;
  Symbol buffer;
  if (const Load* l = as<Load>(e)) {
    buffer = l->buffer;
    for (const Expr& i : l->index) dims.push_back(point(i));
  } else {
    const Region& r = to<Region>(e);
    buffer = r.buffer;
    dims = r.dims;
  }
  const BufferUse& u = use(buffer, *e);
  if (u.scope != Scope::global && u.scope != Scope::shared)
    cannot(*e, "a reference into global or shared memory expected");
  Place p = place(u, dims, *e, true);
  o.elem = u.dtype;
  o.memory = u.number;
  o.address = address_of(u);
  o.regs = {p.offset.at.reg};
  o.wide = p.offset.at.elem == Elem::i64;
  o.base = p.offset.at.add;
  o.extents = {p.width};
  o.checked = p.checked;
  if (p.width > 1 && p.step != 1) cannot(*e, "the elements of this slice are not contiguous");
  return o;
}

/// Offsets of a box relative to its corner. The corner's digits must not carry into the box's: true
/// if the box starts at multiples of its extents, as matrix and engine operands do.
int32_t ThreadCompiler::box_table(const BufferUse& u, const std::vector<RegionDim>& dims,
                                  std::vector<int64_t>* extents) {
  const MemoryInfo& memory = image_.memories[size_t(u.number)];
  Layout layout = memory.layout.known() ? memory.layout : row_major(memory.shape);
  BoxTable table;
  std::vector<std::vector<int64_t>> parts;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d].point) continue;
    table.extents.push_back(dims[d].extent);
    std::vector<int64_t> part;
    for (int64_t i = 0; i < dims[d].extent; ++i) part.push_back(contribution(layout, d, i).address);
    parts.push_back(std::move(part));
  }
  table.offset = {0};
  for (const auto& part : parts) {
    std::vector<int32_t> next;
    for (int32_t base : table.offset)
      for (int64_t x : part) next.push_back(base + int32_t(x));
    table.offset = std::move(next);
  }
  std::vector<int32_t> sorted = table.offset;
  std::sort(sorted.begin(), sorted.end());
  table.dense = true;
  for (size_t i = 0; i < sorted.size(); ++i) table.dense &= sorted[i] == int32_t(i);
  const int64_t cols = table.extents.empty() ? 1 : table.extents.back();
  auto runs_of = [&](int64_t run) {
    for (size_t i = 1; i < table.offset.size(); ++i)
      if (int64_t(i) % run != 0 && table.offset[i] != table.offset[i - 1] + 1) return false;
    return true;
  };
  for (table.run = cols; table.run > 1 && !(cols % table.run == 0 && runs_of(table.run));)
    --table.run;
  *extents = table.extents;
  for (size_t i = 0; i < image_.boxes.size(); ++i)
    if (image_.boxes[i].extents == table.extents && image_.boxes[i].offset == table.offset)
      return int32_t(i);
  image_.boxes.push_back(std::move(table));
  return int32_t(image_.boxes.size()) - 1;
}

Operand ThreadCompiler::region_operand(const Expr& e, int run) {
  const Region* r = as<Region>(e);
  if (!r) {  // flat level: a byte address or a descriptor
    ++b.address_depth;
    Operand o = value_operand(e);
    --b.address_depth;
    return o;
  }
  const BufferUse& u = use(r->buffer, *r);
  if (u.scope == Scope::local) return slice_operand(e);
  if (u.scope == Scope::barrier) cannot(*r, "a region of memory expected");
  Place p = place(u, r->dims, *r, false, false, run);
  Operand o;
  o.form = Form::region;
  o.elem = u.dtype;
  o.memory = u.number;
  o.regs = {p.offset.at.reg};
  o.wide = p.offset.at.elem == Elem::i64;
  o.base = p.offset.at.add;
  if (u.scope == Scope::shared) {
    o.number = box_table(u, r->dims, &o.extents);
    image_.shared_granule = std::min(image_.shared_granule, elem_bytes(u.dtype));
  }
  return o;
}

Operand ThreadCompiler::barrier_operand(const Expr& e) {
  Operand o;
  o.form = Form::barrier;
  const Region* r = as<Region>(e);
  const Load* l = as<Load>(e);
  if (!r && !l) {  // flat level: an ID
    o = value_operand(e);
    o.form = Form::barrier;
    o.number = -1;
    return o;
  }
  const BufferUse& u = use(r ? r->buffer : l->buffer, *e);
  if (u.scope != Scope::barrier) cannot(*e, "a barrier expected");
  const BarrierInfo& info = image_.barriers[size_t(u.number)];
  o.number = info.first;
  o.extents = {info.n};
  o.elem = Elem::i32;
  if (r && r->dims.empty()) return o;  // all of them
  const int64_t covered = r && !r->dims[0].point ? r->dims[0].extent : 1;
  o.extents.push_back(covered);
  ++b.address_depth;
  Index i = index(r ? r->dims[0].lo : l->index.at(0));
  check_index(i, u.shape.at(0), int(covered), {});
  o.regs = {index_reg(i)};
  o.elem = i.reg == no_reg ? Elem::i32 : i.elem;
  --b.address_depth;
  return o;
}

Operand ThreadCompiler::map_operand(const Expr& e) {
  const Name* n = as<Name>(e);
  auto it = n ? maps_.find(n->id) : maps_.end();
  if (it == maps_.end()) cannot(*e, "a tensor map expected");
  Operand o{.form = Form::map, .number = it->second};
  return o;
}

/// The rows of ldmatrix and stmatrix: of eight lanes for each matrix. The addresses of further
/// lanes are ignored (PTX ISA, "ldmatrix").
Operand ThreadCompiler::rows_operand(const Call& node, const Expr& e) {
  const Expr& held = node.args.at(node.intrinsic == Intrinsic::stmatrix ? 1 : 0);
  const int64_t rows = int64_t{held->type.lanes} * bytes(held->type.dtype) * 2;
  const int run = int(16 / bytes(e->type.dtype));
  if (rows >= image_.warp) return region_operand(e, run);
  const Value lane = reg(Elem::i32, b.input("lane", Elem::i32));
  const size_t open = open_if(binary(BinOp::lt, lane, integer(rows)));
  Operand out = region_operand(e, run);
  close_if(open);
  return out;
}

Operand ThreadCompiler::operand(const Call& node, size_t i) {
  const Expr& e = node.args[i];
  const OperandInfo* info = operand_info(node.intrinsic, i);
  if (!info) cannot(node, std::string(tilelab::name(node.intrinsic)) + " with too many operands");
  switch (info->kind) {
    case OperandKind::value:
    case OperandKind::values:
    case OperandKind::numbers:
    case OperandKind::floats:
    case OperandKind::wholes:
    case OperandKind::integer:
    case OperandKind::immediate: return value_operand(e);
    case OperandKind::place:
      return moves_matrices(node.intrinsic) ? rows_operand(node, e) : element_operand(e);
    case OperandKind::barrier: return barrier_operand(e);
    case OperandKind::shared:
    case OperandKind::matrix: return region_operand(e, 0);
    case OperandKind::local: return slice_operand(e);
    case OperandKind::map: return map_operand(e);
    case OperandKind::coordinates: return list_operand(e);
    case OperandKind::global:
    case OperandKind::any: break;
  }
  cannot(node,
         std::string("operand ") + std::to_string(i + 1) + " of " + tilelab::name(node.intrinsic));
}

/// Checks values that must be equal over the scope, as those of uniform(x) are.
void ThreadCompiler::compare_uniform(const Call& node, const CallSite& site) {
  for (size_t i = 0; i < site.operands.size(); ++i) {
    const OperandInfo& info = *operand_info(node.intrinsic, i);
    if (!info.uniform || int_value(node.args[i]) || site.operands[i].form != Form::value) continue;
    CallSite check{.what = int32_t(Intrinsic::uniform), .operands = {site.operands[i]}};
    emit_call(std::move(check), {}, false, node);
  }
}

/// Records memory that the call writes, for the watchers.
void ThreadCompiler::written_by(const Call& node, const CallSite& site) {
  for (size_t i = 0; i < site.operands.size() && i < node.args.size(); ++i) {
    const Operand& o = site.operands[i];
    const bool writes = operand_info(node.intrinsic, i)->writes();
    if (o.form == Form::slice) b.written_array(o.array);
    if (o.form == Form::element && writes) {
      MemoryInfo& m = image_.memories[size_t(o.memory)];
      m.written = true;
      if (!m.shared) image_.atomics = true;
      if (m.shared) image_.shared_granule = std::min(image_.shared_granule, elem_bytes(o.elem));
    }
    if (o.form == Form::map && writes) {
      const BufferUse& tensor = use(map_buffers_[size_t(o.number)], node);
      image_.memories[size_t(tensor.number)].written = true;
      image_.atomics |= node.intrinsic == Intrinsic::tma_add;
    }
  }
}

// ---- calls

Value ThreadCompiler::leader(const Call& node) {
  const Attr* scope = find_attr(node.attrs, "scope");
  std::string word = scope ? scope->string : "block";
  Value tid = reg(Elem::i32, b.input("tid", Elem::i32));
  if (word == "warp")
    return binary(BinOp::eq, binary(BinOp::floormod, tid, integer(options_.warp)), integer(0));
  if (word == "group")
    return binary(BinOp::eq, binary(BinOp::floormod, tid, integer(4 * options_.warp)), integer(0));
  if (word == "role") return binary(BinOp::eq, tid, integer(role_lo_));
  if (word == "block") return binary(BinOp::eq, tid, integer(0));
  cannot(node, "leader of \"" + word + "\"");
}

Value ThreadCompiler::emit_call(CallSite site, const Type& type, bool result, const Node&) {
  Value out;
  out.elem = type.dtype;
  if (result)
    for (int i = 0; i < type.lanes; ++i) out.regs.push_back(b.temp(elem_bytes(type.dtype)));
  site.results = out.regs;
  site.elem = type.dtype;
  b.emit({.op = Op::call, .extra = uint32_t(b.add_call(std::move(site)))});
  return out;
}

/// The source is read only where the predicate holds, so its index is only checked there.
Value ThreadCompiler::cp_async(const Call& node) {
  CallSite site;
  site.what = int32_t(Intrinsic::cp_async);
  attributes(node, site);
  Operand dst = element_operand(node.args.at(0));
  Operand predicate;
  size_t open = 0;
  if (node.args.size() > 2) {
    Value p = expr(node.args[2]);
    predicate.form = Form::value;
    predicate.elem = p.elem;
    predicate.regs = {at(p)};
    open = open_if(reg(p.elem, predicate.regs[0]));
  }
  Operand src = element_operand(node.args.at(1));
  if (node.args.size() > 2) close_if(open);
  if (dst.extents != src.extents) cannot(node, "cp_async of slices of different length");
  site.operands = {std::move(dst), std::move(src), std::move(predicate)};
  written_by(node, site);
  return emit_call(std::move(site), {}, false, node);
}

Value ThreadCompiler::call(const Call& node, bool result) {
  switch (node.intrinsic) {
    case Intrinsic::leader: return leader(node);
    case Intrinsic::cp_async: return cp_async(node);
    default: break;
  }
  if (node.intrinsic == Intrinsic::reg_limit) return {};  // of the hardware's register file
  CallSite site;
  site.what = int32_t(node.intrinsic);
  // Only compilers of the generated code use the registers that a wait names.
  const bool names_registers = node.intrinsic == Intrinsic::mma_wait;
  for (size_t i = 0; i < (names_registers ? 1 : node.args.size()); ++i)
    site.operands.push_back(operand(node, i));
  compare_uniform(node, site);
  attributes(node, site);
  const IntrinsicInfo& row = info(node.intrinsic);
  if (row.operands[0].kind == OperandKind::immediate && !node.args.empty())
    site.numbers[num_imm] = expr(node.args[0]).integer().value_or(-1);
  named_barriers(node, site);
  range_barrier(node, site);
  written_by(node, site);
  watch_slices(node, site, true);
  if (row.async == Async::mma) b.forget_changes();
  if (node.intrinsic == Intrinsic::uniform || node.intrinsic == Intrinsic::guard) {
    Value v = expr(node.args[0]);
    bool silent = v.constant && (node.intrinsic == Intrinsic::uniform || *v.constant);
    if (!silent && (node.intrinsic == Intrinsic::uniform || options_.notes))
      emit_call(std::move(site), {}, false, node);
    return v;
  }
  const CallSite watched = options_.uninitialized ? site : CallSite{};
  Value out = emit_call(std::move(site), node.type, result, node);
  watch_slices(node, watched, false);
  return out;
}

}  // namespace tilelab::sim
