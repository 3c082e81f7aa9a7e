// SPDX-License-Identifier: Apache-2.0
// %source, and the layouts of a function's buffers.
#include "codegen/codegen.h"
#include "core/host/row_multiples.h"
#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/support/text.h"
#include "core/targets/target.h"
#include "views/highlight.h"
#include "views/json.h"
#include "views/pipeline_view.h"

namespace tilelab {

std::string note_of_aligned_calls(const Func& func) {
  const Target* target = find_target(func.target);
  std::vector<std::string> conditions;
  for (const host::RowDim& row : host::row_dims(func))
    conditions.push_back(row.name.str() + " % " + std::to_string(row.multiple) + " == 0");
  if (conditions.empty() || !target || target->family == Family::cpu) return "";
  return "calls on a GPU with " + join(conditions, " and ") + " run " + func.name.str() +
         ".aligned(), made for aligned rows";
}

std::optional<KernelSource> kernel_source(const Func& flat, const std::string& name,
                                          const SourceOptions& options, Diagnostics& sink) {
  const Target* target = find_target(flat.target);
  CHECK(target, "no target " + flat.target);
  codegen::RenderOptions render_options;
  render_options.kernels = !options.host;
  render_options.host = options.host;
  std::optional<codegen::Rendered> rendered = codegen::render(flat, *target, render_options, sink);
  if (!rendered) return std::nullopt;
  KernelSource source{name, flat.target, {}, std::move(rendered->text)};
  for (const codegen::RenderedKernel& kernel : rendered->kernels)
    source.functions.push_back(kernel.name);
  return source;
}

std::optional<Shown> show_source(const Func& flat, const std::string& name,
                                 const SourceOptions& options, Diagnostics& sink) {
  std::optional<KernelSource> source = kernel_source(flat, name, options, sink);
  if (!source) return std::nullopt;
  StyledText code;
  code.add(wrap_code("// " + name + (options.host ? ", host section" : ""), Language::c),
           Style::dim);
  if (const std::string note = note_of_aligned_calls(flat); !note.empty())
    code.add(wrap_code("// " + note, Language::c), Style::dim);
  code.append(highlight(wrap_code(source->code, Language::c), Language::c));
  return Shown{code.plain(), code.ansi(), html_pre(code.html()), json_of(*source)};
}

namespace {

/// "A_s" of the origin "A_s@1:8".
std::string origin_name(const Buffer& buffer) {
  return buffer.origin.substr(0, buffer.origin.find('@'));
}

}  // namespace

std::vector<std::string> buffers_with_layout(const Func& func) {
  std::vector<std::string> names;
  for_each(func, [&](const Buffer& buffer) {
    if (buffer.layout.known() || buffer.where.known()) names.push_back(buffer.name.str());
  });
  return names;
}

/// A layout given by expressions, tabulated element by element.
static std::optional<LayoutTable> table_of(const Buffer& buffer) {
  const Index shape = const_shape(buffer);
  auto places = all_places(buffer.where, shape);
  if (!places) return std::nullopt;
  LayoutTable table{shape, {}};
  for (const Index& p : *places)
    table.places.push_back(buffer.scope == Scope::fragment ? place_of(buffer.layout, p)
                                                           : Place{0, 0, p[0]});
  return table;
}

std::optional<LayoutSubject> subject_of(const Func& func, const std::string& name,
                                        std::string* problem) {
  const Buffer* found = nullptr;
  std::vector<std::string> names;
  for_each(func, [&](const Buffer& buffer) {
    if (buffer.scope != Scope::global) names.push_back(buffer.name.str());
    if (buffer.name.str() == name || (!found && origin_name(buffer) == name)) found = &buffer;
  });
  auto failed = [&](std::string why) {
    if (problem) *problem = std::move(why);
    return std::nullopt;
  };
  if (!found) {
    if (const size_t bracket = name.find('['); bracket != std::string::npos)
      return failed("for one element of " + name.substr(0, bracket) + ": --element I,J");
    std::string near = nearest(name, names);
    std::string others = names.empty() ? "; tensors in global memory have strides, no layout"
                                       : "; it has " + join(names, ", ");
    return failed(func.name.str() + " has no buffer " + name +
                  (near.empty() ? others : "; did you mean " + near + "?"));
  }
  if (!found->layout.known() && !found->where.known())
    return failed(found->scope == Scope::global
                      ? name + " is a tensor in global memory: its strides are its layout"
                      : name + " has no layout " +
                            (func.after.empty() ? "yet" : "after " + func.after) +
                            "; infer_layouts assigns one");
  LayoutSubject subject = layout_subject(name, found->dtype, found->layout, found->swizzle);
  if (found->where.known())
    if (auto table = table_of(*found)) subject.layout.digits = {}, subject.layout.table = *table;
  if (found->at > 0) subject.at = found->at;
  subject.pairs = found->pairs;
  if (const Target* target = find_target(func.target)) {
    subject.lanes = target->lanes;
    subject.banks = target->banks;
  }
  return subject;
}

}  // namespace tilelab
