// SPDX-License-Identifier: Apache-2.0
#include "core/passes/lower_tile_ops/mapped_accesses.h"

#include "core/ir/build.h"

namespace tilelab {

std::vector<Expr> in_buffer(Symbol name, const Buffer& buffer, const BufferViews& views,
                            std::vector<Expr> index) {
  auto view = views.find(name);
  if (view == views.end()) return index;
  Expr number = int_const(0);
  for (size_t d = 0; d < index.size(); ++d)
    number = add(mul(number, view->second->shape[d]), cast(DType::i32, index[d]));
  const Index shape = const_shape(buffer);
  std::vector<Expr> out(shape.size());
  int64_t weight = 1;
  for (size_t d = shape.size(); d-- > 0; weight *= shape[d]) {
    out[d] = floordiv(number, int_const(weight));
    if (d > 0) out[d] = floormod(out[d], int_const(shape[d]));
  }
  return out;
}

namespace {

class Placer {
 public:
  explicit Placer(const Stmt& body) : buffers_(buffers_of(body)), views_(views_of(*body)) {
    std::erase_if(buffers_, [](const auto& entry) { return !entry.second->where.known(); });
  }

  Stmt run(const Stmt& body) {
    if (buffers_.empty()) return body;
    return rewrite(
        body, [&](const Expr& e) { return placed(e); }, [&](const Stmt& s) { return placed(s); });
  }

 private:
  /// The buffer that the name refers to, if its layout is given by expressions.
  const Buffer* buffer_of(Symbol name) const {
    auto found = buffers_.find(views_.base_of(name));
    return found == buffers_.end() ? nullptr : found->second;
  }

  std::vector<RegionDim> place(Symbol name, const Buffer& buffer,
                               const std::vector<RegionDim>& dims) const {
    std::vector<Expr> index;
    bool all_points = true;
    for (const RegionDim& dim : dims) {
      CHECK(dim.extent == 1, "a vector of `" + name.str() + "`, whose elements are not contiguous");
      index.push_back(dim.lo);
      all_points = all_points && dim.point;
    }
    const Expr at = places_at(buffer.where, in_buffer(name, buffer, views_, std::move(index)))[0];
    return {all_points ? point(at) : slice(at, 1)};
  }

  Expr placed(const Expr& e) const {
    if (const Load* l = as<Load>(e))
      if (const Buffer* buffer = buffer_of(l->buffer)) {
        std::vector<RegionDim> dims;
        for (const Expr& index : l->index) dims.push_back(point(index));
        return load(buffer->name, l->type.dtype, {place(l->buffer, *buffer, dims)[0].lo});
      }
    if (const Region* r = as<Region>(e))
      if (const Buffer* buffer = buffer_of(r->buffer))
        return region(buffer->name, r->type.dtype, place(r->buffer, *buffer, r->dims));
    return e;
  }

  Stmt placed(const Stmt& s) const {
    if (const View* view = as<View>(s)) return buffer_of(view->name) ? seq({}) : s;
    if (const Store* store = as<Store>(s))
      if (const Buffer* buffer = buffer_of(store->buffer))
        return at(s->span, tilelab::store(buffer->name, place(store->buffer, *buffer, store->dims),
                                          store->value));
    const Buffer* buffer = as<Buffer>(s);
    if (!buffer || !buffer->where.known()) return s;
    Buffer row(*buffer);
    row.shape = {int_const(buffer->where.extents[0])};
    row.layout = row_major(buffer->where.extents);
    row.where = {};
    return at(s->span, Stmt(make(std::move(row))));
  }

  BufferTable buffers_;  // with a layout given by expressions
  const BufferViews views_;
};

}  // namespace

Stmt apply_mapped_layouts(const Stmt& body) { return Placer(body).run(body); }

}  // namespace tilelab
