// SPDX-License-Identifier: Apache-2.0
// Cells: order of outputs, results, errors, sources, input, interrupts.
#include <unistd.h>

#include <chrono>
#include <thread>

#include "tests/session/recorder.h"
#include "tests/unit/test.h"

using namespace tilelab;
using namespace tilelab::test;

static std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(cell_outputs_come_in_order) {
  Run r = run("import sys\nprint('a')\nsys.stderr.write('b')\ndisplay(1)\nprint('c', end='')\n2");
  EXPECT(r.result.ok);
  EXPECT_EQ(r.to.log, "stdout(a)stdout(\n)stderr(b)display(1)stdout(c)result" +
                          std::to_string(r.result.count) + "(2)");
}

TEST(cell_last_expression_is_the_result_and_is_kept) {
  Run r = run("40 + 2");
  EXPECT_EQ(Recorder::text(r.to.results.at(0)), "42");
  Run kept = run("(_, Out[" + std::to_string(r.result.count) + "], _" +
                 std::to_string(r.result.count) + ")");
  EXPECT_EQ(Recorder::text(kept.to.results.at(0)), "(42, 42, 42)");
  EXPECT_EQ(run("1;").to.log, "");
  EXPECT_EQ(run("None").to.log, "");
  EXPECT_EQ(run("'#;'  # no; not this one").to.results.size(), size_t{1});
}

TEST(cell_rich_result_carries_every_representation) {
  Run r =
      run("class R:\n  def _repr_html_(self): return '<b>x</b>'\n  def __repr__(self): return "
          "'x'\nR()");
  EXPECT_EQ(*r.to.results.at(0).find("text/html"), "<b>x</b>");
  Run mime = run(
      "class M:\n  def _repr_mimebundle_(self, include=None, exclude=None):\n"
      "    return {'text/plain': 'm', 'image/png': b'\\x89'}, {'image/png': {'width': 3}}\nM()");
  EXPECT_EQ(*mime.to.results.at(0).find("image/png"), "iQ==");
  EXPECT_EQ(mime.to.results.at(0).metadata, "{\"image/png\": {\"width\": 3}}");
}

TEST(cell_error_shows_only_the_users_frames) {
  Run r = run("def f(x):\n  return 1 / x\nf(0)");
  EXPECT(!r.result.ok);
  EXPECT_EQ(r.result.ename, "ZeroDivisionError");
  std::string cell = "cell " + std::to_string(r.result.count);
  EXPECT_EQ(joined(r.result.traceback), "Traceback (most recent call last):\n  " + cell +
                                            ", line 3\n    f(0)\n  " + cell +
                                            ", line 2, in f\n    return 1 / x\n           ^^^^^\n"
                                            "ZeroDivisionError: division by zero\n");
  EXPECT_EQ(r.to.log, "error(ZeroDivisionError)");
}

TEST(cell_syntax_error_points_into_the_cell) {
  Run r = run("x = 1\ny = = 2");
  EXPECT_EQ(r.result.ename, "SyntaxError");
  EXPECT(contains(joined(r.result.traceback), ", line 2\n    y = = 2\n        ^\n"));
  EXPECT_EQ(run("print('alive')").to.out, "alive\n");
}

TEST(cell_source_is_known_however_it_was_written) {
  run("import inspect\ndef typed(a):\n  return a");
  EXPECT_EQ(run("print(inspect.getsource(typed), end='')").to.out, "def typed(a):\n  return a\n");
  run("exec('def made(b):\\n  return b\\n')");
  EXPECT_EQ(run("print(inspect.getsource(made), end='')").to.out, "def made(b):\n  return b\n");
  // A new definition does not change the text of the old one.
  run("old = typed\ndef typed(a):\n  return a + 1");
  EXPECT_EQ(run("print(inspect.getsource(old), end='')").to.out, "def typed(a):\n  return a\n");
  run("%%time\ndef timed(c):\n  return c");
  EXPECT_EQ(run("print(inspect.getsource(timed), end='')").to.out, "def timed(c):\n  return c\n");
}

TEST(cell_exec_keeps_its_meaning) {
  Run r = run("def g():\n  exec('def h(): return 5', globals())\ng(); h()");
  EXPECT_EQ(Recorder::text(r.to.results.at(0)), "5");
  Run own = run("d = {}\nexec('def k(): return 6', d)\n('k' in d, 'k' in globals())");
  EXPECT_EQ(Recorder::text(own.to.results.at(0)), "(True, False)");
}

