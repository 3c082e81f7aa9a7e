// SPDX-License-Identifier: Apache-2.0
#include "repl/readline_keys.h"

#include <stdio.h>  // readline's headers need FILE

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <readline/history.h>
#include <readline/readline.h>

#include "repl/readline_display.h"
#include "repl/readline_history.h"
#include "repl/signals.h"

namespace tilelab {
namespace {

/// Whether Escape is the beginning of a key sequence: waits as long as readline does.
bool key_sequence_continues() {
  const char* timeout = rl_variable_value("keyseq-timeout");
  return PromptSignals::key_waits(timeout ? std::min(500, std::max(0, std::atoi(timeout))) : 0);
}

/// Escape alone ends a search; as the first of a sequence it belongs to a key.
void end_with_escape() {
  if (key_sequence_continues()) rl_execute_next(033);
}

/// An incremental search. Text keys extend the pattern, Ctrl-R and Ctrl-S find the next match,
/// Backspace returns to the previous one, Ctrl-G to the start; Enter accepts the match and runs it,
/// every other key accepts it and then acts as usual.
class IncrementalSearch {
 public:
  explicit IncrementalSearch(int step) : step_(step) {
    start_ = {begin_walk(), size_t(rl_point), "", true};
    now_ = start_;
  }

  int run() {
    for (;;) {
      show_message(message());
      int key = rl_read_key();
      if (key < 0 || !take(key)) break;
    }
    show_message("");
    return 0;
  }

 private:
  struct State {
    int place;
    size_t at;  // of the match in the text there
    std::string wanted;
    bool found;
  };

  std::string message() const {
    return std::string(now_.found ? "" : "failed ") + (step_ < 0 ? "reverse-" : "") + "i-search `" +
           now_.wanted + "': ";
  }

  /// False: the search is over.
  bool take(int key) {
    switch (key) {
      case 'R' & 31:
      case 'S' & 31: return search_next(key == ('R' & 31) ? -1 : 1);
      case 'H' & 31:
      case 0x7f: return take_back();
      case 'G' & 31: return go(start_), false;
      case 033: return end_with_escape(), false;
      default: break;
    }
    if (key < ' ') return rl_execute_next(key), false;
    return search_for(now_.wanted + std::string(1, char(key)));
  }

  bool take_back() {
    if (before_.empty()) return rl_ding(), true;
    go(before_.back());
    before_.pop_back();
    return true;
  }

  bool search_for(std::string wanted) {
    before_.push_back(now_);
    now_.wanted = std::move(wanted);
    find(now_.place, now_.at);
    return true;
  }

  bool search_next(int step) {
    step_ = step;
    before_.push_back(now_);
    if (now_.wanted.empty()) now_.wanted = last_wanted();
    if (now_.wanted.empty()) return true;
    size_t at = step < 0 ? (now_.at > 0 ? now_.at - 1 : none) : now_.at + 1;
    find(now_.place, at);
    return true;
  }

  /// Searches from that entry on; `none` in it: from the next entry on.
  void find(int place, size_t at) {
    last_wanted() = now_.wanted;
    std::string same = history_text(now_.place);
    for (; place >= 0 && place <= history_length; place += step_) {
      std::string text = history_text(place);
      size_t found = none;
      if (step_ < 0 ? at != none : at <= text.size())
        found = step_ < 0 ? text.rfind(now_.wanted, at) : text.find(now_.wanted, at);
      at = step_ < 0 ? text_size_before(place) : 0;
      if (found == none || (place != now_.place && text == same)) continue;
      go({place, found, now_.wanted, true});
      return;
    }
    now_.found = false;
    rl_ding();
  }

  size_t text_size_before(int place) const {
    return place > 0 ? history_text(place - 1).size() : 0;
  }

  void go(const State& state) {
    now_ = state;
    show_history_text(state.place);
    rl_point = int(state.at);
  }

  static std::string& last_wanted() {
    static std::string text;
    return text;
  }

  static constexpr size_t none = std::string::npos;
  int step_;
  State start_, now_;
  std::vector<State> before_;
};

/// The next typed character, all its bytes; "" if it is cancelled.
std::string typed_character() {
  int key = rl_read_key();
  if (key < ' ') return "";
  std::string text(1, static_cast<char>(key));
  for (int more = key >= 0xf0 ? 3 : key >= 0xe0 ? 2 : key >= 0xc0 ? 1 : 0; more > 0; --more)
    text += static_cast<char>(rl_read_key());
  return text;
}

int to_character(int step) {
  std::string wanted = typed_character();
  for (int at = rl_point + step; !wanted.empty() && at >= 0 && at < rl_end; at += step) {
    if (std::string_view(rl_line_buffer + at, size_t(rl_end - at)).substr(0, wanted.size()) !=
        wanted)
      continue;
    rl_point = at;
    return 0;
  }
  return rl_ding();
}

/// The last pattern of vi's / and ?, and its direction.
struct {
  std::string wanted;
  int step = -1;
} last_vi_search;

/// The next entry that contains the text, or with ^ begins with it.
int search_entries(int step) {
  std::string wanted = last_vi_search.wanted;
  bool at_begin = wanted.rfind('^', 0) == 0;
  if (at_begin) wanted.erase(0, 1);
  for (int at = begin_walk() + step; at >= 0 && at < history_length; at += step) {
    std::string text = history_text(at);
    size_t found = at_begin ? text.rfind(wanted, 0) : text.find(wanted);
    if (found == std::string::npos || wanted.empty()) continue;
    show_history_text(at);
    return rl_point = int(found), 0;
  }
  return rl_ding();
}

/// Reads up to Enter, after a mark; nullopt if cancelled.
std::optional<std::string> typed_line(char mark) {
  std::string typed;
  for (;;) {
    show_message(mark + typed);
    int key = rl_read_key();
    if (key == '\r' || key == '\n') return typed;
    bool erases = key == ('H' & 31) || key == 0x7f;
    if (erases && !typed.empty()) {
      while ((typed.back() & 0xc0) == 0x80 && typed.size() > 1) typed.pop_back();
      typed.pop_back();
    } else if (key < ' ' || erases) {
      if (key == 033) end_with_escape();
      return std::nullopt;
    } else {
      typed += char(key);
    }
  }
}

}  // namespace

int vi_search(int, int key) {
  std::optional<std::string> typed = typed_line(char(key));
  show_message("");
  if (!typed) return rl_ding();
  if (!typed->empty()) last_vi_search.wanted = *typed;
  last_vi_search.step = key == '?' ? 1 : -1;
  return search_entries(last_vi_search.step);
}

int vi_search_again(int, int key) {
  return search_entries(key == 'N' ? -last_vi_search.step : last_vi_search.step);
}

int to_next_character(int, int) { return to_character(1); }
int to_last_character(int, int) { return to_character(-1); }
int search_incrementally_backward(int, int) { return IncrementalSearch(-1).run(); }
int search_incrementally_forward(int, int) { return IncrementalSearch(1).run(); }

}  // namespace tilelab
