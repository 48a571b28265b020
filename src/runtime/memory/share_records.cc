#include "memory/share_records.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "forebay/base/macros.h"

namespace forebay::runtime {
namespace {

constexpr std::string_view kFirstLine = "forebay-share 1";

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

bool IsAlive(const ProcessIdentity& process) { return process.start != 0 && StartOf(process.id) == process.start; }

std::string Print(const ShareRecord& record) {
  std::string text = fmt::format(
      "{}\nexporter {} {}\nspace {}\nfile {}\ndevice {}\nbytes {}\npage {}\nattribute {}\nchecks {}\nclosed {}\n",
      kFirstLine, record.exporter.id, record.exporter.start, record.space, record.descriptor, record.device,
      record.bytes, record.page_bytes, record.attribute, record.checks_processes ? 1 : 0, record.closed ? 1 : 0);
  for (const sip::Extent& extent : record.extents) text += fmt::format("extent {} {}\n", extent.offset, extent.bytes);
  for (const int32_t process : record.allowed) text += fmt::format("allow {}\n", process);
  for (const ProcessIdentity& process : record.importers)
    text += fmt::format("importer {} {}\n", process.id, process.start);
  return text;
}

bool Parse(const std::string& text, ShareRecord* record) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != kFirstLine) return false;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string what;
    words >> what;
    ProcessIdentity process;
    sip::Extent extent;
    if (what == "exporter") {
      words >> record->exporter.id >> record->exporter.start;
    } else if (what == "space") {
      words >> record->space;
    } else if (what == "file") {
      words >> record->descriptor;
    } else if (what == "device") {
      words >> record->device;
    } else if (what == "bytes") {
      words >> record->bytes;
    } else if (what == "page") {
      words >> record->page_bytes;
    } else if (what == "attribute") {
      words >> record->attribute;
    } else if (what == "checks") {
      words >> record->checks_processes;
    } else if (what == "closed") {
      words >> record->closed;
    } else if (what == "extent") {
      words >> extent.offset >> extent.bytes;
      record->extents.push_back(extent);
    } else if (what == "allow") {
      words >> process.id;
      record->allowed.push_back(process.id);
    } else if (what == "importer") {
      words >> process.id >> process.start;
      record->importers.push_back(process);
    } else {
      return false;
    }
    if (words.fail()) return false;
  }
  return record->exporter.id > 0 && !record->extents.empty();
}

Status Failure(std::string_view what, const std::string& path) {
  return Status(Code::kDriverInternal, fmt::format("{} {} failed: {}", what, path, std::strerror(errno)),
                "Memory is shared through a directory in $XDG_RUNTIME_DIR, or in /tmp, that only this user may use");
}

Status Unknown(const std::string& name) {
  return Status(Code::kParamInvalid, fmt::format("no memory is shared as \"{}\"", name),
                "Check the key; what a process has shared ends with it, and is for the same user only");
}

