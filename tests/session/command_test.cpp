// SPDX-License-Identifier: Apache-2.0
// Commands: parsing, help, suggestions, JSON, completion; is_complete and history beside them.
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "session/command.h"
#include "session/devices.h"
#include "session/history.h"
#include "tests/session/recorder.h"
#include "tests/unit/test.h"

using namespace tilelab;
using namespace tilelab::test;

static std::string shown(const std::string& code) {
  Run r = run(code);
  std::string text;
  for (const MimeBundle& bundle : r.to.displays) text += Recorder::text(bundle) + "\n";
  for (const MimeBundle& bundle : r.to.results) text += Recorder::text(bundle) + "\n";
  return text + r.to.out + r.to.paged + (r.result.ok ? "" : r.result.evalue);
}

TEST(command_rows_are_whole) {
  EXPECT(commands().size() > 15);
  for (const Command& command : commands()) {
    EXPECT(command.doc[0] != 0);
    EXPECT(command.kinds & (line_command | cell_command));
    EXPECT(contains(command_help(command), command.doc));
    // --help works for every row without running the command.
    EXPECT(contains(shown(std::string("%") + command.name + " --help"), command.doc));
  }
}

TEST(command_unknown_names_and_options_get_a_suggestion) {
  EXPECT_EQ(shown("%timeot 1"), "unknown command %timeot; did you mean %timeit?");
  EXPECT_EQ(shown("%history --jso"), "%history has no option --jso; did you mean --json?");
  EXPECT_EQ(shown("%device simm"), "unknown device simm; did you mean sim?");
}

TEST(command_line_is_parsed_like_a_shells) {
  CommandCall call;
  EXPECT_EQ(parse_command(*find_command("history"), "-l 5 -n '4 5' ~1/2 -- -x", call), "");
  EXPECT_EQ(call.option("-l"), "5");
  EXPECT(call.has("-n"));
  EXPECT_EQ(call.args.size(), size_t{3});
  EXPECT_EQ(call.arg(0), "4 5");
  EXPECT_EQ(call.arg(2), "-x");
  CommandCall code;
  EXPECT_EQ(parse_command(*find_command("timeit"), "-n 10 -r3  f('a  b', -n)", code), "");
  EXPECT_EQ(code.option("-n"), "10");
  EXPECT_EQ(code.option("-r"), "3");
  EXPECT_EQ(code.arg(0), "f('a  b', -n)");
  EXPECT_EQ(split_expressions("k.A f((1, 2), 'x y') d[\"a b\"]").size(), size_t{3});
}

TEST(command_may_stand_among_python_lines) {
  Run r =
      run("x = 6\nif x:\n  %env TILELAB_T=1\ny = !echo hi\nz = '''\n%not a command\n'''\n(y, z, "
          "7\n%4)");
  EXPECT(r.result.ok);
  EXPECT_EQ(Recorder::text(r.to.results.at(0)), "(['hi'], '\\n%not a command\\n', 3)");
  EXPECT(contains(shown(":env TILELAB_T"), "1"));
}

TEST(command_gives_json_on_request) {
  run("%reset -f\nnumber = 5");
  EXPECT(contains(shown("%who"), "number  int   5"));
  EXPECT_EQ(shown("%who --json"),
            "[{\"name\": \"number\", \"type\": \"int\", \"value\": \"5\"}]\n");
}

TEST(command_time_gives_the_value_and_prints_the_time) {
  Run r = run("%time 6 * 7");
  EXPECT_EQ(Recorder::text(r.to.results.at(0)), "42");
  EXPECT(contains(Recorder::text(r.to.displays.at(0)), "time "));
  EXPECT(contains(shown("%timeit -n 3 -r 2 sum(range(10))"), "2 runs of 3 loops"));
  EXPECT(contains(shown("%%timeit -n 2 -r 2\na = 1\nb = a"), "2 runs of 2 loops"));
  Run error = run("%%time\nx = 1\nraise ValueError('in line 3')");
  EXPECT(contains(error.result.traceback.at(1), ", line 3"));
}

