#include <unistd.h>

#include <atomic>
#include <csignal>
#include <iostream>

#include "pallasite/cli/cli.h"

namespace {

std::atomic<bool> interrupted{false};

// The first Ctrl-C ends the run with a report; a second one ends the program.
void on_interrupt(int signal_number) {
  interrupted = true;
  std::signal(signal_number, SIG_DFL);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGINT, on_interrupt);
  const std::vector<std::string> args(argv + 1, argv + argc);
  const bool is_terminal = isatty(STDERR_FILENO) != 0;
  return pallasite::run_cli(args, {.out = std::cout,
                                   .err = std::cerr,
                                   .poll_interrupt = [] { return interrupted.load(); },
                                   .color = is_terminal,
                                   .terminal = is_terminal ? &std::cerr : nullptr});
}
