// SPDX-License-Identifier: Apache-2.0
// T.CUDASourceCodeKernel: a launch of a kernel that is CUDA source as a whole.
#include <algorithm>
#include <cctype>
#include <cstdio>

#include "core/diagnostics/usage.h"
#include "core/elaborate/builtins/foreign.h"
#include "core/ir/intrinsics/call_type.h"
#include "core/support/text.h"

namespace tilelab::elaborate {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// The names of the __global__ functions of a source.
std::vector<std::string> entries(const std::string& source) {
  constexpr std::string_view kGlobal = "__global__";
  std::vector<std::string> out;
  for (size_t at = source.find(kGlobal); at != source.npos; at = source.find(kGlobal, at + 1)) {
    size_t open = source.find('(', at);
    const size_t bounds = source.find("__launch_bounds__", at);
    if (bounds < open) open = source.find('(', source.find(')', open));
    if (open == source.npos) break;
    size_t end = open;
    while (end > at && std::isspace(static_cast<unsigned char>(source[end - 1]))) --end;
    size_t begin = end;
    while (begin > at && is_word(source[begin - 1])) --begin;
    out.push_back(source.substr(begin, end - begin));
  }
  return out;
}

/// The contents of the file of that name; nullopt if there is none.
std::optional<std::string> file_text(const std::string& path) {
  if (path.empty() || path.find('\n') != path.npos) return std::nullopt;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) return std::nullopt;
  std::string text;
  char part[4096];
  while (const size_t n = std::fread(part, 1, sizeof part, file)) text.append(part, n);
  std::fclose(file);
  return text;
}

}  // namespace

/// The source code, or the contents of the file with that name or path.
std::optional<std::string> ForeignCall::source_of(Elaborator& e, const Argument& given) {
  std::string text;
  if (const auto* string = given.value.get<std::string>())
    text = *string;
  else if (given.value.is<HostRef>())  // a path
    if (const HostResult path = e.host_.format(given.value, "", ""); path.ok())
      if (const auto* string = path.value.get<std::string>()) text = *string;
  if (text.empty()) {
    if (!given.value.poisoned())
      e.report(Diag::static_needed, given.span, "the source code of T.CUDASourceCodeKernel",
               describe(given.value))
          .help("pass a string with CUDA C, or the path of a file");
    return std::nullopt;
  }
  return file_text(text).value_or(text);
}

/// The launched kernel: its arguments are all tensors and numbers of the function, then the dynamic
/// extents. It may access all of the tensors.
void ForeignCall::emit_kernel() {
  for (const Signature::Parameter& parameter : e_.signature_.parameters()) {
    if (!parameter.tensor) {
      operands_.push_back(name_ref(parameter.name, {parameter.dtype}));
      access_ += foreign_access::value;
      continue;
    }
    AddressValue start{parameter.tensor, {}, nullptr};
    start.index.assign(parameter.tensor->shape.size(), int_const(0));
    operands_.push_back(address_operand(start, span_));
  }
  for (const auto& [extent, dtype] : e_.signature_.extents()) {
    operands_.push_back(name_ref(extent, {dtype}));
    access_ += foreign_access::value;
  }
  emit_branches(itself(), opaque());
}

Value Elaborator::on_source_kernel(Arguments& args) {
  const auto* entry = args["entry_name"].value.get<std::string>();
  const auto source = ForeignCall::source_of(*this, args["source_code_or_path"]);
  if (!source || !entry) return {};
  const std::vector<std::string> all = entries(*source);
  if (std::find(all.begin(), all.end(), *entry) == all.end()) {
    report(Diag::source_entry, args.span, *entry)
        .help(all.empty() ? "write `extern \"C\" __global__ void " + *entry + "(...)` in the source"
                          : "entry_name= is one of: " + join(all, ", "));
    return {};
  }
  const Value frame = on_kernel(args);
  if (!frame.is<KernelFrame>()) return {};
  KernelFrame launch = *frame.get<KernelFrame>();
  if (!launch.cluster.empty())
    report(usage::option_ignored, args["cluster_dims"].span,
           "`cluster_dims` of T.CUDASourceCodeKernel")
        .help("declare it in the source: __global__ void __cluster_dims__(2, 1, 1) f(...)");
  launch.cluster.clear();
  if (!enter_kernel(launch, nullptr, args.span)) return {};
  ForeignCall::add_source(*this, *source, args.span);
  kernel_attrs_.push_back(attr("entry", *entry));
  ForeignCall(*this, *entry, std::nullopt, args.span).emit_kernel();
  leave_kernel();
  return None{};
}

}  // namespace tilelab::elaborate
