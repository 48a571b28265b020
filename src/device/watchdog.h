// Looks after the cores: moves the dispatcher's role away from a task that runs long, and stops kernels that run out of
// time. It also notes for the host what the cores run. Called once a tick by the control thread; a tick is about a
// millisecond while the device works.
#pragma once

#include <vector>

#include "core_team.h"

namespace forebay::device {

class Watchdog {
 public:
  // A kernel that has run as long as this since it was first told to stop, or has not ended in the longer time, takes
  // the device down. On a busy machine it may take a while until it runs at all, or until the watchdog does.
  static constexpr int64_t kPatienceNanoseconds = 100'000'000;
  static constexpr int64_t kLongestPatienceNanoseconds = 5'000'000'000;
  // What comes between two ticks beyond this is time in which nobody ran.
  static constexpr int64_t kLongestTickNanoseconds = 10'000'000;

  Watchdog(CoreTeam* team, types::CoreState* cores) : team_(team), cores_(cores) {}

  // True while there is anything to look after.
  bool Tick(int64_t now_ns);
  // Stops the kernel that runs for this stream, if one does; or all that run.
  void StopStream(uint32_t stream);
  void StopAll();
  // A kernel did not react to being stopped.
  bool gave_up() const noexcept { return gave_up_; }

 private:
  struct Seen {
    uint64_t jobs_begun = 0;
    int64_t since_ns = 0;  // when it began, moved on by the time that did not count
    // The processor time of its core when it was first told to stop because of its limit, and how long ago that was.
    int64_t told_at_processor_ns = -1;
    int64_t told_for_ns = 0;
  };

  // Notes that a kernel is told to stop, and has been for that much longer. True when patience is over.
  static bool IsDeaf(const Core& core, int64_t passed_ns, Seen* seen) noexcept;
  template <typename Accepts>
  void Stop(const Accepts& accepts);

  CoreTeam* const team_;
  types::CoreState* const cores_;
  CoreTeam::RoleState last_{};
  std::vector<Seen> seen_;
  int64_t last_tick_ns_ = 0;
  bool gave_up_ = false;
};

}  // namespace forebay::device
