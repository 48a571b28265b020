// Runs a fuzz target where there is no libFuzzer: over the files of its corpus, then over random changes of them.
//
//   <target> <corpus directory> <changes>      the same number of changes tries the same inputs
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "fuzz/input.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s <corpus directory> <number of changes>\n", argv[0]);
    return 2;
  }
  const std::filesystem::path directory = argv[1];
  const int changes = std::atoi(argv[2]);
  LLVMFuzzerInitialize(&argc, &argv);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::vector<uint8_t>> corpus;
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    LLVMFuzzerTestOneInput(corpus.back().data(), corpus.back().size());
  }
  std::mt19937_64 random(20240607);
  for (int i = 0; i < changes && !corpus.empty(); ++i) {
    std::vector<uint8_t> input = corpus[random() % corpus.size()];
    const auto& other = corpus[random() % corpus.size()];
    for (uint64_t edits = 1 + random() % 4; edits > 0 && !input.empty(); --edits) {
      const std::size_t at = random() % input.size();
      switch (random() % 4) {
        case 0: input[at] = static_cast<uint8_t>(random()); break;
        case 1: input[at] ^= static_cast<uint8_t>(1U << random() % 8); break;
        case 2: input.erase(input.begin() + static_cast<std::ptrdiff_t>(at)); break;
        default:
          if (other.empty()) break;
          input.insert(input.begin() + static_cast<std::ptrdiff_t>(at), other[random() % other.size()]);
      }
    }
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%zu files and %d changes of them\n", corpus.size(), corpus.empty() ? 0 : changes);
  return corpus.empty() ? 1 : 0;
}
