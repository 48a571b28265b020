#include "diagnosis/dump_signal.h"

#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <string_view>

#include "forebay/base/log.h"
#include "forebay/base/mutex.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/base/thread.h"
#include "forebay/runtime.h"

namespace forebay::runtime {
namespace {

struct Dumper {
  Dumper() { sem_init(&wanted, 0, 0); }
  sem_t wanted;
  base::Mutex mutex;
  int signal GUARDED_BY(mutex) = 0;
  pid_t process GUARDED_BY(mutex) = -1;  // whose thread it is
  base::Thread thread GUARDED_BY(mutex);
};

Dumper& Get() {
  static base::NeverDestroyed<Dumper> dumper;
  return *dumper;
}

// For the handler, which may not wait for the making of a static object.
std::atomic<sem_t*> to_post{nullptr};
struct sigaction before;

void Handle(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  if (sem_t* wanted = to_post.load(std::memory_order_acquire)) sem_post(wanted);
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(signal, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  }
  errno = saved;
}

void Write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void Run() {
  sem_t& wanted = Get().wanted;
  for (;;) {
    if (sem_wait(&wanted) != 0) continue;
    // Several signals in a row are one question.
    while (sem_trywait(&wanted) == 0) continue;
    try {
      const std::string text = DumpState();
      Write(text);
      // Of a program in the background nobody sees the one, and of a program without a log there is only the one.
      base::LogLines(base::LogModule::kRuntime, base::LogLevel::kEvent, text);
    } catch (...) {
      Write("forebay: there is no memory for the state\n");
    }
  }
}

void StartThread(Dumper& dumper) REQUIRES(dumper.mutex) {
  if (dumper.signal == 0 || dumper.process == getpid()) return;
  // The thread of the process that this one was forked off is not here.
  dumper.thread.Detach();
  dumper.thread = base::Thread("fb-dump", &Run);
  if (dumper.thread.status().ok()) dumper.process = getpid();
}

}  // namespace

void ConfigureDumpSignal(int signal) {
  Dumper& dumper = Get();
  base::MutexLock lock(dumper.mutex);
  if (dumper.signal == signal) return;
  if (dumper.signal != 0) {
    struct sigaction now;
    // Not when the program has put another handler in its place meanwhile.
    if (sigaction(dumper.signal, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == &Handle)
      sigaction(dumper.signal, &before, nullptr);
  }
  dumper.signal = signal;
  if (signal == 0) return;
  StartThread(dumper);
  to_post.store(&dumper.wanted, std::memory_order_release);
  sigaction(signal, nullptr, &before);
  struct sigaction action{};
  action.sa_sigaction = &Handle;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

void EnsureDumpThread() {
  base::MutexLock lock(Get().mutex);
  StartThread(Get());
}

}  // namespace forebay::runtime
