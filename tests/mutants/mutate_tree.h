// SPDX-License-Identifier: Apache-2.0
// Random changes of the tree of a function. What they make prints as text that is read again more
// often than a changed text is, so that mutants come to the verifier, the passes and the simulator.
#pragma once

#include <string>

#include "core/ir/func.h"
#include "tests/mutants/mutate.h"

namespace tilelab::test {

/// The text of `func` after one to three changes: nodes left out, doubled, exchanged or taken from
/// `other`, and fields (numbers, words, names, types, layouts, attributes, lists) given other
/// values. Empty where the tree that came of it has no text.
std::string mutated_tree(const FuncRef& func, const FuncRef& other, Generator& random);

}  // namespace tilelab::test
