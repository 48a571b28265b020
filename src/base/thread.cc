#include "forebay/base/thread.h"

#include <pthread.h>

#include <csignal>
#include <system_error>

#include "forebay/base/system_failure.h"

namespace forebay::base {

Thread::Thread(const std::string& name, std::function<void()> body) {
  sigset_t blocked;
  sigset_t previous;
  sigfillset(&blocked);
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT}) sigdelset(&blocked, signal);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) sigdelset(&blocked, signal);
  // A new thread inherits the mask of the one that makes it.
  pthread_sigmask(SIG_BLOCK, &blocked, &previous);
  try {
    thread_ = std::thread([short_name = name.substr(0, 15), run = std::move(body)] {
      pthread_setname_np(pthread_self(), short_name.c_str());
      run();
    });
  } catch (const std::system_error& failure) {
    status_ = SystemFailure(Code::kInternal, "the thread " + name + " cannot be started", failure.code().value());
  }
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
}

}  // namespace forebay::base
