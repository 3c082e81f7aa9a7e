// SPDX-License-Identifier: Apache-2.0
#include "jupyter/watcher.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace tilelab::jupyter {
namespace {

struct Process {
  pid_t pid, parent, group, session;
};

/// The processes of the system that have not ended.
std::vector<Process> all_processes() {
  std::vector<Process> found;
  std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir("/proc"), closedir);
  if (!directory) return found;
  while (const dirent* entry = readdir(directory.get())) {
    Process process{atoi(entry->d_name), 0, 0, 0};
    if (process.pid <= 0) continue;
    std::FILE* file = std::fopen(("/proc/" + std::string(entry->d_name) + "/stat").c_str(), "re");
    if (!file) continue;
    char text[512];
    text[std::fread(text, 1, sizeof text - 1, file)] = 0;
    std::fclose(file);
    const std::string stat = text;  // pid (name) state parent group session ...
    const size_t name_end = stat.rfind(')');
    char state = 'Z';
    if (name_end == std::string::npos ||
        std::sscanf(stat.c_str() + name_end + 1, " %c %d %d %d", &state, &process.parent,
                    &process.group, &process.session) != 4)
      continue;
    if (state != 'Z' && state != 'X') found.push_back(process);
  }
  return found;
}

std::vector<pid_t> started_processes() {
  const pid_t self = getpid(), session = getsid(0);
  std::unordered_map<pid_t, pid_t> parents;
  const std::vector<Process> all = all_processes();
  for (const Process& process : all) parents[process.pid] = process.parent;
  auto descends = [&](pid_t pid) {
    for (size_t steps = all.size(); pid > 1 && steps > 0; --steps) {
      const auto at = parents.find(pid);
      if (at == parents.end()) return false;
      if ((pid = at->second) == self) return true;
    }
    return false;
  };
  std::vector<pid_t> started;
  for (const Process& process : all)
    if (process.pid != self && process.session == session &&
        (session == self || descends(process.pid)))
      started.push_back(process.pid);
  return started;
}

}  // namespace

void end_started_processes() {
  constexpr int polls = 20;
  constexpr timespec pause{0, 10'000'000};
  for (int signal : {SIGTERM, SIGKILL}) {
    for (int poll = 0; poll < polls; ++poll) {
      const std::vector<pid_t> left = started_processes();
      if (left.empty()) return;
      // Those that fork meanwhile are found by the next poll.
      if (poll == 0 || signal == SIGKILL)
        for (pid_t pid : left)
          for (int sent : {signal, SIGCONT}) kill(pid, sent);
      nanosleep(&pause, nullptr);
    }
  }
}

void interrupt_started_processes() {
  const pid_t self = getpid();
  if (getpgrp() != self) return;
  for (const Process& process : all_processes())
    if (process.group == self && process.pid != self) kill(process.pid, SIGINT);
}

}  // namespace tilelab::jupyter