TEST(command_error_is_one_line) {
  Run r = run("%cd /no/such/place");
  EXPECT_EQ(r.result.traceback.size(), size_t{1});
  EXPECT_EQ(r.result.traceback.at(0), "/no/such/place: No such file or directory");
}

TEST(names_of_devices) {
  for (const char* name : {"cuda", "cuda:1", "cuda:worker", "cuda:worker:1"})
    EXPECT_EQ(device_base(name), "cuda");
  for (const char* name : {"cuda:", "cuda:workers", "cuda:worker:", "cuda:worker:x", "musa:worker"})
    EXPECT_EQ(device_base(name), "");
  EXPECT_EQ(shown("%device cuda:work"), "unknown device cuda:work; did you mean cuda:worker?");
  setenv("TILELAB_CUDA_DRIVER", "libcuda_that_nobody_has.so", 1);
  EXPECT_EQ(shown("%device cuda:worker"),
            "device cuda: no driver (libcuda_that_nobody_has.so not found); see tilelab doctor");
  unsetenv("TILELAB_CUDA_DRIVER");
}

TEST(command_device_and_target_are_kept) {
  EXPECT_EQ(shown("%device sim:thread"), "device sim:thread\n");
  EXPECT_EQ(
      Recorder::text(run("import tilelab._compiler.settings as s\ns.device").to.results.at(0)),
      "'sim:thread'");
  EXPECT_EQ(shown("%target musa -arch=mp_22"), "target mp_22\n");
  EXPECT(
      contains(shown("%target musa -arch=sm_80"), "is not a target; known targets are auto, musa"));
  EXPECT_EQ(shown("%target cuda -arch=sm_90"), "target sm_90a\n");
  EXPECT(contains(shown("%target"), "  mp_31   Moore Threads Pinghu"));
  EXPECT(contains(shown("%device musa"), "device musa: no driver") ||
         contains(shown("%device musa"), "cannot run code for target sm_90a"));
  run("%device auto\n%target auto");
}

TEST(command_save_load_and_run_files) {
  char directory[] = "/tmp/tilelab_cmd_XXXXXX";
  std::string path = std::string(mkdtemp(directory)) + "/a.py";
  int cell = run("saved_value = 11").result.count;
  EXPECT(contains(shown("%save " + path + " " + std::to_string(cell)), "wrote"));
  EXPECT_EQ(run("%load " + path).to.next_input, "saved_value = 11\n");
  EXPECT_EQ(shown("%reset -f\n%run " + path + "\nsaved_value"), "11\n");
  std::ofstream(path) << "import sys\nprint(sys.argv[1:], __name__)\n1/0\n";
  Run failed = run("%run " + path + " x -y");
  EXPECT_EQ(failed.to.out, "['x', '-y'] __main__\n");
  EXPECT(contains(
      failed.result.traceback.at(1) + failed.result.traceback.at(2) + failed.result.traceback.at(3),
      "a.py, line 3"));
}

TEST(command_completion_knows_names_options_and_values) {
  auto texts = [](const std::string& line) {
    std::string out;
    for (const Completion& match : session().complete(line, int(line.size())).matches)
      out += match.text + " ";
    return out;
  };
  EXPECT_EQ(texts("%timei"), "%timeit ");
  EXPECT_EQ(texts(":dev"), ":device ");
  EXPECT_EQ(texts("%device sim:t"), "sim:tile sim:thread ");
  EXPECT_EQ(texts("%device cuda:"), "cuda:worker ");
  EXPECT(contains(texts("%history --"), "--json"));
  run("alpha_one = 1\nclass Box:\n  size = 3\n  @property\n  def bad(self): raise SystemError\nbox "
      "= Box()");
  EXPECT_EQ(texts("alpha_"), "alpha_one ");
  EXPECT_EQ(texts("box.si"), "size ");
  EXPECT_EQ(texts("%time alpha_"), "alpha_one ");
  EXPECT_EQ(texts("%check kernel(alpha_"), "alpha_one ");  // an argument of a command's call
  EXPECT_EQ(texts("%layout box.si"), "size ");
  EXPECT_EQ(texts("%bench kernel(1) --beside box.si"), "size ");
  EXPECT_EQ(texts("%passes kernel --target box.si"), "");
  EXPECT_EQ(texts("%passes 'x y' --af"), "");
  EXPECT_EQ(texts("import os\nos.path.joi"), "join ");
  EXPECT_EQ(texts("from os import getcw"), "getcwd getcwdb ");
  EXPECT_EQ(texts("import js"), "json ");
  run("table = {'key one': 1, 'other': 2}");
  EXPECT_EQ(texts("table['ke"), "key one ");
  run("def wide(first_argument, *, second_argument): pass");
  EXPECT_EQ(texts("wide(sec"), "second_argument= ");
  EXPECT_EQ(texts("unwritten = 1\nunwri"), "unwritten ");
}

