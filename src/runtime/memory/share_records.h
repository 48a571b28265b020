// What one process tells others of memory that they may use: a file for each object, in a directory that belongs to the
// user.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "forebay/base/share_directory.h"
#include "forebay/base/unique_fd.h"
#include "forebay/sip/device.h"
#include "forebay/status.h"

namespace forebay::runtime {

struct ShareRecord {
  base::ShareOwner exporter;
  int32_t descriptor = -1;  // of the memory file, in that process
  int32_t device = 0;       // by its physical number
  uint64_t bytes = 0;
  uint64_t page_bytes = 0;
  uint32_t attribute = 0;
  bool checks_processes = true;
  bool closed = false;  // no longer to be imported
  std::vector<sip::Extent> extents;
  std::vector<int32_t> allowed;
  std::vector<base::ProcessIdentity> importers;  // one entry for each import

  // Forgets importers that have ended. Whether any is left.
  bool IsImported();
};

// Enters a record under a new name, which begins with `prefix` and has 16 hexadecimal digits then.
Result<std::string> PublishShare(const ShareRecord& record, std::string_view prefix);
// Reads a record and writes it again as `change` leaves it, unless that fails; nobody else does meanwhile.
// kParamInvalid when there is none of that name, or its process has ended.
Status ChangeShare(const std::string& name, const std::function<Status(ShareRecord&)>& change);
void RemoveShare(const std::string& name);
// For the process that imports: enters it as one that does, if it may, and opens the memory file. kNoPermission when it
// is not on the list, kParamInvalid when it is the exporter.
Result<base::UniqueFd> ImportShare(const std::string& name, ShareRecord* record);
// For the process that has imported: it ends one of its imports.
void EndImport(const std::string& name);
// For the exporter: allows processes. kParamInvalid when another process is the exporter.
Status AllowImport(const std::string& name, const std::vector<int32_t>& processes);

}  // namespace forebay::runtime
