// Where findings of the checking mode go besides standard error: to whoever shows messages to the program.
#pragma once

#include <string>

namespace forebay::runtime {

// Called on the thread that finds something wrong while a call that is right itself goes on. Null: nobody.
using MemoryReportSink = void (*)(const std::string& text);
void SetMemoryReportSink(MemoryReportSink sink) noexcept;

}  // namespace forebay::runtime
