// SPDX-License-Identifier: Apache-2.0
// Finds the changed words within the lines of a diff.
#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "views/diff.h"

namespace tilelab {
namespace {

using What = LineDiff::What;

/// The words of a line. Equal words of a section have equal numbers, which are compared instead.
struct Words {
  std::vector<std::string_view> text;
  std::vector<int> number;
  size_t size() const { return text.size(); }
};
using Numbers = std::unordered_map<std::string_view, int>;

constexpr size_t kPairs = 400;  // of lines in one section; larger sections are not searched
constexpr size_t kWords = 300;  // of a line
constexpr double kAlike = 0.4;  // share of words that lines must have in common

bool of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Names and numbers as words, other characters individually; blanks are skipped.
Words words_of(std::string_view line, Numbers& numbers) {
  Words out;
  for (size_t i = 0; i < line.size();) {
    size_t end = i + 1;
    if (of_word(line[i]))
      while (end < line.size() && of_word(line[end])) ++end;
    if (line[i] != ' ') out.text.push_back(line.substr(i, end - i));
    i = end;
  }
  for (std::string_view word : out.text)
    out.number.push_back(numbers.emplace(word, int(numbers.size())).first->second);
  return out;
}

/// Lengths of the longest common subsequences of all suffixes: [i][j] of a[i...] and b[j...].
using Lengths = std::vector<std::vector<int>>;

Lengths common_lengths(const Words& a, const Words& b) {
  Lengths out(a.size() + 1, std::vector<int>(b.size() + 1, 0));
  const int* of_b = b.number.data();
  for (size_t i = a.size(); i-- > 0;) {
    int* here = out[i].data();
    const int word = a.number[i], *below = out[i + 1].data();
    for (size_t j = b.size(); j-- > 0;)
      if (word == of_b[j])
        here[j] = below[j + 1] + 1;
      else
        here[j] = below[j] > here[j + 1] ? below[j] : here[j + 1];
  }
  return out;
}

double likeness(const Words& a, const Words& b) {
  if (a.text.empty() || b.text.empty() || a.size() > kWords || b.size() > kWords) return 0;
  return 2.0 * common_lengths(a, b)[0][0] / double(a.size() + b.size());
}

void mark(std::string_view word, LineDiff::Line& line) {
  const size_t begin = size_t(word.data() - line.text.data()), end = begin + word.size();
  // Ranges separated by at most this many characters are merged.
  constexpr size_t kGap = 3;
  const size_t last = line.changed.empty() ? 0 : line.changed.back().second;
  if (!line.changed.empty() && begin - last <= kGap &&
      std::none_of(line.text.begin() + long(last), line.text.begin() + long(begin), of_word))
    line.changed.back().second = end;
  else
    line.changed.emplace_back(begin, end);
}

void mark_pair(LineDiff::Line& old_line, const Words& a, LineDiff::Line& new_line, const Words& b) {
  const Lengths common = common_lengths(a, b);
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    if (i < a.size() && j < b.size() && a.number[i] == b.number[j])
      ++i, ++j;
    else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1]))
      mark(a.text[i++], old_line);
    else
      mark(b.text[j++], new_line);
  }
}

/// Pairs lines, in order, by maximum similarity.
void mark_stretch(std::vector<LineDiff::Line*> gone, std::vector<LineDiff::Line*> come) {
  if (gone.empty() || come.empty() || gone.size() * come.size() > kPairs) return;
  Numbers numbers;
  std::vector<Words> a, b;
  for (const LineDiff::Line* line : gone) a.push_back(words_of(line->text, numbers));
  for (const LineDiff::Line* line : come) b.push_back(words_of(line->text, numbers));
  std::vector<std::vector<double>> alike(a.size(), std::vector<double>(b.size()));
  std::vector<std::vector<double>> best(a.size() + 1, std::vector<double>(b.size() + 1, 0));
  for (size_t i = a.size(); i-- > 0;)
    for (size_t j = b.size(); j-- > 0;) {
      alike[i][j] = likeness(a[i], b[j]);
      const double paired = alike[i][j] >= kAlike ? alike[i][j] + best[i + 1][j + 1] : 0;
      best[i][j] = std::max({paired, best[i + 1][j], best[i][j + 1]});
    }
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (alike[i][j] >= kAlike && best[i][j] == alike[i][j] + best[i + 1][j + 1]) {
      mark_pair(*gone[i], a[i], *come[j], b[j]);
      ++i, ++j;
    } else
      best[i + 1][j] >= best[i][j + 1] ? ++i : ++j;
  }
}

}  // namespace

void mark_words(LineDiff& diff) {
  std::vector<LineDiff::Line*> gone, come;
  for (LineDiff::Line& line : diff.lines) {
    if (line.what == What::removed) gone.push_back(&line);
    if (line.what == What::added) come.push_back(&line);
    if (line.what != What::same) continue;
    mark_stretch(std::move(gone), std::move(come));
    gone.clear(), come.clear();
  }
  mark_stretch(std::move(gone), std::move(come));
}

}  // namespace tilelab
