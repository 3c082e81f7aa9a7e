// SPDX-License-Identifier: Apache-2.0
#include "codegen/c_family/host.h"

#include <algorithm>

#include "codegen/c_family/types.h"
#include "codegen/c_family/writer.h"
#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/support/text.h"

namespace tilelab::codegen {

namespace {

class HostWriter {
 public:
  HostWriter(const Func& func, const Target& target, const std::vector<RenderedKernel>& kernels)
      : func_(func), target_(target), kernels_(kernels), buffers_(buffers_of(func)) {}

  std::string write() {
    std::vector<std::string> params;
    for (const Stmt& s : func_.params) {
      const auto& p = to<Param>(s);
      const std::string name = names_.declare_host(p.name);
      params.push_back((p.tensor ? "const tl_tensor* " : c_type(p.dtype) + " ") + name);
    }
    for (const RenderedKernel& k : kernels_) records_ |= k.records;
    events_ = names_.make_host("events");
    stream_ = names_.make_host("stream");
    wrong_ = names_.make_host("wrong");
    if (records_) params.push_back("tl_events* " + events_);
    params.push_back("tl_stream " + stream_);
    const std::string name = c_identifier(func_.name.str() + "_host");
    out_ = "\n#include \"tl_host.h\"\n\nnamespace tl_host {\n\n// Null, or what is wrong.\n";
    out_ += "extern \"C\" const char* " + name + "(" + join(params, ", ") + ") {\n";
    stmt(func_.body);
    out_ += "  return nullptr;\n}\n\n}  // namespace tl_host\n";
    return std::move(out_);
  }

 private:
  std::string list(const std::vector<Expr>& items) const {
    const auto text = [&](const Expr& e) { return names_.expression(e); };
    return "tl_dims(" + join(items, ", ", text) + ")";
  }

  void line(const std::string& text) { out_ += "  " + text + "\n"; }

  void stmt(const Stmt& s) {
    if (const Seq* seq = as<Seq>(s))
      for (const Stmt& inner : seq->stmts) stmt(inner);
    if (const Bind* b = as<Bind>(s)) bind(*b);
    if (const CheckTensor* c = as<CheckTensor>(s)) check_tensor(*c);
    if (const Check* c = as<Check>(s))
      line("if (!(" + names_.expression(c->cond) + ")) return \"" + c->message + "\";");
    if (const Let* l = as<Let>(s)) {
      const std::string value = names_.expression(l->value);
      line("const " + c_type(l->value->type) + " " + names_.declare_host(l->name) + " = " + value +
           ";");
    }
    if (const Workspace* w = as<Workspace>(s)) workspace(*w);
    if (const TensorMap* m = as<TensorMap>(s)) map(*m);
    if (const Kernel* k = as<Kernel>(s)) launch(*k);
  }

  void bind(const Bind& b) {
    DType dtype = DType::i32;
    for (const Stmt& s : func_.dims)
      if (to<Dim>(s).name == b.name) dtype = to<Dim>(s).dtype;
    const std::string buffer = names_.expression(name_ref(b.buffer));
    const std::string dim = std::to_string(b.dim), name = names_.declare_host(b.name);
    line("if (" + buffer + "->rank <= " + dim + ") return \"" + b.buffer.str() +
         " has too few dimensions\";");
    std::string value = buffer + (b.stride ? "->strides[" : "->shape[") + dim + "]";
    if (b.per != 1) value += " * " + std::to_string(b.per);
    if (b.plus != 0) value = "(" + value + " - " + std::to_string(b.plus) + ")";
    if (b.per != 1 && b.plus == 0) value = "(" + value + ")";
    if (b.times != 1) value = "(" + value + " / " + std::to_string(b.times) + ")";
    line("const " + c_type(dtype) + " " + name + " = (" + c_type(dtype) + ")" + value + ";");
    for (const Stmt& s : func_.dims) {
      const auto& d = to<Dim>(s);
      if (d.name != b.name) continue;
      std::string wrong =
          name + " < " + std::to_string(d.lo) + " || " + name + " > " + std::to_string(d.hi);
      if (d.multiple > 1) wrong += " || " + name + " % " + std::to_string(d.multiple) + " != 0";
      line("if (" + wrong + ") return \"" + b.name.str() + " is out of its range\";");
    }
  }

  void check_tensor(const CheckTensor& c) {
    const Buffer& b = *buffers_.at(c.buffer);
    std::vector<Expr> strides = b.strides;
    if (strides.empty()) {
      Expr stride = int_const(1, DType::i64);
      for (size_t i = b.shape.size(); i-- > 0;) {
        strides.insert(strides.begin(), stride);
        stride = mul(stride, cast(DType::i64, b.shape[i]));
      }
    }
    line("if (const char* " + wrong_ + " = tl_check(" + names_.expression(name_ref(c.buffer)) +
         ", \"" + c.buffer.str() + "\", " + dtype_code(b.dtype) + ", " + list(b.shape) + ", " +
         list(strides) + ", " + std::to_string(c.align) + "))");
    line("  return " + wrong_ + ";");
  }

