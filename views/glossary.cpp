// SPDX-License-Identifier: Apache-2.0
// Parses docs/glossary.md: `### name, other name`, then paragraphs; indented lines are a drawing.
#include "views/glossary.h"

#include "core/support/text.h"

namespace tilelab {

extern const char* const glossary_text;  // glossary_text.cpp.in

namespace {

constexpr std::string_view kHeading = "### ", kOldWords = "Old words: ";

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

std::string joined_word(std::string_view words) {
  std::string out;
  for (char c : strip(words))
    out += c == ' ' || c == '_' ? '-' : c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return out;
}

std::vector<GlossaryTerm> read_terms(std::string_view text) {
  std::vector<GlossaryTerm> terms;
  for (const std::string& line : split(text, '\n')) {
    if (starts_with(line, kHeading)) {
      terms.emplace_back();
      for (const std::string& name : split(line.substr(kHeading.size()), ','))
        terms.back().names.emplace_back(strip(name));
      continue;
    }
    if (terms.empty() || starts_with(line, "## ") || line.empty()) continue;
    GlossaryTerm& term = terms.back();
    if (starts_with(line, "    "))
      term.drawing += line + "\n";
    else if (starts_with(line, kOldWords))
      term.old_words = line.substr(kOldWords.size());
    else
      term.text += (term.text.empty() ? "" : " ") + line;
  }
  return terms;
}

}  // namespace

const std::vector<GlossaryTerm>& glossary() {
  static const std::vector<GlossaryTerm> terms = read_terms(glossary_text);
  return terms;
}

std::vector<std::string> glossary_words() {
  std::vector<std::string> words;
  for (const GlossaryTerm& term : glossary())
    for (const std::string& name : term.names) words.push_back(joined_word(name));
  return words;
}

const GlossaryTerm* find_term(std::string_view words) {
  const std::string wanted = joined_word(words);
  for (const GlossaryTerm& term : glossary())
    for (const std::string& name : term.names)
      if (joined_word(name) == wanted || joined_word(name) + "s" == wanted) return &term;
  return nullptr;
}

}  // namespace tilelab
