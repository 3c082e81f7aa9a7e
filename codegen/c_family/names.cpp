// SPDX-License-Identifier: Apache-2.0
#include "codegen/c_family/names.h"

#include <cctype>
#include <cstdio>

#include "core/support/check.h"
#include "core/support/text.h"

namespace tilelab::codegen {

namespace {

/// C++ keywords, and what CUDA, MUSA and the header put into every file's global scope.
constexpr char kReserved[] =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl "
    "const constexpr const_cast continue decltype default delete do double dynamic_cast else "
    "enum explicit export extern false float for friend goto half if inline int long mutable "
    "namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
    "register reinterpret_cast restrict return short signed sizeof static static_assert "
    "static_cast struct switch template this thread_local throw true try typedef typeid "
    "typename union unsigned using virtual void volatile wchar_t while xor xor_eq main smem "
    "events threadIdx blockIdx blockDim gridDim warpSize dim3 uint uchar ushort ulong NULL "
    "INFINITY NAN assert printf concept requires char8_t co_await co_return co_yield ";

const std::unordered_set<std::string>& reserved() {
  static const auto* words = [] {
    auto* set = new std::unordered_set<std::string>;
    for (const std::string& word : split(kReserved, ' ')) set->insert(word);
    return set;
  }();
  return *words;
}

}  // namespace

std::string c_identifier(std::string_view text) {
  std::string out;
  for (unsigned char c : text) {
    if (std::isalnum(c) || c == '_') {
      out += char(c);
    } else {
      char code[8];
      std::snprintf(code, sizeof code, "_%02x", c);
      out += code;
    }
  }
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0]))) out.insert(0, "_");
  const bool ours = out.rfind("tl_", 0) == 0 || out.rfind("TL_", 0) == 0 ||
                    out.rfind("tlb_", 0) == 0 || out.rfind("__", 0) == 0;
  if (ours) out.insert(0, "u_");
  if (reserved().count(out)) out += '_';
  return out;
}

void Names::open() { scopes_.emplace_back(); }
void Names::close() { scopes_.pop_back(); }

bool Names::visible(const std::string& name) const {
  for (const Scope& scope : scopes_)
    if (scope.taken.count(name)) return true;
  return false;
}

std::string Names::declare(Symbol id) { return declare(id, c_identifier(id.str())); }

std::string Names::declare_loop(Symbol id) {
  std::string base = c_identifier(id.str());
  const size_t end = base.find_last_not_of("0123456789");
  const bool numbered =
      end != std::string::npos && end > 0 && end + 1 < base.size() && base[end] == '_';
  return declare(id, numbered ? c_identifier(base.substr(0, end)) : base);
}

std::string Names::declare(Symbol id, const std::string& wish) {
  CHECK(!scopes_.empty(), id.str());
  std::string name = wish;
  for (int i = 1; visible(name); ++i) name = wish + "_" + std::to_string(i);
  scopes_.back().names[id] = name;
  scopes_.back().taken.insert(name);
  return name;
}

std::string Names::find(Symbol id) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    auto it = scope->names.find(id);
    if (it != scope->names.end()) return it->second;
  }
  return "";
}

}  // namespace tilelab::codegen
