#include "memory/share_records.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "forebay/base/macros.h"

namespace forebay::runtime {
namespace {

std::string Print(const ShareRecord& record) {
  std::string text = base::PrintOwner(record.exporter);
  text += fmt::format("file {}\ndevice {}\nbytes {}\npage {}\nattribute {}\nchecks {}\nclosed {}\n", record.descriptor,
                      record.device, record.bytes, record.page_bytes, record.attribute, record.checks_processes ? 1 : 0,
                      record.closed ? 1 : 0);
  for (const sip::Extent& extent : record.extents) text += fmt::format("extent {} {}\n", extent.offset, extent.bytes);
  for (const int32_t process : record.allowed) text += fmt::format("allow {}\n", process);
  for (const base::ProcessIdentity& process : record.importers)
    text += fmt::format("importer {} {}\n", process.id, process.start);
  return text;
}

bool Parse(const std::string& text, ShareRecord* record) {
  std::size_t first_line = 0;
  if (!base::ParseOwner(text, &record->exporter, &first_line)) return false;
  std::istringstream lines(text.substr(first_line));
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string what;
    words >> what;
    base::ProcessIdentity process;
    sip::Extent extent;
    if (what == "file") {
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
  return !record->extents.empty();
}

Status Failure(std::string_view what, const std::string& path) {
  return Status(Code::kDriverInternal, fmt::format("{} {} failed: {}", what, path, std::strerror(errno)),
                "Memory is shared through a directory in $XDG_RUNTIME_DIR, or in /tmp, that only this user may use");
}

Status Unknown(const std::string& name) {
  return Status(Code::kParamInvalid, fmt::format("no memory is shared as \"{}\"", name),
                "Check the key; what a process has shared ends with it, and is for the same user only");
}

bool IsName(const std::string& name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
  });
}

}  // namespace

bool ShareRecord::IsImported() {
  std::erase_if(importers, [](const base::ProcessIdentity& process) { return !base::IsAlive(process); });
  return !importers.empty();
}

Result<std::string> PublishShare(const ShareRecord& record, std::string_view prefix) {
  for (;;) {
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != sizeof number) return Failure("choosing", std::string("a name"));
    std::string name = fmt::format("{}{:016x}", prefix, number);
    ASSIGN_OR_RETURN(const base::UniqueFd file, base::MakeShareFile(name, Print(record)));
    if (file.valid()) return name;
  }
}

Status ChangeShare(const std::string& name, const std::function<Status(ShareRecord&)>& change) {
  if (!IsName(name)) return Unknown(name);
  ASSIGN_OR_RETURN(const base::UniqueFd file, base::OpenShareFile(name));
  ShareRecord record;
  if (!file.valid() || !Parse(base::ReadShareFile(file), &record)) return Unknown(name);
  RETURN_IF_ERROR(change(record));
  return base::WriteShareFile(file, Print(record));
}

void RemoveShare(const std::string& name) { base::RemoveShareFile(name); }

Result<base::UniqueFd> ImportShare(const std::string& name, ShareRecord* found) {
  const base::ShareOwner self = base::ThisOwner();
  base::UniqueFd memory;
  RETURN_IF_ERROR(ChangeShare(name, [&](ShareRecord& record) -> Status {
    if (record.closed || record.exporter.space != self.space) return Unknown(name);
    if (record.exporter.process == self.process) {
      return Status(Code::kParamInvalid, fmt::format("\"{}\" was shared by this process itself", name),
                    "Use the memory as it is; import it in another process");
    }
    if (record.checks_processes &&
        std::find(record.allowed.begin(), record.allowed.end(), self.process.id) == record.allowed.end()) {
      return Status(Code::kNoPermission,
                    fmt::format("process {} is not among the {} that may import \"{}\"", self.process.id,
                                record.allowed.size(), name),
                    "Let the exporting process allow it first, by its aclrtDeviceGetBareTgid");
    }
    const std::string path = fmt::format("/proc/{}/fd/{}", record.exporter.process.id, record.descriptor);
    memory = base::UniqueFd(open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (!memory.valid()) return Failure("opening", path);
    struct stat status{};
    const bool whole = fstat(memory.get(), &status) == 0 &&
                       std::all_of(record.extents.begin(), record.extents.end(), [&](const sip::Extent& extent) {
                         return extent.offset <= static_cast<uint64_t>(status.st_size) &&
                                extent.bytes <= static_cast<uint64_t>(status.st_size) - extent.offset;
                       });
    // The number of the process may have been given to another one in between.
    if (!whole || !base::IsAlive(record.exporter.process)) return Unknown(name);
    record.importers.push_back(self.process);
    *found = record;
    return {};
  }));
  return memory;
}

void EndImport(const std::string& name) {
  ChangeShare(name, [](ShareRecord& record) -> Status {
    const auto entry = std::find(record.importers.begin(), record.importers.end(), base::ThisProcess());
    if (entry != record.importers.end()) record.importers.erase(entry);
    return {};
  }).IgnoreError();
}

Status AllowImport(const std::string& name, const std::vector<int32_t>& processes) {
  return ChangeShare(name, [&](ShareRecord& record) -> Status {
    if (record.exporter.process != base::ThisProcess()) return Unknown(name);
    record.allowed.insert(record.allowed.end(), processes.begin(), processes.end());
    return {};
  });
}

}  // namespace forebay::runtime
