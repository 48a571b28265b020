#include "forebay/runtime/pending_tasks.h"

#include <algorithm>

#include "forebay/sip/device.h"

namespace forebay::runtime {

void PendingTasks::Add(uint32_t slot, uint64_t end_entry) {
  const auto task = std::find_if(tasks_.begin(), tasks_.end(), [&](const Task& known) { return known.slot == slot; });
  if (task == tasks_.end()) {
    tasks_.push_back({slot, end_entry});
  } else {
    task->end_entry = std::max(task->end_entry, end_entry);
  }
}

bool PendingTasks::AllDone(const sip::Device& device) noexcept {
  // A slot is given to another stream only after its queue has drained, so its counter answers for the old one too.
  std::erase_if(tasks_, [&](const Task& task) { return device.DoneEntry(task.slot) >= task.end_entry; });
  return tasks_.empty();
}

}  // namespace forebay::runtime