TEST(command_completion_counts_code_points) {
  run("value_x = 1");
  Completions found = session().complete("'\xc3\xa4\xf0\x9f\x98\x80'; value_", 12);
  EXPECT_EQ(found.begin, 6);
  EXPECT_EQ(found.end, 12);
  EXPECT_EQ(found.matches.at(0).text, "value_x");
}

TEST(is_complete_follows_the_prompts_rule) {
  auto status = [](const char* code) { return session().is_complete(code); };
  for (const char* code : {"1", "print('hello')", "def f(x):\n  return x*2\n\n\n", "x = [1,\n2]",
                           "%time 1", "!ls", "f?", "%%time\nx = 1\n", "if x: pass", ""})
    EXPECT(status(code).status == Completeness::complete);
  for (const char* code : {"print('''hello", "def f(x):\n  x*2", "f(1,", "@decorator", "x = \\",
                           "%%time", "for i in range(3):", "try:\n  pass\nexcept E:"})
    EXPECT(status(code).status == Completeness::incomplete);
  for (const char* code : {"import = 7q", "x = = 1", ")"})
    EXPECT(status(code).status == Completeness::invalid);
  EXPECT_EQ(status("def f(x):").indent, "    ");
  EXPECT_EQ(status("def f(x):\n    return x").indent, "");
  EXPECT_EQ(status("def f(x):\n    y = 1").indent, "    ");
  EXPECT_EQ(status("%%puzzle 1\ndef f(x):").indent, "    ");
  EXPECT_EQ(status("%%bash\nfor i in 1 2; do").indent, "");
}

TEST(inspect_shows_signature_documentation_and_source) {
  run("def documented(a, b=2):\n  'Adds.'\n  return a + b");
  std::string text = Recorder::text(session().inspect("documented(1, ", 14, 0));
  EXPECT(contains(text, "documented(a, b=2)"));
  EXPECT(contains(text, "Adds."));
  EXPECT(contains(Recorder::text(session().inspect("documented", 3, 1)), "return a + b"));
  EXPECT(session().inspect("nothing_known", 3, 0).empty());
  EXPECT(contains(run("documented?").to.paged, "Adds."));
  EXPECT(contains(run("documented??").to.paged, "return a + b"));
}

TEST(names_of_the_language_have_one_text_everywhere) {
  run("import tilelang.language as T");
  const std::string text = run("T.print?").to.paged;
  EXPECT(contains(text, "T.print(obj=None, msg="));
  EXPECT(contains(text, "recorded once per block, as one table"));
  EXPECT_EQ(run("T.print??").to.paged, text);
  EXPECT(contains(run("%help T.print").to.paged + "\n", text));
  EXPECT_EQ(Recorder::text(session().inspect("T.print(x, ", 11, 0)), text);
  EXPECT_EQ(Recorder::text(session().inspect("T.print", 3, 1)), text);
  EXPECT(contains(run("%help T").to.paged, "Tile operations"));
  EXPECT(contains(run("%help T loop").to.paged, "`T.Pipelined`: A software-pipelined loop"));
  EXPECT(contains(run("range?").to.paged, "in a kernel:"));
  EXPECT(
      contains(run("T.prim_func?").to.paged, "The compiler elaborates the body at the decorator"));
  EXPECT(contains(run("T.float16?").to.paged, "How are values converted?"));
  EXPECT(contains(run("%help T.ldexp").to.paged, "Planned, not yet supported."));
  EXPECT(contains(run("%help T.cpoy").result.evalue, "did you mean `T.copy`?"));
  run("T = 1");
  EXPECT(contains(run("%help T").to.paged, "int"));
}

