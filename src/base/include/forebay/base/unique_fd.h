// File descriptors and mappings that close themselves.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <utility>

#include "forebay/status.h"

namespace forebay::base {

class UniqueFd {
 public:
  UniqueFd() noexcept = default;
  explicit UniqueFd(int fd) noexcept : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
      Close();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~UniqueFd() { Close(); }
  int get() const noexcept { return fd_; }
  bool valid() const noexcept { return fd_ >= 0; }
  void Close() noexcept {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

class Mapping {
 public:
  Mapping() noexcept = default;
  Mapping(void* address, std::size_t bytes) noexcept : address_(address), bytes_(bytes) {}
  Mapping(Mapping&& other) noexcept
      : address_(std::exchange(other.address_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    if (this != &other) {
      Unmap();
      address_ = std::exchange(other.address_, nullptr);
      bytes_ = std::exchange(other.bytes_, 0);
    }
    return *this;
  }
  ~Mapping() { Unmap(); }
  // Maps shared memory of a file; `fixed_address` non-null asks for exactly that place, replacing what is there.
  static Result<Mapping> OfFile(int fd, std::size_t offset, std::size_t bytes, int protection,
                                void* fixed_address = nullptr);
  // Reserves addresses without memory behind them; an access faults. `fixed_address` non-null: exactly there, and
  // failing if any of it is in use.
  static Result<Mapping> Reserve(std::size_t bytes, void* fixed_address = nullptr);

  std::byte* data() const noexcept { return static_cast<std::byte*>(address_); }
  std::size_t size() const noexcept { return bytes_; }
  bool valid() const noexcept { return address_ != nullptr; }
  void Unmap() noexcept {
    if (address_ != nullptr) munmap(address_, bytes_);
    address_ = nullptr;
  }

 private:
  void* address_ = nullptr;
  std::size_t bytes_ = 0;
};

// A memory file of `bytes` bytes, all zero and untouched; closed on exec.
Result<UniqueFd> CreateMemoryFile(const char* name, std::size_t bytes);

}  // namespace forebay::base
