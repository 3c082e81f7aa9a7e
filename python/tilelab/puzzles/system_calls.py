# SPDX-License-Identifier: Apache-2.0
"""Forbids system calls to this process and its children by a filter of libseccomp (seccomp(2)), where that is installed."""

import ctypes
import errno
import functools
import os

_ALLOW, _ERROR, _NOT_EQUAL, _MASKED_EQUAL, _EQUAL = 0x7FFF0000, 0x00050000, 1, 7, 4
_GET_SECCOMP = 21  # of prctl(2); fails without seccomp
_OPTIMIZE = 8  # the attribute: 2 looks up a call by bisection

# Rights over other processes of the same user, and over files whatever Landlock says; parts of Linux that no notebook needs.
_FORBIDDEN = """
kill tkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_open pidfd_getfd pidfd_send_signal
ptrace process_vm_readv process_vm_writev process_madvise kcmp
setsid setpgid setpriority ioprio_set sched_setaffinity sched_setattr sched_setparam sched_setscheduler
chmod fchmod fchmodat fchmodat2 chown lchown fchown fchownat utime utimes utimensat futimesat truncate
setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr
socket bind listen connect shmget shmat shmctl msgget semget mq_open memfd_create
mount umount2 move_mount open_tree fsopen fsmount fspick mount_setattr pivot_root chroot unshare setns
open_by_handle_at name_to_handle_at mknod mknodat swapon swapoff quotactl acct
bpf perf_event_open userfaultfd keyctl add_key request_key io_uring_setup io_uring_enter io_uring_register
init_module finit_module delete_module kexec_load reboot sethostname setdomainname settimeofday clock_settime adjtimex clock_adjtime
inotify_init inotify_init1 fanotify_init syslog vhangup personality lookup_dcookie
""".split()
# Calls of Linux 5.11 and later, numbered alike everywhere, that are as harmless as those that they replace; what comes after them does
# not exist here. clone3 does not exist either: a filter cannot see its flags, and the library then uses clone.
_NEWER = range(435, 640)
_HARMLESS = {436, 437, 439, 441, 444, 445, 446, 449, 451, 453, 454, 455, 456, 457, 458, 459, 462}
_NAMESPACES = 0x7E020000  # CLONE_NEW*
# (call, argument, value): sends signals to another process when a descriptor is ready; writes into a terminal; lends a limit.
_FORBIDDEN_WORDS = [("fcntl", 1, 8), ("fcntl", 1, 10), ("fcntl", 1, 15), ("ioctl", 1, 0x8901), ("ioctl", 1, 0x8902), ("ioctl", 1, 0x5412),
                    ("ioctl", 1, 0x541C), ("ioctl", 1, 0x540E), ("ioctl", 1, 0x5410)]


class _Comparison(ctypes.Structure):
    _fields_ = [("argument", ctypes.c_uint), ("how", ctypes.c_int), ("first", ctypes.c_uint64), ("second", ctypes.c_uint64)]


@functools.lru_cache(maxsize=1)
def _library():
    try:
        library = ctypes.CDLL("libseccomp.so.2")
        library.seccomp_init.restype = ctypes.c_void_p
    except (OSError, AttributeError):
        return None
    return library if ctypes.CDLL(None).prctl(_GET_SECCOMP, 0, 0, 0, 0) >= 0 else None


def available():
    """Whether forbid() does anything here."""
    return _library() is not None


class _Filter:
    def __init__(self, library):
        self.library = library
        self.context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(_ALLOW)))

    def forbid(self, call, code=errno.EPERM, *comparisons):
        """`call`: a name or number; one that the library does not know is numbered above its range, and forbidden there."""
        number = call if isinstance(call, int) else self.library.seccomp_syscall_resolve_name(call.encode())
        if number < 0:
            return
        array = (_Comparison * max(1, len(comparisons)))(*comparisons)
        failed = self.library.seccomp_rule_add_array(
            self.context, ctypes.c_uint32(_ERROR | code), ctypes.c_int(number), ctypes.c_uint(len(comparisons)), array)
        if failed:
            raise OSError(-failed, f"seccomp: {call}: {os.strerror(-failed)}")

    def load(self):
        self.library.seccomp_attr_set(self.context, ctypes.c_int(_OPTIMIZE), ctypes.c_uint32(2))
        failed = self.library.seccomp_load(self.context)
        self.library.seccomp_release(self.context)
        if failed:
            raise OSError(-failed, f"seccomp: {os.strerror(-failed)}")


def forbid():
    """Loads the filter, for good. Calls fail with EPERM, unknown ones with ENOSYS. Raises OSError if the system refuses it."""
    if not available():
        return
    rules = _Filter(_library())
    for call in _FORBIDDEN:
        rules.forbid(call)
    for number in _NEWER:
        if number not in _HARMLESS:
            rules.forbid(number, errno.ENOSYS)
    own = os.getpid()
    rules.forbid("tgkill", errno.EPERM, _Comparison(0, _NOT_EQUAL, own, 0))  # abort() signals itself
    rules.forbid("prlimit64", errno.EPERM, _Comparison(0, _NOT_EQUAL, 0, 0))
    for bit in (1 << n for n in range(32) if _NAMESPACES >> n & 1):
        rules.forbid("clone", errno.EPERM, _Comparison(0, _MASKED_EQUAL, bit, bit))
    for bit in (0o400, 0o200, 0o100):  # a folder that its user cannot list or remove
        rules.forbid("umask", errno.EPERM, _Comparison(0, _MASKED_EQUAL, bit, bit))
        for call, argument in (("mkdir", 1), ("mkdirat", 2)):
            rules.forbid(call, errno.EPERM, _Comparison(argument, _MASKED_EQUAL, bit, 0))
    for call, argument, value in _FORBIDDEN_WORDS:
        rules.forbid(call, errno.EPERM, _Comparison(argument, _MASKED_EQUAL, 0xFFFFFFFF, value))
    rules.load()