TEST(history_survives_and_keeps_blocks_whole) {
  char directory[] = "/tmp/tilelab_history_XXXXXX";
  std::string file = std::string(mkdtemp(directory)) + "/deep/er/history";
  {
    History history(file);
    history.add(1, "def f():\n  return '#1'\n");
    history.add(2, " secret = 1");
    history.add(3, "f()");
    history.add(4, "f()");
  }
  History later(file);
  EXPECT_EQ(later.earlier().size(), size_t{2});
  EXPECT_EQ(later.earlier().at(0).input, "def f():\n  return '#1'");
  EXPECT_EQ(later.earlier().at(1).line, 3);
  EXPECT_EQ(later.session(), 2);
}

TEST(history_command_shows_ranges) {
  int cell = run("mark_one = 1").result.count;
  run("mark_two = 2");
  EXPECT_EQ(shown("%history " + std::to_string(cell) + "-" + std::to_string(cell + 1)),
            "mark_one = 1\nmark_two = 2\n");
  EXPECT(contains(shown("%history -g mark_t*"), "mark_two = 2"));
}

namespace {

/// A history file in a separate directory.
std::string fresh_history_file() {
  char directory[] = "/tmp/tilelab_history_XXXXXX";
  return std::string(mkdtemp(directory)) + "/history";
}

size_t size_of(const std::string& file) {
  struct stat info;
  return stat(file.c_str(), &info) == 0 ? size_t(info.st_size) : 0;
}

}  // namespace

TEST(history_is_made_shorter_only_at_the_end_and_in_one_step) {
  std::string file = fresh_history_file();
  std::string block(100000, 'x');
  History history(file);
  for (int i = 1; i <= 50; ++i) history.add(i, block + std::to_string(i));
  size_t full_size = size_of(file);
  EXPECT(full_size > size_t{5000000});  // nothing was cut while cells came
  // A session that was killed while it wrote left a half record and a half file.
  std::string half = "\x01 1 1 1\nhalf";
  FILE* at_end = std::fopen(file.c_str(), "a");
  std::fwrite(half.data(), 1, half.size(), at_end);
  std::fclose(at_end);
  FILE* left = std::fopen((file + ".new").c_str(), "w");
  std::fputs("rest", left);
  std::fclose(left);
  History other(file);
  other.add(1, "after the kill");
  history.compact();
  EXPECT(size_of(file) <= size_t{2} << 20);
  EXPECT_EQ(size_of(file + ".new"), size_t{0});
  other.add(2, "in the new file");  // the other session finds its current contents
  std::vector<HistoryEntry> entries = History(file).earlier();
  EXPECT(entries.size() > 20);
  EXPECT_EQ(entries[entries.size() - 3].input, "half");
  EXPECT_EQ(entries[entries.size() - 2].input, "after the kill");
  EXPECT_EQ(entries.back().input, "in the new file");
}

TEST(a_giant_cell_costs_the_history_nothing) {
  std::string file = fresh_history_file();
  History history(file);
  history.add(1, "small = 1");
  history.add(2, std::string(size_t{100} << 20, 'x'));
  history.add(3, "small = 2");
  EXPECT(size_of(file) < 1000);
  EXPECT_EQ(History(file).earlier().size(), size_t{2});
}

TEST(no_file_of_another_kind_is_a_history) {
  std::string fifo = fresh_history_file();
  mkfifo(fifo.c_str(), 0600);
  for (const std::string& file : {fifo, std::string("/dev/zero"), std::string("/tmp")}) {
    History history(file);
    history.add(1, "x = 1");  // neither hangs nor writes
    EXPECT(history.earlier().empty());
    EXPECT_EQ(history.own().size(), size_t{1});
    EXPECT(history.problem().find("not a regular file") != std::string::npos);
  }
  EXPECT_EQ(History(fresh_history_file()).problem(), "");
}
