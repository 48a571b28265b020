#include "forebay/base/share_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "forebay/base/macros.h"

namespace forebay::base {
namespace {

// 0 when there is no such process, or it has ended.
uint64_t StartOf(int32_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string text;
  std::getline(file, text);
  // The name may hold anything, also parentheses.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream rest(text.substr(name_end + 1));
  std::string field;
  rest >> field;
  if (field == "Z" || field == "X") return 0;
  for (int i = 0; i < 19; ++i) rest >> field;
  return std::strtoull(field.c_str(), nullptr, 10);
}

std::string DirectoryPath() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  return runtime != nullptr && *runtime != 0 ? fmt::format("{}/forebay", runtime)
                                             : fmt::format("/tmp/forebay-{}", geteuid());
}

Status Failure(std::string_view what, const std::string& path) {
  return Status(Code::kDriverInternal, fmt::format("{} {} failed: {}", what, path, std::strerror(errno)),
                "Memory is shared through a directory in $XDG_RUNTIME_DIR, or in /tmp, that only this user may use");
}

// Not valid when there is none, or it has just been removed.
UniqueFd OpenLocked(int directory, const char* name) {
  UniqueFd file(openat(directory, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  struct stat status{};
  if (file.valid() && (flock(file.get(), LOCK_EX) != 0 || fstat(file.get(), &status) != 0 || status.st_nlink == 0))
    file.Close();
  return file;
}

void RemoveFilesOfTheDead(int directory) {
  DIR* entries = fdopendir(dup(directory));
  if (entries == nullptr) return;
  rewinddir(entries);
  while (const dirent* entry = readdir(entries)) {
    if (entry->d_name[0] == '.') continue;
    const UniqueFd file = OpenLocked(directory, entry->d_name);
    if (!file.valid()) continue;
    // A writer holds the lock from the first byte to the last, so that what has no owner is a part that was left.
    ShareOwner owner;
    std::size_t length = 0;
    const bool is_whole = ParseOwner(ReadShareFile(file), &owner, &length);
    // Whether a process of another container lives cannot be seen from here.
    if (is_whole && (owner.space != ThisOwner().space || IsAlive(owner.process))) continue;
    unlinkat(directory, entry->d_name, 0);
  }
  closedir(entries);
}

// Without files of processes that have ended. An invalid descriptor: there is no directory, and `makes` is false.
Result<UniqueFd> OpenDirectory(bool makes) {
  const std::string path = DirectoryPath();
  if (makes && mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return Failure("making the directory", path);
  UniqueFd directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!directory.valid() && errno == ENOENT) return directory;
  struct stat status{};
  if (!directory.valid() || fstat(directory.get(), &status) != 0) return Failure("opening the directory", path);
  if (status.st_uid != geteuid() || (status.st_mode & 077) != 0) {
    return Status(Code::kDriverInternal,
                  fmt::format("the directory {} belongs to user {} and has the mode {:o}", path, status.st_uid,
                              status.st_mode & 07777),
                  "Remove it, or make it this user's own with the mode 700");
  }
  RemoveFilesOfTheDead(directory.get());
  return directory;
}

// Fails while it has files, as it should.
void RemoveDirectoryIfEmpty() { rmdir(DirectoryPath().c_str()); }

}  // namespace

ProcessIdentity ThisProcess() { return {getpid(), StartOf(getpid())}; }

bool IsAlive(const ProcessIdentity& process) { return process.start != 0 && StartOf(process.id) == process.start; }

ShareOwner ThisOwner() {
  struct stat status{};
  return {ThisProcess(), stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0};
}

std::string PrintOwner(const ShareOwner& owner) {
  return fmt::format("forebay-share 2 {} {} {}\n", owner.space, owner.process.id, owner.process.start);
}

bool ParseOwner(const std::string& text, ShareOwner* owner, std::size_t* length) {
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return false;
  std::istringstream words(text.substr(0, end));
  std::string name;
  int version = 0;
  words >> name >> version >> owner->space >> owner->process.id >> owner->process.start;
  *length = end + 1;
  return !words.fail() && name == "forebay-share" && version == 2 && owner->process.id > 0;
}

Result<UniqueFd> MakeShareFile(const std::string& name, const std::string& text) {
  for (;;) {
    ASSIGN_OR_RETURN(const UniqueFd directory, OpenDirectory(/*makes=*/true));
    if (!directory.valid()) continue;
    UniqueFd file(openat(directory.get(), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file.valid() && errno == EEXIST) return file;
    if (!file.valid() && errno == ENOENT) continue;  // another process has removed the empty directory
    if (!file.valid()) return Failure("making", name);
    struct stat status{};
    // Before it was locked somebody may have taken it for a part that was left.
    if (flock(file.get(), LOCK_EX) != 0 || fstat(file.get(), &status) != 0) return Failure("locking", name);
    if (status.st_nlink == 0) continue;
    RETURN_IF_ERROR(WriteShareFile(file, text));
    return file;
  }
}

Result<UniqueFd> OpenShareFile(const std::string& name) {
  ASSIGN_OR_RETURN(UniqueFd directory, OpenDirectory(/*makes=*/false));
  if (!directory.valid()) return directory;
  UniqueFd file = OpenLocked(directory.get(), name.c_str());
  if (!file.valid()) RemoveDirectoryIfEmpty();
  return file;
}

std::string ReadShareFile(const UniqueFd& file) {
  std::string text;
  char buffer[4096];
  for (ssize_t count = 0; (count = pread(file.get(), buffer, sizeof buffer, static_cast<off_t>(text.size()))) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  return text;
}

Status WriteShareFile(const UniqueFd& file, const std::string& text) {
  if (ftruncate(file.get(), 0) != 0 ||
      pwrite(file.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    return Failure("writing", "a file of the directory");
  return {};
}

void RemoveShareFile(const std::string& name) {
  const auto directory = OpenDirectory(/*makes=*/false);
  if (!directory.ok() || !directory->valid()) return;
  unlinkat(directory->get(), name.c_str(), 0);
  RemoveDirectoryIfEmpty();
}

void TidyShareDirectory() {
  const auto directory = OpenDirectory(/*makes=*/false);
  if (directory.ok() && directory->valid()) RemoveDirectoryIfEmpty();
}

}  // namespace forebay::base
