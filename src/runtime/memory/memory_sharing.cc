#include "memory/memory_sharing.h"

#include <fmt/format.h>

#include <cstdlib>

#include "forebay/base/macros.h"
#include "forebay/base/never_destroyed.h"
#include "forebay/runtime/context.h"
#include "forebay/runtime/device_info.h"
#include "forebay/runtime/device_state.h"
#include "memory/share_records.h"

namespace forebay::runtime {
namespace {

constexpr std::string_view kPhysicalPrefix = "physical-";
constexpr std::string_view kMemoryPrefix = "forebay-memory-";

std::string NameOf(uint64_t number) { return fmt::format("{}{:016x}", kPhysicalPrefix, number); }

// Memory of this process that only others use.
struct Kept {
  std::shared_ptr<sip::Device> sip;
  std::vector<sip::Extent> extents;
  std::string name;
};
// Allocated memory that was exported here, or imported.
struct Exported {
  std::shared_ptr<sip::Device> sip;
  uint64_t address = 0;
};
struct Imported {
  std::shared_ptr<sip::Device> sip;
  int32_t device = 0;
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint64_t page_bytes = 0;
  uint32_t file = 0;
};

struct Sharing {
  base::Mutex mutex;  // the last one that is taken
  std::vector<Kept> kept GUARDED_BY(mutex);
  std::map<std::string, Exported> exported GUARDED_BY(mutex);
  std::atomic<std::size_t> exported_count{0};  // so that a free looks only when there is something
  std::map<std::string, Imported> imported GUARDED_BY(mutex);
  static Sharing& Get() {
    static base::NeverDestroyed<Sharing> sharing;
    return *sharing;
  }
};

bool OthersUse(const std::string& name) {
  bool used = false;
  ChangeShare(name, [&](ShareRecord& record) -> Status {
    record.closed = true;
    used = record.IsImported();
    return {};
  }).IgnoreError();
  return used;
}

void End(const std::string& name, const Imported& imported) {
  imported.sip->UnmapExtents(imported.address, imported.bytes);
  imported.sip->ReleaseAddresses(imported.address);
  imported.sip->CloseFile(imported.file);
  EndImport(name);
}

uint64_t WholePages(uint64_t bytes) noexcept { return (bytes + kNormalPage - 1) / kNormalPage * kNormalPage; }

Result<std::shared_ptr<sip::Device>> DeviceFor(int32_t id) {
  ASSIGN_OR_RETURN(const DeviceState* state, FindDevice(id));
  std::shared_ptr<sip::Device> sip = state->sip();
  if (!sip) return Status(Code::kParamInvalid, fmt::format("device {} is off", id), "Set that device first");
  return sip;
}

Status NotShared(const std::string& name) {
  return Status(Code::kParamInvalid, fmt::format("this process neither shares nor imports \"{}\"", name),
                "Pass a key of aclrtIpcMemGetExportKey, once, before its device is reset");
}

}  // namespace

Result<uint64_t> ExportPhysical(uint64_t handle, bool checks_processes) {
  VirtualMemory& memory = VirtualMemory::Get();
  base::MutexLock lock(memory.mutex);
  ASSIGN_OR_RETURN(Physical * physical, memory.Need(handle));
  if (physical->imported() || !physical->shared_as.empty()) {
    return Status(Code::kParamInvalid,
                  fmt::format("the physical memory {:#x} {}", handle,
                              physical->imported() ? "comes from another process" : "was exported before"),
                  "Memory is exported once, by the process that took it");
  }
  ShareRecord record;
  record.exporter = base::ThisOwner();
  record.descriptor = physical->sip->memory_file();
  ASSIGN_OR_RETURN(record.device, PhysicalId(physical->properties.device));
  record.bytes = physical->bytes;
  record.page_bytes = physical->properties.page_bytes;
  record.attribute = physical->properties.attribute;
  record.checks_processes = checks_processes;
  record.extents = physical->extents;
  ASSIGN_OR_RETURN(physical->shared_as, PublishShare(record, kPhysicalPrefix));
  return std::strtoull(physical->shared_as.c_str() + kPhysicalPrefix.size(), nullptr, 16);
}

Status AllowPhysicalImport(uint64_t number, const std::vector<int32_t>& processes) {
  return AllowImport(NameOf(number), processes);
}

Result<uint64_t> ImportPhysical(uint64_t number, int32_t device) {
  Physical physical;
  ASSIGN_OR_RETURN(physical.sip, DeviceFor(device));
  ShareRecord record;
  ASSIGN_OR_RETURN(physical.file, ImportShare(NameOf(number), &record));
  physical.bytes = record.bytes;
  physical.properties = {device, record.attribute, record.page_bytes};
  physical.extents = record.extents;
  physical.shared_as = NameOf(number);
  VirtualMemory& memory = VirtualMemory::Get();
  base::MutexLock lock(memory.mutex);
  return memory.Add(std::move(physical));
}

void EndSharingOf(Physical physical, bool device_ends) {
  if (physical.imported()) {
    physical.file.Close();
    EndImport(physical.shared_as);
    return;
  }
  const bool used = !physical.shared_as.empty() && OthersUse(physical.shared_as);
  if (used && !device_ends) {
    Sharing& sharing = Sharing::Get();
    base::MutexLock lock(sharing.mutex);
    sharing.kept.push_back({physical.sip, physical.extents, physical.shared_as});
    return;
  }
  if (!physical.shared_as.empty()) RemoveShare(physical.shared_as);
  physical.sip->GivePhysical(physical.extents, /*discards=*/!used);
}

void GiveBackWhatOthersLeft() {
  Sharing& sharing = Sharing::Get();
  base::MutexLock lock(sharing.mutex);
  std::erase_if(sharing.kept, [](const Kept& kept) {
    if (OthersUse(kept.name)) return false;
    RemoveShare(kept.name);
    kept.sip->GivePhysical(kept.extents);
    return true;
  });
}

Result<std::string> ExportMemory(const void* address, uint64_t bytes, bool checks_processes) {
  const auto at = reinterpret_cast<uint64_t>(address);
  const DeviceState* device = DeviceOfAddress(address);
  const std::shared_ptr<sip::Device> sip = device != nullptr ? device->sip() : nullptr;
  const auto allocation = FindAllocation(address);
  if (!sip || !allocation || allocation->host || bytes > allocation->bytes - (at - allocation->address)) {
    return Status(Code::kParamInvalid,
                  fmt::format("the {} bytes at {} do not lie in one allocation of device memory", bytes, address),
                  "Check the address and the size");
  }
  if (at % kNormalPage != 0) {
    return Status(Code::kParamInvalid, fmt::format("{} begins no page of {} bytes", address, kNormalPage),
                  "Allocate huge pages (ACL_MEM_MALLOC_HUGE_ONLY), or share from a page on");
  }
  ShareRecord record;
  record.extents = sip->ExtentsAt(at, WholePages(bytes));
  if (record.extents.empty()) {
    return Status(Code::kParamInvalid, fmt::format("the memory at {} comes from another process", address),
                  "Memory is shared by the process that allocated it");
  }
  record.exporter = base::ThisOwner();
  record.descriptor = sip->memory_file();
  ASSIGN_OR_RETURN(record.device, PhysicalId(device->id()));
  record.bytes = bytes;
  record.page_bytes = allocation->page_bytes;
  record.checks_processes = checks_processes;
  ASSIGN_OR_RETURN(std::string name, PublishShare(record, kMemoryPrefix));
  Sharing& sharing = Sharing::Get();
  base::MutexLock lock(sharing.mutex);
  sharing.exported.emplace(name, Exported{sip, allocation->address});
  sharing.exported_count.store(sharing.exported.size(), std::memory_order_release);
  return name;
}

Status AllowMemoryImport(const std::string& name, const std::vector<int32_t>& processes) {
  if (!name.starts_with(kMemoryPrefix)) return NotShared(name);
  return AllowImport(name, processes);
}

Result<void*> ImportMemory(const std::string& name, bool allows_peer) {
  ASSIGN_OR_RETURN(const Context* context, CurrentContext());
  Imported imported;
  imported.device = context->device().id();
  ASSIGN_OR_RETURN(imported.sip, DeviceFor(imported.device));
  if (!name.starts_with(kMemoryPrefix)) return NotShared(name);
  Sharing& sharing = Sharing::Get();
  base::MutexLock lock(sharing.mutex);
  if (sharing.imported.count(name) != 0) {
    return Status(Code::kParamInvalid, fmt::format("\"{}\" is imported already", name),
                  "Use the address of the first import, or close that one");
  }
  ShareRecord record;
  ASSIGN_OR_RETURN(const base::UniqueFd file, ImportShare(name, &record));
  Status status;
  ASSIGN_OR_RETURN(const int32_t own, PhysicalId(imported.device));
  if (own != record.device && !allows_peer) {
    status = Status(Code::kParamInvalid,
                    fmt::format("\"{}\" is memory of device {}, but device {} is current", name, record.device, own),
                    "Make that device current, or pass ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS");
  }
  imported.bytes = WholePages(record.bytes);
  imported.page_bytes = record.page_bytes;
  if (status.ok()) {
    const auto opened = imported.sip->OpenFile(file.get());
    status = opened.status();
    if (opened.ok()) imported.file = *opened;
  }
  if (status.ok()) {
    const auto addresses = imported.sip->ReserveAddresses(imported.bytes);
    status = addresses.status();
    if (addresses.ok()) imported.address = *addresses;
  }
  if (status.ok()) status = imported.sip->MapExtents(imported.address, record.extents, imported.file);
  if (!status.ok()) {
    if (imported.address != 0) imported.sip->ReleaseAddresses(imported.address);
    if (imported.file != 0) imported.sip->CloseFile(imported.file);
    EndImport(name);
    return status;
  }
  void* address = reinterpret_cast<void*>(imported.address);
  imported.bytes = WholePages(record.bytes);
  sharing.imported.emplace(name, std::move(imported));
  return address;
}

Status CheckSharedMemory(const std::string& name) {
  Sharing& sharing = Sharing::Get();
  base::MutexLock lock(sharing.mutex);
  if (sharing.imported.count(name) != 0 || sharing.exported.count(name) != 0) return {};
  return NotShared(name);
}

Status CloseMemory(const std::string& name) {
  Sharing& sharing = Sharing::Get();
  base::MutexLock lock(sharing.mutex);
  if (const auto imported = sharing.imported.find(name); imported != sharing.imported.end()) {
    End(name, imported->second);
    sharing.imported.erase(imported);
    return {};
  }
  if (sharing.exported.erase(name) == 0) return NotShared(name);
  sharing.exported_count.store(sharing.exported.size(), std::memory_order_release);
  RemoveShare(name);
  return {};
}

void EndSharingOfDevice(const std::shared_ptr<sip::Device>& sip) {
  Sharing& sharing = Sharing::Get();
  base::MutexLock lock(sharing.mutex);
  std::erase_if(sharing.exported, [&](const auto& entry) {
    if (entry.second.sip != sip) return false;
    RemoveShare(entry.first);
    return true;
  });
  sharing.exported_count.store(sharing.exported.size(), std::memory_order_release);
  std::erase_if(sharing.imported, [&](const auto& entry) {
    if (entry.second.sip != sip) return false;
    End(entry.first, entry.second);
    return true;
  });
  std::erase_if(sharing.kept, [&](const Kept& kept) {
    if (kept.sip != sip) return false;
    const bool used = OthersUse(kept.name);
    RemoveShare(kept.name);
    kept.sip->GivePhysical(kept.extents, /*discards=*/!used);
    return true;
  });
}

std::string KeyOfExported(uint64_t address) {
  Sharing& sharing = Sharing::Get();
  if (sharing.exported_count.load(std::memory_order_acquire) == 0) return {};
  base::MutexLock lock(sharing.mutex);
  for (const auto& [name, exported] : sharing.exported) {
    if (exported.address == address) return name;
  }
  return {};
}

std::optional<Allocation> FindImported(uint64_t address) {
  Sharing& sharing = Sharing::Get();
  base::MutexLock lock(sharing.mutex);
  for (const auto& [name, imported] : sharing.imported) {
    if (address < imported.address || address - imported.address >= imported.bytes) continue;
    Allocation found;
    found.address = imported.address;
    found.bytes = imported.bytes;
    found.reserved = imported.bytes;
    found.page_bytes = imported.page_bytes;
    found.device = imported.device;
    found.mapped = true;
    return found;
  }
  return std::nullopt;
}

}  // namespace forebay::runtime