TEST(cell_number_grows_only_for_stored_cells) {
  int next = session().next_count();
  ExecuteOptions quiet;
  quiet.silent = true;
  quiet.store_history = false;
  Recorder& to = recorder();
  ExecuteResult result = session().execute("7", quiet, to);
  EXPECT(result.ok);
  EXPECT_EQ(to.log, "");
  EXPECT_EQ(session().next_count(), next);
  EXPECT_EQ(run("8").result.count, next);
}

TEST(cell_user_expressions_answer_one_by_one) {
  ExecuteOptions options;
  options.user_expressions = {{"a", "1 + 1"}, {"b", "nothing_here"}};
  ExecuteResult result = session().execute("pass", options, recorder());
  EXPECT_EQ(result.user_expressions.size(), size_t{2});
  EXPECT_EQ(Recorder::text(result.user_expressions[0].value), "2");
  EXPECT(!result.user_expressions[1].ok);
  EXPECT_EQ(result.user_expressions[1].ename, "NameError");
}

TEST(cell_input_comes_from_the_front_end) {
  Recorder& to = recorder();
  to.answers = {"Ada", "secret"};
  session().execute("import getpass\nprint(input('name? '), getpass.getpass('word? '))", {}, to);
  EXPECT_EQ(to.log, "input(name? )password(word? )stdout(Ada)stdout( )stdout(secret)stdout(\n)");
  EXPECT_EQ(session().execute("input()", {}, recorder()).ename, "EOFError");
  ExecuteOptions none;
  none.allow_stdin = false;
  EXPECT_EQ(session().execute("input()", none, recorder()).ename, "RuntimeError");
  Recorder& stopped = recorder();
  stopped.on_input = [] { throw Interrupted(); };
  EXPECT_EQ(session().execute("input()", {}, stopped).ename, "KeyboardInterrupt");
}

static double interrupted_after(const std::string& code) {
  using clock = std::chrono::steady_clock;
  clock::time_point sent;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    sent = clock::now();
    session().interrupt();
  });
  ExecuteResult result = session().execute(code, {}, recorder());
  double ms = std::chrono::duration<double, std::milli>(clock::now() - sent).count();
  other.join();
  EXPECT_EQ(result.ename, "KeyboardInterrupt");
  return ms;
}

// ThreadSanitizer delays a signal until the thread calls a function that it intercepts.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TILELAB_TSAN
#endif
#endif
constexpr double kSoon = 5000;  // ms, less than the sleep; bench/ measures how few they are

TEST(cell_interrupt_ends_loops_and_sleeps) {
#ifndef TILELAB_TSAN
  EXPECT(interrupted_after("while True: pass") < kSoon);
#endif
  EXPECT(interrupted_after("import time\ntime.sleep(10)") < kSoon);
  session().interrupt();  // while nothing runs: nothing happens, now or later
  EXPECT_EQ(run("'fine'").result.ok, true);
}

TEST(cell_exit_is_a_request_and_sys_exit_an_error) {
  EXPECT(run("exit(3)").result.exit);
  EXPECT_EQ(run("exit(3)").result.exit_status, 3);
  EXPECT(run("quit").result.exit);
  Run r = run("import sys\nsys.exit(4)");
  EXPECT(!r.result.exit);
  EXPECT_EQ(r.result.ename, "SystemExit");
}

TEST(cell_display_can_be_updated_and_cleared) {
  Run r =
      run("from IPython.display import display, clear_output, HTML\n"
          "h = display('a', display_id=True)\nh.update('b')\nclear_output(wait=True)\n"
          "display(HTML('<i>c</i>'))");
  EXPECT(contains(r.to.log, "display#('a')update#('b')clear(wait)display("));
  EXPECT_EQ(*r.to.displays.back().find("text/html"), "<i>c</i>");
}

TEST(cell_tilelang_is_tilelab) {
  Run r = run(
      "import tilelang, tilelab\n(tilelang is tilelab, tilelang.__name__, tilelang.__spec__.name)");
  EXPECT_EQ(Recorder::text(r.to.results.at(0)), "(True, 'tilelab', 'tilelab')");
}

TEST(cell_future_import_holds_for_later_cells) {
  run("from __future__ import annotations");
  EXPECT_EQ(
      Recorder::text(run("def f(x: undefined_name): pass\nf.__annotations__").to.results.at(0)),
      "{'x': 'undefined_name'}");
  run("%reset -f");
}

TEST(cell_text_that_is_no_utf8_survives) {
  EXPECT_EQ(run("print('\\udc80')").to.out, "\\udc80\n");
  EXPECT(run("s = '\xff'").result.ok);
}