  void workspace(const Workspace& w) {
    const auto& b = to<Buffer>(w.buffer);
    Expr size = int_const(bytes(b.dtype), DType::i64);
    for (const Expr& e : b.shape) size = mul(size, cast(DType::i64, e));
    const std::string text = names_.expression(size), name = names_.declare_host(b.name);
    workspaces_.push_back(b.name);
    line("const tl_workspace " + name + "((unsigned long long)(" + text + "), " +
         (w.zeroed ? "true" : "false") + ", " + stream_ + ");");
    line("if (" + name + ".failed()) return \"no memory for " + b.name.str() + "\";");
  }

  void map(const TensorMap& m) {
    const Buffer& b = *buffers_.at(m.buffer);
    const int type = tensor_map_type(m.element(b.dtype), target_.family);
    const std::string name = names_.declare_host(m.name);
    std::string call = "tl_describe(&" + name + ", " + names_.expression(name_ref(m.buffer)) +
                       ", " + std::to_string(type) + ", " + list(m.dims) + ", " + list(m.strides);
    if (target_.tensor.box_in_descriptor) {
      std::vector<Expr> box;
      for (int64_t extent : m.box) box.push_back(int_const(extent));
      const int code = m.swizzle.mask == 7 ? 3 : m.swizzle.mask == 3 ? 2 : m.swizzle.mask == 1;
      call += ", " + list(box) + ", " + std::to_string(code);
    }
    line("tl_map " + name + ";");
    line("if (const char* " + wrong_ + " = " + call + ")) return " + wrong_ + ";");
  }

  void launch(const Kernel& k) {
    std::string args;
    for (Symbol id : parameters(k, target_)) {
      std::string value = names_.expression(name_ref(id));
      auto it = buffers_.find(id);
      if (it != buffers_.end()) {
        const bool own = std::find(workspaces_.begin(), workspaces_.end(), id) != workspaces_.end();
        value = "(" + c_type(it->second->dtype) + "*)" + value + (own ? ".data()" : "->data");
      }
      args += ", " + value;
    }
    for (const RenderedKernel& rendered : kernels_)
      if (rendered.name == c_identifier(k.name.str()) && rendered.records) args += ", " + events_;
    std::string grid;
    for (size_t i = 0; i < 3; ++i)
      grid += ", " + (i < k.grid.size() ? names_.expression(k.grid[i]) : std::string("1"));
    line("TL_LAUNCH(" + c_identifier(k.name.str()) + grid + ", " + std::to_string(k.block) + ", " +
         std::to_string(std::max<int64_t>(k.smem, 0)) + ", " + stream_ + args + ");");
  }

  const Func& func_;
  const Target& target_;
  const std::vector<RenderedKernel>& kernels_;
  BufferTable buffers_;
  HostNames names_{func_, target_};
  std::vector<Symbol> workspaces_;
  std::string out_, events_, stream_, wrong_;
  bool records_ = false;
};

}  // namespace

std::string dtype_code(DType dtype) {
  int code = is_unsigned(dtype) ? 1 : is_float(dtype) ? 2 : 0;
  if (dtype == DType::bool_) code = 6;
  if (dtype == DType::bf16) code = 4;
  if (dtype == DType::e4m3) code = 7;
  if (dtype == DType::e5m2) code = 8;
  if (dtype == DType::e4m3fnuz) code = 9;
  if (dtype == DType::e5m2fnuz) code = 10;
  if (dtype == DType::e8m0) code = 11;
  return "{" + std::to_string(code) + ", " + std::to_string(bits(dtype)) + "}";
}

int tensor_map_type(DType dtype, Family family) {
  const bool musa = family == Family::musa;
  switch (dtype) {
    case DType::i8: return 0;
    case DType::u8:
    case DType::bool_:
    case DType::e4m3:
    case DType::e5m2:
    case DType::e4m3fnuz:
    case DType::e5m2fnuz:
    case DType::e8m0:
    case DType::e2m1:
    case DType::i4:
    case DType::u4: return musa ? 1 : 0;
    case DType::i16: return musa ? 2 : 1;
    case DType::u16: return musa ? 3 : 1;
    case DType::f16: return musa ? 4 : 6;
    case DType::bf16: return musa ? 5 : 9;
    case DType::i32: return musa ? 6 : 3;
    case DType::u32: return musa ? 7 : 2;
    case DType::f32: return musa ? 8 : 7;
    case DType::i64: return musa ? 10 : 5;
    case DType::u64: return musa ? 11 : 4;
    case DType::f64: return musa ? 12 : 8;
  }
  return -1;
}

std::string host_section(const Func& func, const Target& target,
                         const std::vector<RenderedKernel>& kernels) {
  return HostWriter(func, target, kernels).write();
}

}  // namespace tilelab::codegen
