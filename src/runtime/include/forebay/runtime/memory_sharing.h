// Memory that several processes of one user use.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "forebay/status.h"

namespace forebay::runtime {

// ---- Physical memory ----

// A number, not 0, under which other processes can import the memory of a handle: those that are allowed, or all of the
// user. kParamInvalid when it was exported before, or comes from another process.
Result<uint64_t> ExportPhysical(uint64_t handle, bool checks_processes);
// Which processes may. kParamInvalid when this process has exported nothing under the number.
Status AllowPhysicalImport(uint64_t number, const std::vector<int32_t>& processes);
// A handle for memory that another process has exported, for a device of this one. kNoPermission when it may not.
Result<uint64_t> ImportPhysical(uint64_t number, int32_t device);

// ---- Allocated device memory ----

// A name of at most 64 characters for `bytes` bytes at `address`, which begins a page.
Result<std::string> ExportMemory(const void* address, uint64_t bytes, bool checks_processes);
Status AllowMemoryImport(const std::string& name, const std::vector<int32_t>& processes);
// Where the current device finds the memory, which is of another device only with `allows_peer`.
Result<void*> ImportMemory(const std::string& name, bool allows_peer);
// Ends an import, or else what this process has exported.
Status CloseMemory(const std::string& name);
// kParamInvalid when the name is none of this process.
Status CheckSharedMemory(const std::string& name);

}  // namespace forebay::runtime
