// The history of a pool as text, one operation a line; what is recorded, replayed and tuned with.
//
//   a ID BYTES STREAM   allocates block ID
//   f ID STREAM         frees it in the order of the stream
//   e FROM TO           stream TO waits for an event recorded now on stream FROM
//   y STREAM            the host waits for the stream
//   i                   a step of the program ends
//   # ...               a comment
//
// Ids and streams are numbers from 0. An id may be used again once it is free. A free on stream `-` is one after which
// everybody may use the block.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/status.h"

namespace forebay::runtime {

enum class TraceOperation : char { kAllocate = 'a', kFree = 'f', kWait = 'e', kSynchronise = 'y', kStep = 'i' };

struct TraceEvent {
  TraceOperation operation = TraceOperation::kStep;
  uint32_t id = 0;      // allocate and free: the block; wait: the stream that is waited for
  uint32_t stream = 0;  // the stream that allocates, frees, waits or is synchronised with; kNoStream: the host
  uint64_t bytes = 0;   // allocate
  bool operator==(const TraceEvent&) const = default;
};

struct Trace {
  std::string name;
  std::string note;  // comments before the first operation, one a line
  std::vector<TraceEvent> events;
  uint32_t ids = 0;         // one above the largest
  uint32_t streams = 0;     // one above the largest
  uint64_t peak_bytes = 0;  // the most that are live at once, as requested

  bool operator==(const Trace&) const = default;
};

inline constexpr uint32_t kMostTraceIds = 1U << 28;
inline constexpr uint32_t kMostTraceStreams = 2048;

// kParseFile, with the name, the number of the line and what is wrong there. `name` is where the text is from.
Result<Trace> ParseTrace(std::string_view text, std::string name);
// kInvalidFile when it cannot be read. The name of the trace is that of the file without its directory and ".trace".
Result<Trace> ReadTrace(const std::string& path);
// What ParseTrace reads.
std::string WriteTrace(const Trace& trace);
// One line, with its end.
void AppendTraceEvent(const TraceEvent& event, std::string* text);

// Fills in ids, streams and peak_bytes from the events of a trace that was put together.
void CountTrace(Trace* trace);

}  // namespace forebay::runtime