std::string ReadAll(int file) {
  std::string text;
  char buffer[4096];
  for (ssize_t count = 0; (count = pread(file, buffer, sizeof buffer, static_cast<off_t>(text.size()))) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  return text;
}

// A file of the directory, locked. Not valid when there is none, or it has just been removed.
base::UniqueFd OpenLocked(int directory, const char* name) {
  base::UniqueFd file(openat(directory, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  struct stat status{};
  if (file.valid() && (flock(file.get(), LOCK_EX) != 0 || fstat(file.get(), &status) != 0 || status.st_nlink == 0))
    file.Close();
  return file;
}

void RemoveRecordsOfTheDead(int directory) {
  DIR* entries = fdopendir(dup(directory));
  if (entries == nullptr) return;
  rewinddir(entries);
  while (const dirent* entry = readdir(entries)) {
    if (entry->d_name[0] == '.') continue;
    const base::UniqueFd file = OpenLocked(directory, entry->d_name);
    ShareRecord record;
    // A writer holds the lock from the first byte to the last, so that what cannot be read is a part that was left.
    if (!file.valid()) continue;
    const bool is_whole = Parse(ReadAll(file.get()), &record);
    // Whether a process of another container lives cannot be seen from here.
    if (is_whole && (record.space != ThisProcessSpace() || IsAlive(record.exporter))) continue;
    unlinkat(directory, entry->d_name, 0);
  }
  closedir(entries);
}

// The directory of the user, without records of processes that have ended.
Result<base::UniqueFd> OpenDirectory() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  const std::string path = runtime != nullptr && *runtime != 0 ? fmt::format("{}/forebay", runtime)
                                                               : fmt::format("/tmp/forebay-{}", geteuid());
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return Failure("making the directory", path);
  base::UniqueFd directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  struct stat status{};
  if (!directory.valid() || fstat(directory.get(), &status) != 0) return Failure("opening the directory", path);
  if (status.st_uid != geteuid() || (status.st_mode & 077) != 0) {
    return Status(Code::kDriverInternal,
                  fmt::format("the directory {} belongs to user {} and has the mode {:o}", path, status.st_uid,
                              status.st_mode & 07777),
                  "Remove it, or make it this user's own with the mode 700");
  }
  RemoveRecordsOfTheDead(directory.get());
  return directory;
}

Status Write(int file, const std::string& name, const std::string& text) {
  if (ftruncate(file, 0) != 0 || pwrite(file, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    return Failure("writing", name);
  return {};
}

bool IsName(const std::string& name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
  });
}

}  // namespace

ProcessIdentity ThisProcess() { return {getpid(), StartOf(getpid())}; }

uint64_t ThisProcessSpace() {
  struct stat status{};
  return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

bool ShareRecord::IsImported() {
  std::erase_if(importers, [](const ProcessIdentity& process) { return !IsAlive(process); });
  return !importers.empty();
}

Result<std::string> PublishShare(const ShareRecord& record, std::string_view prefix) {
  ASSIGN_OR_RETURN(const base::UniqueFd directory, OpenDirectory());
  for (;;) {
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != sizeof number) return Failure("choosing", std::string("a name"));
    const std::string name = fmt::format("{}{:016x}", prefix, number);
    const base::UniqueFd file(openat(directory.get(), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file.valid() && errno == EEXIST) continue;
    if (!file.valid()) return Failure("making", name);
    struct stat status{};
    // Before it was locked somebody may have taken it for a part that was left.
    if (flock(file.get(), LOCK_EX) != 0 || fstat(file.get(), &status) != 0) return Failure("locking", name);
    if (status.st_nlink == 0) continue;
    RETURN_IF_ERROR(Write(file.get(), name, Print(record)));
    return name;
  }
}

Status ChangeShare(const std::string& name, const std::function<Status(ShareRecord&)>& change) {
  if (!IsName(name)) return Unknown(name);
  ASSIGN_OR_RETURN(const base::UniqueFd directory, OpenDirectory());
  const base::UniqueFd file = OpenLocked(directory.get(), name.c_str());
  ShareRecord record;
  if (!file.valid() || !Parse(ReadAll(file.get()), &record)) return Unknown(name);
  RETURN_IF_ERROR(change(record));
  return Write(file.get(), name, Print(record));
}

void RemoveShare(const std::string& name) {
  const auto directory = OpenDirectory();
  if (directory.ok()) unlinkat(directory->get(), name.c_str(), 0);
}

Result<base::UniqueFd> ImportShare(const std::string& name, ShareRecord* found) {
  const ProcessIdentity self = ThisProcess();
  base::UniqueFd memory;
  RETURN_IF_ERROR(ChangeShare(name, [&](ShareRecord& record) -> Status {
    if (record.closed || record.space != ThisProcessSpace()) return Unknown(name);
    if (record.exporter == self) {
      return Status(Code::kParamInvalid, fmt::format("\"{}\" was shared by this process itself", name),
                    "Use the memory as it is; import it in another process");
    }
    if (record.checks_processes &&
        std::find(record.allowed.begin(), record.allowed.end(), self.id) == record.allowed.end()) {
      return Status(
          Code::kNoPermission,
          fmt::format("process {} is not among the {} that may import \"{}\"", self.id, record.allowed.size(), name),
          "Let the exporting process allow it first, by its aclrtDeviceGetBareTgid");
    }
    const std::string path = fmt::format("/proc/{}/fd/{}", record.exporter.id, record.descriptor);
    memory = base::UniqueFd(open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (!memory.valid()) return Failure("opening", path);
    struct stat status{};
    const bool whole = fstat(memory.get(), &status) == 0 &&
                       std::all_of(record.extents.begin(), record.extents.end(), [&](const sip::Extent& extent) {
                         return extent.offset <= static_cast<uint64_t>(status.st_size) &&
                                extent.bytes <= static_cast<uint64_t>(status.st_size) - extent.offset;
                       });
    // The number of the process may have been given to another one in between.
    if (!whole || !IsAlive(record.exporter)) return Unknown(name);
    record.importers.push_back(self);
    *found = record;
    return {};
  }));
  return memory;
}

void EndImport(const std::string& name) {
  ChangeShare(name, [](ShareRecord& record) -> Status {
    const auto entry = std::find(record.importers.begin(), record.importers.end(), ThisProcess());
    if (entry != record.importers.end()) record.importers.erase(entry);
    return {};
  }).IgnoreError();
}

Status AllowImport(const std::string& name, const std::vector<int32_t>& processes) {
  return ChangeShare(name, [&](ShareRecord& record) -> Status {
    if (record.exporter != ThisProcess()) return Unknown(name);
    record.allowed.insert(record.allowed.end(), processes.begin(), processes.end());
    return {};
  });
}

}  // namespace forebay::runtime
