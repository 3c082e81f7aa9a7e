// SPDX-License-Identifier: Apache-2.0
// Declarations and structure of a kernel.
#include "core/sim/thread/compile.h"

#include "core/analysis/effects.h"
#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/layout/layout.h"
#include "core/sim/machine/map.h"
#include "core/sim/machine/report.h"
#include "core/support/extents.h"
#include "core/support/text.h"

namespace tilelab::sim {

ThreadImage compile_kernel(const Func& func, const Kernel& kernel, const ThreadOptions& options) {
  return ThreadCompiler(func, kernel, options).finish();
}

ThreadCompiler::ThreadCompiler(const Func& func, const Kernel& kernel, const ThreadOptions& options)
    : BodyCompiler(options.warp), func_(func), kernel_(kernel), options_(options) {
  image_.name = kernel.name;
  image_.indices = kernel.indices;
  image_.threads = int32_t(kernel.block);
  image_.warp = options.warp;
  image_.flat = options.flat;
  image_.proxies = options.proxies;
  image_.init_fence = options.init_fence;
  image_.barriers_by_id = options.barriers_by_id;
  image_.parts_use_barriers = options.parts_use_barriers;
  role_hi_ = image_.threads;
  if (!options.traced) return;
  own_texts_ = statement_texts(func);
  texts_ = &own_texts_;
}

constexpr int64_t max_shared_bytes = int64_t{1} << 28;

ThreadImage ThreadCompiler::finish() {
  for (const Stmt& p : func_.params)
    if (const Stmt& tensor = to<Param>(p).tensor) declare_global(to<Buffer>(tensor));
  bool before = true;  // allocations after the kernel do not exist yet when it runs
  walk(*func_.body, [&](const Node& n) {
    before &= &n != &kernel_;
    if (!before) return false;
    if (const Workspace* w = as<Workspace>(&n)) declare_global(to<Buffer>(w->buffer));
    if (const TensorMap* m = as<TensorMap>(&n)) {
      maps_[m->name] = int32_t(image_.maps.size());
      image_.maps.push_back(m->name);
      map_buffers_.push_back(m->buffer);
    }
    return n.kind != Kind::Kernel;
  });
  // Arrays that a matrix unit still uses after the statement are watched until its wait.
  for_each(*kernel_.body, [&](const StmtNode& n) {
    for (const Effect& effect : effects(n))
      if (effect.who == Actor::matrix && effect.late()) async_names_.insert(effect.buffer);
  });
  for (const Stmt& p : func_.params)  // shapes and strides once, before everything else
    if (const Stmt& tensor = to<Param>(p).tensor) {
      const BufferUse& u = use(to<Buffer>(tensor).name, *p);
      for (size_t d = 0; d < u.shape.size(); ++d)
        if (!int_value(u.shape[d])) {
          ++b.address_depth;
          cast(Elem::i64, expr(u.shape[d]));
          global_stride(u, d);
          --b.address_depth;
        }
    }
  stmt(kernel_.body);
  image_.smem = kernel_.smem;
  int64_t end = 0;
  for (const MemoryInfo& m : image_.memories)
    if (m.shared) end = std::max(end, m.at + m.bytes);
  if (image_.smem < 0) image_.smem = end;
  if (end > image_.smem)
    cannot(kernel_, "buffers of " + plural(end, "byte") + " in shared memory of " +
                        plural(image_.smem, "byte"));
  if (image_.smem > max_shared_bytes) cannot(kernel_, "a block with so much shared memory");
  for (const MemoryInfo& m : image_.memories)  // a swizzle stays within its aligned range of bytes
    if (m.shared && m.swizzle.known())
      image_.smem = std::max(image_.smem, swizzled_end(m.at + m.bytes, m.swizzle));
  image_.program = b.finish();
  return std::move(image_);
}

Value ThreadCompiler::name(const Name& node) {
  if (buffers_.count(node.id)) cannot(node, node.id.str() + " is a buffer, not a value");
  return reg(node.type.dtype, b.input(node.id, node.type.dtype));
}

const ThreadCompiler::BufferUse& ThreadCompiler::use(Symbol buffer, const Node& node) const {
  auto it = buffers_.find(buffer);
  if (it == buffers_.end()) cannot(node, "no buffer has the name " + buffer.str());
  return it->second;
}

std::vector<int64_t> ThreadCompiler::constant_shape(const std::vector<Expr>& shape,
                                                    const Node& node) {
  std::vector<int64_t> out;
  for (const Expr& e : shape) {
    auto v = expr(e).integer();
    if (!v || *v < 0) cannot(node, "the shape of a shared or local buffer must be constant");
    out.push_back(*v);
  }
  return out;
}

/// The end of the element offsets of a global tensor.
Expr ThreadCompiler::reach(const Buffer& buffer) {
  Expr total = int_const(1, DType::i64);
  for (size_t d = 0; d < buffer.shape.size(); ++d) {
    Expr extent = tilelab::cast(DType::i64, buffer.shape[d]);
    if (buffer.strides.empty())
      total = mul(total, extent);
    else
      total = add(total, mul(sub(extent, int_const(1, DType::i64)),
                             tilelab::cast(DType::i64, buffer.strides[d])));
  }
  return total;
}

void ThreadCompiler::declare_global(const Buffer& buffer) {
  MemoryInfo m{.name = buffer.name, .elem = buffer.dtype};
  for (const Expr& e : buffer.shape) m.shape.push_back(int_value(e).value_or(-1));
  m.holds = holds(buffer);
  m.declared = buffer.span;
  m.addressed = static_cast<bool>(buffer.address);
  image_.addressed |= m.addressed;
  BufferUse u{Scope::global, buffer.dtype,   int32_t(image_.memories.size()),
              buffer.shape,  buffer.strides, m.holds,
              buffer.address};
  if (func_.level == Level::flat && buffer.shape.size() > 1) {  // one offset for any rank
    u.shape = {reach(buffer)};
    u.strides.clear();
  }
  buffers_[buffer.name] = std::move(u);
  image_.memories.push_back(std::move(m));
}

void ThreadCompiler::declare(const Buffer& buffer) {
  if (buffer.scope == Scope::global) return declare_global(buffer);
  BufferUse u{buffer.scope, buffer.dtype, 0, buffer.shape, buffer.strides, holds(buffer)};
  std::vector<int64_t> shape = constant_shape(buffer.shape, buffer);
  const int64_t n = volume(shape);
  switch (buffer.scope) {
    case Scope::global: break;
    case Scope::local:
      u.number = b.array(buffer.name, n, elem_bytes(buffer.dtype));
      b.array(u.number).declared = buffer.span;
      b.array(u.number).holds = u.holds;
      if (options_.traced) b.keep_array(u.number);
      if (options_.traced) image_.locals.push_back({buffer.name, buffer.dtype, u.number, shape});
      if (options_.uninitialized) watch_array(u.number);
      if (async_names_.count(buffer.name)) {
        b.keep_array(u.number);
        async_arrays_.insert(u.number);
      }
      break;
    case Scope::shared: {
      if (buffer.at < 0)
        cannot(buffer, "shared buffer " + buffer.name.str() + " has no offset in the arena");
      MemoryInfo m;
      m.name = buffer.name;
      m.shared = true;
      m.elem = buffer.dtype;
      m.at = buffer.at;
      m.swizzle = buffer.swizzle;
      m.layout = buffer.layout;
      m.shape = shape;
      m.holds = u.holds;
      m.declared = buffer.span;
      m.bytes = (buffer.layout.known() ? extent(buffer.layout, 'a') : n) * elem_bytes(buffer.dtype);
      if (n < 0 || m.bytes < 0 || m.bytes > max_shared_bytes)
        cannot(buffer, "a shared buffer of " + plural(n, "element"));
      u.number = int32_t(image_.memories.size());
      image_.memories.push_back(std::move(m));
      break;
    }
    case Scope::barrier: {
      BarrierInfo info{.name = buffer.name,
                       .first = image_.barrier_count,
                       .n = n,
                       .count = int32_t(buffer.count),
                       .unit = buffer.unit,
                       .id = buffer.id};
      image_.barrier_count += n;
      u.number = int32_t(image_.barriers.size());
      image_.barriers.push_back(info);
      break;
    }
    case Scope::fragment: cannot(buffer, "fragment " + buffer.name.str() + " below tile level");
  }
  buffers_[buffer.name] = std::move(u);
}

/// A view of the same bytes, whose layout follows from the buffer's.
void ThreadCompiler::view(const View& view) {
  BufferUse u = use(view.buffer, view);
  int old_bytes = elem_bytes(u.dtype), new_bytes = elem_bytes(view.dtype);
  if (u.scope == Scope::local) {
    if (old_bytes != new_bytes && !u.array) u.array = row_of(u);
  } else {
    MemoryInfo m = image_.memories[size_t(u.number)];
    m.of = m.of < 0 ? u.number : m.of;
    m.name = m.holds = view.name;
    m.elem = view.dtype;
    if (m.shared) {
      std::vector<int64_t> shape = constant_shape(view.shape, view);
      if (m.layout.known() && (shape != m.shape || old_bytes != new_bytes)) {
        auto layout = reshape(m.layout, shape, 8 * old_bytes, 8 * new_bytes);
        if (!layout) cannot(view, "a view that splits the layout of " + view.buffer.str());
        m.layout = *layout;
      }
      m.shape = shape;
    }
    u.number = int32_t(image_.memories.size());
    image_.memories.push_back(std::move(m));
  }
  u.dtype = view.dtype;
  u.holds = view.name;
  u.shape = view.shape;
  u.strides.clear();
  buffers_[view.name] = std::move(u);
}

void ThreadCompiler::role(const Role& role) {
  if (role.copies > 1) cannot(role, "a role with several copies below tile level");
  int32_t index = int32_t(image_.roles.size());
  image_.roles.push_back({role.name, int32_t(role.lo), int32_t(role.hi)});
  CallSite begin{.what = call_role_begin, .numbers = {role.lo, role.hi, 0, index}};
  int32_t site = b.add_call(begin);
  Instr i{.op = Op::call, .extra = uint32_t(site)};
  b.emit(i);
  b.push_scope();
  int32_t lo = role_lo_, hi = role_hi_;
  role_lo_ = int32_t(role.lo);
  role_hi_ = int32_t(role.hi);
  size_t names = mark();
  ++b.address_depth;
  auto counts_from = [&](const char* name, int64_t first) {
    Value of_block = reg(Elem::i32, b.input(name, Elem::i32));
    if (first) bind(name, binary(BinOp::sub, of_block, integer(first)));
  };
  counts_from("tid", role.lo);
  counts_from("warp", role.lo / options_.warp);
  --b.address_depth;
  b.fence();
  stmt(role.body);
  unbind(names);
  role_lo_ = lo;
  role_hi_ = hi;
  b.pop_scope();
  CallSite end;
  end.what = call_role_end;
  i.extra = uint32_t(b.add_call(end));
  b.call(site).numbers[2] = int64_t(b.emit(i));
}

void ThreadCompiler::record(const Record& record) {
  RecordSite site;
  site.message = record.message;
  site.buffer = record.buffer;
  site.what = record.what;
  site.is_assert = record.what != RecordKind::print;
  site.span = record.span;
  site.n_index = int32_t(record.index.size());
  CallSite call;
  call.what = call_record;
  call.numbers = {int64_t(image_.records.size()),
                  record_number(func_, record.what, record.message, record.buffer, record.span)};
  for (const auto* list : {&record.values, &record.index})
    for (const Expr& e : *list) call.operands.push_back(value_operand(e));
  image_.records.push_back(std::move(site));
  b.emit({.op = Op::call, .extra = uint32_t(b.add_call(std::move(call)))});
}

void ThreadCompiler::other(const Stmt& node) {
  switch (node->kind) {
    case Kind::Buffer: return declare(to<Buffer>(node));
    case Kind::View: return view(to<View>(node));
    case Kind::Ring: return;  // lowered to barriers
    case Kind::Role: return role(to<Role>(node));
    case Kind::Record: return record(to<Record>(node));
    default: cannot(*node, std::string(tilelab::name(node->kind)) + " below tile level");
  }
}

}  // namespace tilelab::sim
