#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""odr_collisions.py finds what it is for, and nothing else."""
import unittest

from odr_collisions import odr_collisions, names_of


def found(one, other, second="core/x/b.cpp"):
    """The names that collide in two files of core/x, each text in `namespace tilelab`."""
    files = [(path, "#include <vector>\nnamespace tilelab {\n" + text + "\n}  // namespace tilelab\n")
             for path, text in (("core/x/a.cpp", one), (second, other))]
    return [line.split()[1] for line in odr_collisions(files)]


class Collisions(unittest.TestCase):
    def test_helpers_of_one_name(self):
        helper = "namespace {\nint half(const Expr& e, int by = 2) {\n  return '{';\n}\n}  // namespace"
        self.assertEqual(found(helper, helper), ["half"])
        # Independent of its parameters' names, nameless or static, a template's or not.
        self.assertEqual(found(helper, "static int half(const Expr& expr, int) { return 1; }"), ["half"])
        template = "namespace { template <class T> T half(T x) { return x / 2; } }"
        self.assertEqual(found(template, template), ["half"])
        self.assertEqual(found("bool operator<(const A& a, const A& b) { return a.x < b.x; }",
                               "namespace { bool operator<(const A& l, const A& r) { return r.x > l.x; } }"),
                         ["operator<"])

    def test_other_parameters_are_other_functions(self):
        self.assertEqual(found("namespace { int half(int x) { return x; } }",
                               "namespace { int half(const int* x) { return *x; } }"), [])

    def test_types_and_values(self):
        for text in ("struct Plan {\n  int n = 0;\n};", "enum class Plan : uint8_t { one, two };",
                     "constexpr int Plan = 3;", "const std::map<int, int> Plan = {{1, 2}};", "int Plan[3];",
                     "template <class T> using Plan = std::vector<T>;"):
            nameless = "namespace {\n" + text + "\n}"
            self.assertEqual(found(nameless, nameless), ["Plan"], text)
            self.assertEqual(found(nameless, "namespace { int Plan(int x) { return x; } }"), ["Plan"], text)

    def test_a_type_of_a_header(self):
        nameless = "namespace {\nstruct Plan {\n  int n = 0;\n};\n}"
        header = "struct Plan {\n  struct Part;\n};"
        self.assertEqual(found(nameless, header, "core/x/b.h"), ["Plan"])
        self.assertEqual(found(nameless, "inline int Plan(int x) { return x; }", "core/x/b.h"), [])
        self.assertEqual(found("struct Plan::Part {\n  int n = 0;\n};", header, "core/x/b.h"), [])

    def test_an_alias_may_be_said_twice(self):
        same = "namespace { using Places = std::vector<int>; }"
        self.assertEqual(found(same, same), [])
        self.assertEqual(found(same, "namespace { using Places = std::vector<long>; }"), ["Places"])

    def test_names_that_do_not_collide(self):
        helper = "namespace { int half(int x) { return x / 2; } }"
        self.assertEqual(found(helper, helper, "core/y/b.cpp"), [])  # of another folder
        self.assertEqual(found(helper, "namespace sim {\n" + helper + "\n}"), [])
        self.assertEqual(found("#ifdef A\n" + helper + "\n#endif", helper), [])
        declared = "struct Plan; int half(int x); extern int whole; // int third(int x) {}"
        self.assertEqual(found(declared, declared), [])
        member = "int Plan::half(int x) const { return x; }\nconst int Plan::whole = 1;"
        self.assertEqual(found(member, member), [])

    def test_nothing_after_a_body_is_missed(self):
        text = ('Plan::Plan(int n) : n_(n), list_{n, n} { add("}"); }\nconst char* text = R"(} {)";\n'
                "auto half = [](int x) { return x; };\nint last() { return 0; }")
        self.assertEqual([name for _, name, *_ in names_of(text)], ["text", "half", "last"])


if __name__ == "__main__":
    unittest.main()
