// What every kernel binary carries once: the pointer to the device's services, and the C library's ways to print and to
// end, led to the device. The generated wrapper of the binary's first source includes it. C++17.
//
// The linker's --wrap turns a reference to abort into one to __wrap_abort, and so on, wherever it comes from.
#ifndef FOREBAY_KERNEL_BINDING_H_
#define FOREBAY_KERNEL_BINDING_H_

#include <cstdarg>
#include <cstddef>
#include <cstdint>

#include "forebay/kernel.h"

namespace forebay::kernel {

const kernel_abi::DeviceServices* services = nullptr;

[[noreturn]] inline void Fail(kernel_abi::FailureCause cause, const char* detail) {
  services->fail(cause, detail);
  __builtin_trap();
}

// Puts words together without the C library's formatting, which takes locks. Text that does not fit is cut off.
class Detail {
 public:
  Detail& operator<<(const char* text) {
    if (text == nullptr) text = "?";
    while (*text != 0 && length_ + 1 < sizeof(text_)) text_[length_++] = *text++;
    text_[length_] = 0;
    return *this;
  }
  Detail& operator<<(int64_t number) {
    char digits[24];
    std::size_t at = sizeof(digits) - 1;
    digits[at] = 0;
    uint64_t rest = number < 0 ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
    do {
      digits[--at] = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
    if (number < 0) digits[--at] = '-';
    return *this << digits + at;
  }
  const char* text() const { return text_; }

 private:
  std::size_t length_ = 0;
  char text_[512] = {};
};

[[noreturn]] inline void FailExit(const char* function, int status) {
  Detail detail;
  detail << function << "(" << int64_t{status} << ")";
  Fail(kernel_abi::FailureCause::kExit, detail.text());
}

__attribute__((format(printf, 1, 2))) inline int Print(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int bytes = services->print(format, arguments);
  va_end(arguments);
  return bytes;
}

}  // namespace forebay::kernel

int AscendC::PRINTF(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int bytes = forebay::kernel::services->print(format, arguments);
  va_end(arguments);
  return bytes;
}

extern "C" {

__attribute__((visibility("default"))) void forebay_kernel_bind(const forebay::kernel_abi::DeviceServices* services) {
  forebay::kernel::services = services;
}

// The linker finds the functions below by name alone.
[[noreturn]] void __wrap_abort() { forebay::kernel::Fail(forebay::kernel_abi::FailureCause::kAbort, "abort()"); }
[[noreturn]] void __wrap_exit(int status) { forebay::kernel::FailExit("exit", status); }
[[noreturn]] void __wrap__exit(int status) { forebay::kernel::FailExit("_exit", status); }
[[noreturn]] void __wrap__Exit(int status) { forebay::kernel::FailExit("_Exit", status); }
[[noreturn]] void __wrap_quick_exit(int status) { forebay::kernel::FailExit("quick_exit", status); }
[[noreturn]] void __wrap___assert_fail(const char* condition, const char* file, unsigned line, const char* function) {
  forebay::kernel::Detail detail;
  detail << file << ":" << int64_t{line} << ": " << function << ": assertion '" << condition << "' failed";
  forebay::kernel::Fail(forebay::kernel_abi::FailureCause::kAssertion, detail.text());
}
// What a call of an abstract function ends in.
[[noreturn]] void __cxa_pure_virtual() {
  forebay::kernel::Fail(forebay::kernel_abi::FailureCause::kAbort, "pure virtual function called");
}

int __wrap_printf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int bytes = forebay::kernel::services->print(format, arguments);
  va_end(arguments);
  return bytes;
}
int __wrap_vprintf(const char* format, va_list arguments) {
  return forebay::kernel::services->print(format, arguments);
}
// Compilers turn simple calls of printf into these two.
int __wrap_puts(const char* text) { return forebay::kernel::Print("%s\n", text); }
int __wrap_putchar(int character) {
  forebay::kernel::Print("%c", character);
  return static_cast<unsigned char>(character);
}

}  // extern "C"

#endif  // FOREBAY_KERNEL_BINDING_H_
