// Addresses of code in words.
#pragma once

#include <string>

namespace forebay::runtime {

// The function that an address lies in, and the line where debug information tells it: "Load (model.cc:12)", else
// "Load (model.so+0x1234)", or "model.so+0x1234", which is what addr2line takes.
std::string DescribeCode(const void* address);

// What the loader knows of an address of code, without reading a file.
struct LoadedCode {
  std::string place;             // "model.so+0x1234", which is what addr2line takes; empty where nothing is loaded
  const char* symbol = nullptr;  // as the library exports it; null when it does not
};
LoadedCode FindLoadedCode(const void* address);

}  // namespace forebay::runtime
