// The two macros that carry a failure upward, and the check for what can only be a programming error.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "forebay/status.h"

#define FOREBAY_CONCAT_INNER(a, b) a##b
#define FOREBAY_CONCAT(a, b) FOREBAY_CONCAT_INNER(a, b)

#define RETURN_IF_ERROR(expression)                                              \
  do {                                                                           \
    if (::forebay::Status status_ = (expression); !status_.ok()) return status_; \
  } while (false)

#define ASSIGN_OR_RETURN(declaration, expression) \
  ASSIGN_OR_RETURN_INNER(FOREBAY_CONCAT(result_, __LINE__), declaration, expression)
#define ASSIGN_OR_RETURN_INNER(result, declaration, expression) \
  auto result = (expression);                                   \
  if (!result.ok()) return result.status();                     \
  declaration = *std::move(result)

// Ends the process with the place and the condition. Never for anything a user can cause.
#define FOREBAY_CHECK(condition)                                                                  \
  do {                                                                                            \
    if (!(condition)) [[unlikely]] {                                                              \
      std::fprintf(stderr, "forebay: %s:%d: check failed: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                               \
    }                                                                                             \
  } while (false)

// What a shared library offers to others; everything else is hidden.
#define FOREBAY_EXPORT __attribute__((visibility("default")))
