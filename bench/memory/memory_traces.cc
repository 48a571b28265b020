// Writes every trace to a directory, as files that `forebay tune-memory` and the benchmarks read.
//
//   memory_traces DIRECTORY
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "traces.h"

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: memory_traces DIRECTORY\n");
    return 2;
  }
  const std::filesystem::path directory = arguments[1];
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  for (const forebay::bench::TraceSource& source : forebay::bench::TraceSources()) {
    const std::filesystem::path path = directory / (std::string(source.name) + ".trace");
    std::ofstream file(path, std::ios::binary);
    file << forebay::runtime::WriteTrace(source.make());
    file.close();
    if (file) continue;
    std::fprintf(stderr, "memory_traces: %s cannot be written\n", path.c_str());
    return 1;
  }
  return 0;
}
