// The directory in which processes of a user tell each other what they share: one file for each thing, which begins
// with a line that names its owner. It is there as long as it has files.
//
// Files of processes that have ended are taken away by whoever looks into the directory next, and by the devices of
// such a process, which live a moment longer.
#pragma once

#include <cstdint>
#include <string>

#include "forebay/base/unique_fd.h"
#include "forebay/status.h"

namespace forebay::base {

// A process, also when its number is given to another one later.
struct ProcessIdentity {
  int32_t id = 0;
  uint64_t start = 0;  // in ticks since the system started

  bool operator==(const ProcessIdentity&) const = default;
};
ProcessIdentity ThisProcess();
bool IsAlive(const ProcessIdentity& process);

struct ShareOwner {
  ProcessIdentity process;
  uint64_t space = 0;  // its process id namespace, in which processes have numbers of their own
};
ShareOwner ThisOwner();
// The first line of a file, with its end.
std::string PrintOwner(const ShareOwner& owner);
// False when the text begins with no such line; otherwise `length` is how long it is.
bool ParseOwner(const std::string& text, ShareOwner* owner, std::size_t* length);

// Enters a file with that text under the name, for this user only. An invalid descriptor: the name is taken.
Result<UniqueFd> MakeShareFile(const std::string& name, const std::string& text);
// Nobody else reads or writes it until the descriptor is closed. An invalid descriptor: there is no such file.
Result<UniqueFd> OpenShareFile(const std::string& name);
std::string ReadShareFile(const UniqueFd& file);
Status WriteShareFile(const UniqueFd& file, const std::string& text);
void RemoveShareFile(const std::string& name);
// Takes away what nobody needs any more, and the directory when it is empty.
void TidyShareDirectory();

}  // namespace forebay::base
