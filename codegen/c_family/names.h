// SPDX-License-Identifier: Apache-2.0
// Names of the IR as C identifiers: the user's names wherever C allows them.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/support/symbol.h"

namespace tilelab::codegen {

class Names {
 public:
  /// C scopes: what is declared inside is forgotten at the end.
  void open();
  void close();
  /// A name of the kernel's, wherever it is declared: nothing that is made up takes it.
  void reserve(Symbol id);
  /// A C name for a new declaration of `id`, different from everything visible here: in C a
  /// declaration hides the outer name already in its own initialiser.
  std::string declare(Symbol id);
  /// The same for the variable of a loop: passes number them through (i_14), in C a scope is
  /// enough (i).
  std::string declare_loop(Symbol id);
  /// A C name that stands for nothing of the IR: different from all names of the kernel's.
  std::string make(const std::string& wish);
  /// The C name of what `id` means here; "" if nothing.
  std::string find(Symbol id) const;

 private:
  struct Scope {
    std::unordered_map<Symbol, std::string> names;
    std::unordered_set<std::string> taken;
    std::unordered_map<std::string, int> last;  // the number that a name got last
  };
  std::string numbered(const std::string& base);
  std::string enter(Symbol id, const std::string& name);
  bool visible(const std::string& name) const;
  std::vector<Scope> scopes_;
  std::unordered_set<std::string> reserved_;
};

/// Passes number the names that they make (i_14); i of that, where it is such a name.
Symbol unnumbered(Symbol id);

/// `text` with everything that C does not allow in an identifier spelled out, and a trailing `_`
/// or a `u_` in front where a keyword, a macro or a name of the device header is in the way.
std::string c_identifier(std::string_view text);

}  // namespace tilelab::codegen
