// SPDX-License-Identifier: Apache-2.0
// The frame of a kernel (signature, built-in names, shared memory), and render().
#include <algorithm>
#include <utility>

#include "codegen/c_family/host.h"
#include "codegen/c_family/kept_loops.h"
#include "codegen/c_family/spelling.h"
#include "codegen/c_family/types.h"
#include "codegen/c_family/writer.h"
#include "core/analysis/effects.h"
#include "core/analysis/foreign.h"
#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/support/text.h"

namespace tilelab::codegen {

std::vector<Symbol> parameters(const Kernel& kernel, const Target& target) {
  std::vector<Symbol> out = kernel.params;
  if (target.family != Family::cpu) return out;
  for (const Expr& extent : kernel.grid)
    for_each(*extent, [&](const Name& name) {
      if (std::find(out.begin(), out.end(), name.id) == out.end()) out.push_back(name.id);
    });
  return out;
}

KernelWriter::KernelWriter(const Func& func, const Kernel& kernel, const Target& target,
                           const RenderOptions& options, Diagnostics& sink)
    : func_(func), kernel_(kernel), target_(target), options_(options), sink_(sink) {
  for (const auto& [name, buffer] : buffers_of(func)) buffers_[name] = buffer;
  result_.name = c_identifier(kernel.name.str());
  result_.source = kernel.name;
  result_.params = parameters(kernel, target);
  for (const auto& [name, unused] : names_in(func)) names_.reserve(name);
  for_each(*kernel.body, [&](const Call& call) {
    if (call.intrinsic == Intrinsic::foreign)
      names_.reserve(Symbol(find_attr(call.attrs, "name")->string));
  });
  scan();
  if (!one_thread()) kept_ = kept_loops(kernel);
}

void KernelWriter::refuse(const Span& span, const std::string& what, const std::string& why) {
  sink_.report(Diag::codegen_refused, span.known() ? span : here_, what, target_.name, why);
  throw Refused{};
}

void KernelWriter::note_buffer(const Buffer& b) { buffers_[b.name] = &b; }

/// Collects what the body uses, writes, and accesses as vectors; this determines the declarations.
void KernelWriter::scan() {
  std::vector<const Buffer*> at_address;  // which use their address only if something uses them
  walk(*kernel_.body, [&](const Node& node) {
    const Buffer* buffer = as<Buffer>(&node);
    const bool located = buffer && buffer->address;
    located ? at_address.push_back(buffer) : note_use(node);
    return !located;
  });
  if (kernel_.smem > 0) uses_arena_ = true;
  // An access through a view is an access of everything that it aliases.
  const BufferViews views = views_of(*kernel_.body);
  for (const auto& [name, view] : views)
    for (auto at = views.find(name); at != views.end(); at = views.find(at->second->buffer)) {
      if (used_.count(name)) used_.insert(at->second->buffer);
      if (written_.count(name)) written_.insert(at->second->buffer);
    }
  for (const Buffer* buffer : at_address)
    if (used_.count(buffer->name))
      for_each(*buffer->address, [&](const Node& node) { note_use(node); });
}

/// Finds local arrays of one element that are only accessed by that element.
void KernelWriter::note_index(const Node& node) {
  if (const Buffer* b = as<Buffer>(&node); b && b->scope == Scope::local) {
    bool one = true;
    for (const Expr& extent : b->shape) one = one && is_int(extent, 1);
    if (one) single_.insert(b->name);
  }
  if (const Load* l = as<Load>(&node); l && !(l->index.size() == 1 && is_int(l->index[0], 0)))
    indexed_.insert(l->buffer);
  if (const Store* s = as<Store>(&node))
    if (s->dims.size() != 1 || !s->dims[0].point || !is_int(s->dims[0].lo, 0))
      indexed_.insert(s->buffer);
  if (const Region* r = as<Region>(&node)) indexed_.insert(r->buffer);
  if (const View* v = as<View>(&node)) indexed_.insert(v->buffer);
}

void KernelWriter::note_clamped(const If& s) {
  if (!tests_sign(s.cond)) return;
  for (const Stmt& branch : {s.then_, s.else_})
    if (branch)
      for_each(
          *branch, [&](const Assign& assign) { clamped_.insert(assign.name); },
          [&](const Store& store) { clamped_.insert(store.buffer); });
}

void KernelWriter::note_read(const Node& node) {
  auto own_reads = [](const Expr& value, Symbol of) {
    int found = 0;
    for_each(
        *value, [&](const Name& name) { found += name.id == of; },
        [&](const Load& load) { found += load.buffer == of; });
    return found;
  };
  if (const Name* name = as<Name>(&node)) ++reads_[name->id];
  if (const Load* load = as<Load>(&node)) ++reads_[load->buffer];
  if (const Assign* a = as<Assign>(&node)) reads_[a->name] -= own_reads(a->value, a->name);
  if (const Store* s = as<Store>(&node)) reads_[s->buffer] -= own_reads(s->value, s->buffer);
}

void KernelWriter::note_use(const Node& node) {
  if (const Name* n = as<Name>(&node)) used_.insert(n->id);
  note_index(node);
  note_read(node);
  if (const If* s = as<If>(&node)) note_clamped(*s);
  if (group(node.kind) != Group::expr)
    for (const Effect& effect : effects(node))
      if (effect.write) written_.insert(effect.buffer);
  if (const Load* l = as<Load>(&node)) used_.insert(l->buffer);
  if (const Buffer* b = as<Buffer>(&node)) uses_arena_ |= b->scope == Scope::shared;
  if (const Assign* a = as<Assign>(&node)) assigned_.insert(a->name);
  if (const Region* r = as<Region>(&node)) {
    used_.insert(r->buffer);
    // Register operands of an instruction only need alignment if their elements are narrow.
    const bool wide = bits(r->type.dtype) >= 32;
    if (!r->type.scalar() && !(wide && places_.count(r))) vector_access_.insert(r->buffer);
  }
  if (const Store* s = as<Store>(&node)) {
    used_.insert(s->buffer);
    if (!s->dims.empty() && !s->dims[0].point) vector_access_.insert(s->buffer);
  }
  const Call* call = as<Call>(&node);
  if (!call) return;
  const IntrinsicInfo& row = info(call->intrinsic);
  if (call->intrinsic == Intrinsic::leader) used_.insert("tid");
  if (call->intrinsic == Intrinsic::wgmma) uses_arena_ = uses_operands_ = true;
  if (call->intrinsic == Intrinsic::bar_reserve)
    barriers_ = int_value(call->args.at(0)).value_or(0);
  if (row.pure()) return;
  for (const Expr& arg : call->args)
    if (as<Region>(arg)) places_.insert(arg.get());
  if (is_part_barrier(call->intrinsic))
    if (const Attr* id = find_attr(call->attrs, "id")) sync_phases_.try_emplace(id->integer);
  for (int i = 0; i < row.operand_count; ++i)  // a byte address of the arena
    uses_arena_ |= row.operands[size_t(i)].kind == OperandKind::shared && row.async != Async::mma;
}

std::string KernelWriter::parameter(Symbol id) {
  auto it = buffers_.find(id);
  if (it != buffers_.end() && it->second->scope == Scope::global) {
    const bool written = written_.count(id) > 0;
    // __restrict__ on written memory would state that no other thread changes it: compilers then
    // keep an element in a register across a barrier. Blocks that run in order may overlap.
    const bool shared = written || it->second->aliased || one_thread();
    return (written ? "" : "const ") + c_type(it->second->dtype) +
           (shared ? "* " : "* __restrict__ ") + names_.declare(id);
  }
  for (const Stmt& p : func_.params)
    if (to<Param>(p).name == id) return c_type(to<Param>(p).dtype) + " " + names_.declare(id);
  for (const Stmt& d : func_.dims)
    if (to<Dim>(d).name == id) return c_type(to<Dim>(d).dtype) + " " + names_.declare(id);
  bool map = false;
  for_each_of_host(func_, [&](const TensorMap& m) { map |= m.name == id; });
  CHECK(map, "unknown kernel parameter " + id.str());
  maps_.push_back(names_.declare(id));
  return "const tl_grid_constant tl_map " + maps_.back();
}

/// The size of the launch's clusters; "" without clusters.
std::string KernelWriter::cluster_text() const {
  const Attr* cluster = find_attr(kernel_.attrs, "cluster");
  if (!cluster || !target_.has(Feature::clusters)) return "";
  return " __cluster_dims__(" + join(cluster->list, ", ") + ")";
}

std::string KernelWriter::signature() {
  std::string out, row;
  if (one_thread())
    row = "extern \"C\" void ";
  else
    out = "extern \"C\" __global__ void __launch_bounds__(" + std::to_string(kernel_.block) + ", " +
          std::to_string(kernel_.min_blocks()) + ")" + cluster_text() + "\n";
  row += result_.name + "(";
  const size_t indent = row.size();
  std::vector<std::string> params;
  for (Symbol id : result_.params) params.push_back(parameter(id));
  if (result_.records) {
    events_ = names_.make("events");
    params.push_back("tl_events* " + events_);
  }
  for (size_t i = 0; i < params.size(); ++i) {
    const std::string item = params[i] + (i + 1 < params.size() ? "," : ") {");
    if (row.size() > indent && row.size() + 1 + item.size() > 100) {
      out += row + "\n";
      row = std::string(indent, ' ') + item;
    } else {
      row += (row.size() > indent ? " " : "") + item;
    }
  }
  if (params.empty()) row += ") {";
  return out + row + "\n";
}

/// Opens the loops over the blocks of the grid, x innermost; returns their number.
int KernelWriter::block_loops() {
  int loops = 0;
  std::vector<std::string> index(3, "0");
  for (size_t i = std::min<size_t>(3, kernel_.indices.size()); i-- > 0;) {
    const Symbol id = kernel_.indices[i];
    if (is_int(kernel_.grid[i], 1)) {
      if (used_.count(id)) line("const int " + (index[i] = names_.declare(id)) + " = 0;");
      continue;
    }
    const std::string extent = text(kernel_.grid[i], kSum);
    const std::string var = index[i] = names_.declare(id);
    line("for (int " + var + " = 0; " + var + " < " + extent + "; ++" + var + ") {");
    ++depth_, ++loops;
  }
  if (result_.records) line("tl_block = {" + join(index, ", ") + "};");
  thread_names("0");
  return loops;
}

/// The built-in names of the thread that the body uses; `value`: the thread index.
void KernelWriter::thread_names(const std::string& value) {
  if (!used_.count("tid") && !used_.count("lane") && !used_.count("warp")) return;
  const std::string tid = names_.declare("tid"), lanes = std::to_string(target_.lanes);
  std::string names = tid + " = " + value;
  if (used_.count("lane")) names += ", " + names_.declare("lane") + " = " + tid + " % " + lanes;
  if (used_.count("warp")) names += ", " + names_.declare("warp") + " = " + tid + " / " + lanes;
  line("const int " + names + ";");
}

/// Built-in names that the body uses, the arena, the phases of barriers.
void KernelWriter::prologue() {
  if (uses_arena_) {
    arena_ = names_.make("smem") == "smem" ? "smem" : "tl_smem";  // the emulation defines both
    line("extern __shared__ __align__(" + std::to_string(target_.arena_align) + ") unsigned char " +
         arena_ + "[];");
  }
  if (uses_operands_) {
    operands_ = names_.make("operands");
    line("const tl_u64 " + operands_ + " = tl_arena(" + arena_ + ");");
  }
  if (barriers_ > 0 && target_.barriers.kind == Barriers::Kind::in_shared) {
    bars_ = names_.make("bars");
    line("const int " + bars_ + " = tl_shared_address(" + arena_ + ") + " +
         std::to_string(kernel_.smem - barriers_ * target_.barriers.bytes) + ";");
  }
  static const char* kAxis[] = {"x", "y", "z"};
  std::vector<std::string> block;
  for (size_t i = 0; i < kernel_.indices.size() && i < 3; ++i)
    if (used_.count(kernel_.indices[i]))
      block.push_back(names_.declare(kernel_.indices[i]) + " = (int)blockIdx." + kAxis[i]);
  if (!block.empty()) line("const int " + join(block, ", ") + ";");
  thread_names("(int)threadIdx.x");
  // The first copy of each map then finds it in the cache.
  if (target_.tensor.prefetches_maps && !maps_.empty())
    line("tl_prefetch_maps(" + join(maps_, ", ") + ");");
  if (target_.barriers.kind == Barriers::Kind::by_id)
    for (auto& [id, phase] : sync_phases_) {
      phase = names_.make("sync_phase_" + std::to_string(id));
      line("int " + phase + " = 0;");
    }
}

RenderedKernel KernelWriter::write(std::string& out) {
  if (const Attr* entry = find_attr(kernel_.attrs, "entry")) {  // a function of the user's source
    if (one_thread()) refuse(kernel_.span, entry->string, "it is a kernel of a GPU");
    result_.name = entry->string;
    return std::move(result_);
  }
  result_.records |=
      any_of(*kernel_.body, [](const Record& record) { return record.what != RecordKind::assume; });
  names_.open();
  const std::string head = signature();
  int loops = 0;
  if (one_thread())
    loops = block_loops();
  else
    prologue();
  stmt(kernel_.body);
  for (; loops > 0; --loops) --depth_, line("}");
  out += head + body_ + "}\n";
  return std::move(result_);
}

/// The user's source, each text once, for kernels that call its functions.
static std::string foreign_source(const Func& func, const Target& target) {
  const bool called = calls(*func.body, {Intrinsic::foreign});
  if (target.family == Family::cpu && !called) return "";  // models of the functions run
  std::string out;
  std::vector<std::string_view> written;
  for_each_of_host(func, [&](const Source& source) {
    if (std::find(written.begin(), written.end(), source.text) != written.end()) return;
    written.emplace_back(source.text);
    out += "\n" + source.text + (source.text.ends_with('\n') ? "" : "\n");
  });
  return called || !out.empty() ? "#include \"tl_foreign.h\"\n" + out : "";
}

std::optional<Rendered> render(const Func& flat, const Target& target, const RenderOptions& options,
                               Diagnostics& sink) {
  CHECK(flat.level == Level::flat, "only flat IR is rendered");
  if (calls(*flat.body, {Intrinsic::native})) {
    const FuncRef chosen =
        make(with_foreign_calls(flat, target.family != Family::cpu || has_hosted_calls(flat)));
    return render(*chosen, target, options, sink);
  }
  Rendered result;
  if (options.kernels) result.text += "#include \"tl_device.h\"\n" + foreign_source(flat, target);
  std::vector<const Kernel*> kernels;
  for_each_of_host(flat, [&](const Kernel& kernel) { kernels.push_back(&kernel); });
  try {
    std::map<std::string, std::string> functions;
    std::string text;
    for (const Kernel* k : kernels) {
      text += "\n";
      result.kernels.push_back(KernelWriter(flat, *k, target, options, sink).write(text));
      functions.merge(result.kernels.back().functions);
    }
    for (const auto& [name, function] : functions) text = "\n" + function + text;
    if (options.kernels) result.text += text;
    if (options.host) result.text += host_section(flat, target, result.kernels);
  } catch (const Refused&) {
    return std::nullopt;
  }
  return result;
}

}  // namespace tilelab::codegen
