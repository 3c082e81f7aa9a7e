// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/builtins/hints.h"

#include <algorithm>

#include "core/elaborate/builtins/builtins.h"
#include "core/ir/dtype.h"
#include "core/support/text.h"

namespace tilelab::elaborate {
namespace {

/// i, j, k, ... for the dimensions of an example.
std::vector<std::string> index_names(size_t rank) {
  std::vector<std::string> out;
  for (size_t i = 0; i < rank; ++i) out.emplace_back(1, static_cast<char>('i' + i % 18));
  return out;
}

bool of_block(const BufferInfo& buffer) { return buffer.scope != Scope::global; }

}  // namespace

std::vector<int64_t> without_ones(const std::vector<int64_t>& extents) {
  std::vector<int64_t> out;
  std::copy_if(extents.begin(), extents.end(), std::back_inserter(out),
               [](int64_t e) { return e != 1; });
  return out;
}

std::string extents_text(const std::vector<int64_t>& extents) {
  return extents.empty() ? "one element" : join(extents, "x");
}

std::string tuple_text(const std::vector<int64_t>& extents) {
  return "(" + join(extents, ", ") + (extents.size() == 1 ? ",)" : ")");
}

std::string element_text(const BufferInfo& buffer) {
  return buffer.name.str() + "[" + join(index_names(buffer.rank()), ", ") + "]";
}

std::string loop_text(const BufferInfo& buffer, std::string_view statement) {
  std::string element = element_text(buffer), text(statement);
  if (size_t hole = text.find("{}"); hole != std::string::npos) text.replace(hole, 2, element);
  if (!of_block(buffer) || buffer.rank() == 0) return "`" + text + "`";
  return "`for " + join(index_names(buffer.rank()), ", ") + " in T.Parallel(" +
         join(buffer.visible_shape(), ", ", expr_text) + "): " + text + "`";
}

bool suggest(Diagnostic& message, std::string_view word, const std::vector<std::string>& candidates,
             std::string_view prefix) {
  std::string near = nearest(word, candidates);
  if (near.empty()) return false;
  message.help("did you mean `" + std::string(prefix) + near + "`?");
  return true;
}

namespace {

struct Synonym {
  std::string_view name, ours, how;
};
constexpr Synonym kSynonyms[] = {
#define SYNONYM(name, ours, how) {name, ours, how},
#include "core/elaborate/builtins/synonyms.def"
#undef SYNONYM
};

/// "popc" of "__popc": T has neither, and both mean the CUDA function.
std::string_view without_underscores(std::string_view name) {
  return name.substr(std::min(name.find_first_not_of('_'), name.size()));
}

const Synonym* find_synonym(std::string_view name) {
  const Synonym* similar = nullptr;
  for (const Synonym& row : kSynonyms) {
    if (row.name == name) return &row;
    if (without_underscores(row.name) == without_underscores(name)) similar = &row;
  }
  return similar;
}

/// Whether `word` can be a misspelling of the name of a function, word by word. Another number,
/// another word, or another letter in a short name makes the name of another function: float4 and
/// float64, shfl_up and shfl, sort and sqrt.
bool is_misspelling(std::string_view word, std::string_view name) {
  auto sorted = [](std::string_view text, auto keep) {
    std::string out;
    std::copy_if(text.begin(), text.end(), std::back_inserter(out), keep);
    std::sort(out.begin(), out.end());
    return out;
  };
  auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  auto is_letter = [](char c) { return c != '_'; };
  if (sorted(word, is_letter) == sorted(name, is_letter)) return true;
  if (sorted(word, is_digit) != sorted(name, is_digit)) return false;
  constexpr size_t kShort = 4;
  if (word.size() <= kShort && word.size() >= name.size()) return false;
  const auto words = split(word, '_'), meant = split(name, '_');
  return std::equal(words.begin(), words.end(), meant.begin(), meant.end(),
                    [](const std::string& a, const std::string& b) {
                      return a == b || !nearest(a, {b}).empty();
                    });
}

}  // namespace

std::string instead_of(std::string_view name) {
  const Synonym* row = find_synonym(name);
  std::string how(row ? row->how : "");
  if (!row && dtype_from_name(std::string(name)))  // numpy.float32
    how = "T.cast(x, \"" + std::string(name) + "\")";
  return how.empty() ? "" : "`" + how + "` does this in a kernel";
}

std::string instead_of_method(const std::string& attribute) {
  std::string ours = instead_of(attribute);
  if (ours.empty())
    if (const Builtin* row = find_builtin("reduce_" + attribute);
        row || (row = find_builtin(attribute)))
      if (row->status == Status::works)
        ours = "`T." + row->name + "(" + row->signature + ")` does this in a kernel";
  return ours.empty() ? "buffers have dtype, shape, strides, ndim, name" : ours;
}

std::string dtype_alias(const std::string& name) {
  static const std::pair<const char*, const char*> aliases[] = {
      {"fp16", "float16"}, {"f16", "float16"},      {"half", "float16"},   {"bf16", "bfloat16"},
      {"fp32", "float32"}, {"f32", "float32"},      {"single", "float32"}, {"fp64", "float64"},
      {"f64", "float64"},  {"double", "float64"},   {"i32", "int32"},      {"i64", "int64"},
      {"i8", "int8"},      {"u8", "uint8"},         {"byte", "uint8"},     {"long", "int64"},
      {"char", "int8"},    {"fp8", "float8_e4m3fn"}};
  for (const auto& [alias, ours] : aliases)
    if (name == alias) return ours;
  return "";
}

std::vector<std::string> dtype_names() {
  return {
#define DTYPE(id, ...) tilelang_name(DType::id),
#include "core/ir/dtypes.def"
#undef DTYPE
  };
}

std::string view_help(const BufferInfo& source, int64_t total, DType dtype) {
  if (total % bits(dtype) != 0) return "choose a dtype whose width divides the buffer's size";
  std::string count = std::to_string(total / bits(dtype));
  return "`" + source.name.str() + "` holds " + count + " elements " + tilelang_name(dtype) +
         ", for example as (" + count + ",)";
}

std::string help_for_name_of_t(const std::string& name, const std::string& shown) {
  if (std::string ours = instead_of(name); !ours.empty()) return ours;
  std::vector<std::string> similar = names_of_t(), longer = similar;
  std::erase_if(similar, [&](const std::string& ours) { return !is_misspelling(name, ours); });
  std::erase_if(longer, [&](const std::string& ours) {
    const Builtin* row = find_builtin(ours);
    return !ours.starts_with(name) || (row && row->status == Status::planned);
  });
  std::string near = nearest(name, similar);
  if (near.empty() && longer.size() == 1) near = longer.front();
  return near.empty() ? "" : "did you mean `" + shown + "." + near + "`?";
}

std::vector<std::string> names_of_t() {
  std::vector<std::string> out;
  for (const Builtin& row : builtins())
    if (row.name.rfind("builtins.", 0) != 0 && row.status != Status::refused)
      out.push_back(row.name);
  for (std::string& name : dtype_names()) out.push_back(std::move(name));
  return out;
}

std::string builtin_instead(const std::string& function) {
  const Synonym* other = find_synonym(function);
  if (other && !other->ours.empty()) return std::string(other->ours);
  const Builtin* row = find_builtin(function);
  return row && row->status == Status::works ? function : "";
}

std::string copy_help(const BufferInfo& from, const std::vector<int64_t>& from_extents,
                      const BufferInfo& to, const std::vector<int64_t>& to_extents,
                      std::string_view slice) {
  std::vector<int64_t> a = without_ones(from_extents), b = without_ones(to_extents);
  if (a.size() == 2 && b == std::vector<int64_t>{a[1], a[0]})
    return "use T.transpose(src, dst) to exchange the dimensions; T.copy keeps their order";
  std::string tensor = of_block(from) ? to.name.str() : from.name.str();
  std::string start = "`" + tensor + "[...]` with the indices of the start of the tile";
  if (!slice.empty()) start = "`" + std::string(slice) + "`";
  const std::string shape = tuple_text(to_extents.size() == b.size() ? a : from_extents);
  if (of_block(to))
    return "allocate `" + to.name.str() + "` as " + shape + ", or copy " +
           extents_text(to_extents) + (of_block(from) ? "" : ": " + start);
  if (of_block(from)) return "copy to a slice of " + extents_text(from_extents) + ": " + start;
  return "slice both tensors to the same extents; extents of 1 do not count";
}

}  // namespace tilelab::elaborate
