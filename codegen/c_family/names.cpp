// SPDX-License-Identifier: Apache-2.0
#include "codegen/c_family/names.h"

#include <cctype>
#include <cstdio>

#include "core/support/check.h"
#include "core/support/text.h"

namespace tilelab::codegen {

namespace {

constexpr const char* kReserved[] = {
#define WORDS(words) words,
#include "codegen/c_family/reserved.def"
#undef WORDS
};

const std::unordered_set<std::string>& reserved() {
  static const auto* words = [] {
    auto* set = new std::unordered_set<std::string>;
    for (const char* row : kReserved)
      for (const std::string& word : split(row, ' ')) set->insert(word);
    return set;
  }();
  return *words;
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

bool begins(const std::string& name, std::string_view prefix) {
  return std::string_view(name).substr(0, prefix.size()) == prefix;
}

/// Names of the device header, and names reserved for the implementation.
bool of_the_header(const std::string& name) {
  for (const char* prefix : {"tl_", "TL_", "tlb_", "TLB_", "tle_", "TLE_", "tls_", "TLS_", "__"})
    if (begins(name, prefix)) return true;
  return name[0] == '_' && is_upper(name[1]);
}

/// Families of macros in the vendors' headers: CUDA_VERSION, cuMemAlloc, musaStreamDefault.
bool of_a_vendor(const std::string& name) {
  if (name.ends_with("f128") || name.ends_with("F128")) return true;  // math.h under gnu++
  for (const char* prefix : {"CUDA", "CU_", "MUSA", "MU_", "FE_"})    // the last: fenv.h
    if (begins(name, prefix)) return true;
  for (std::string_view prefix : {"cu", "mu", "cuda", "musa"})
    if (begins(name, prefix) && is_upper(name[prefix.size()])) return true;
  return false;
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
  if (of_the_header(out)) return "u_" + out;
  if (of_a_vendor(out) || reserved().count(out)) out += '_';
  return out;
}

void Names::open() { scopes_.emplace_back(); }
void Names::close() { scopes_.pop_back(); }

bool Names::visible(const std::string& name) const {
  for (const Scope& scope : scopes_)
    if (scope.taken.count(name)) return true;
  return false;
}

void Names::reserve(Symbol id) { reserved_.insert(c_identifier(id.str())); }

Symbol unnumbered(Symbol id) {
  const std::string name = id.str();
  const size_t end = name.find_last_not_of("0123456789");
  const bool numbered =
      end != std::string::npos && end > 0 && end + 1 < name.size() && name[end] == '_';
  return numbered ? Symbol(name.substr(0, end)) : id;
}

std::string Names::make(const std::string& wish) {
  std::string name = wish;
  if (visible(name) || reserved_.count(name)) name = numbered(wish);
  scopes_.back().taken.insert(name);
  return name;
}

std::string Names::declare(Symbol id) {
  std::string name = c_identifier(id.str());
  if (visible(name)) name = numbered(c_identifier(unnumbered(id).str()));
  return enter(id, name);
}

std::string Names::declare_loop(Symbol id) {
  const std::string base = c_identifier(unnumbered(id).str());
  std::string name = base;
  for (int i = 1; visible(name); ++i) name = base + "_" + std::to_string(i);
  return enter(id, name);
}

std::string Names::enter(Symbol id, const std::string& name) {
  scopes_.back().names[id] = name;
  scopes_.back().taken.insert(name);
  return name;
}

/// The first of `base_1`, `base_2`, ... that is neither visible nor used by the kernel.
std::string Names::numbered(const std::string& base) {
  CHECK(!scopes_.empty(), base);
  for (int& i = scopes_.back().last[base];;) {
    std::string name = base + "_" + std::to_string(++i);
    if (!visible(name) && !reserved_.count(name)) return name;
  }
}

std::string Names::find(Symbol id) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    auto it = scope->names.find(id);
    if (it != scope->names.end()) return it->second;
  }
  return "";
}

}  // namespace tilelab::codegen
