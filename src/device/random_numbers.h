// Random numbers by counting: Philox 4x32 with 10 rounds.
//
// The generator is a bijection of 128-bit numbers, chosen by a 64-bit key. Block n of a sequence is the image of
// `counter + n` under the key `seed`, as four 32-bit words. Number k of a task takes the next word (two for 64-bit
// integers), so that it depends on seed, counter and k alone: the same task gives the same numbers, and a counter moved
// on by n blocks goes on behind the 4n words that they hold.
//
//   uniform           integers: lowest + (word * range >> 32); floats: as many bits of the word as the mantissa has
//   normal            mean + deviation * q((word + 1/2) / 2^32), where q is the quantile function of the normal
//                     distribution
//   truncated normal  the same, with the word mapped into the part of q within two deviations
//   dropout mask      bit k, lowest bit of a byte first, is 1 unless word k is below share * 2^32
#pragma once

#include <cstddef>
#include <cstdint>

#include "forebay/types/command.h"

namespace forebay::device {

// What a sequence begins with, lowest word first.
struct RandomCounter {
  uint64_t low;
  uint64_t high;
};

// A RandomCommand with all its parameters at hand.
struct RandomTask {
  DataType type;
  types::Distribution distribution;
  RandomCounter counter;
  uint64_t seed;
  uint64_t count;
  uint64_t first;  // in bits of `type`
  uint64_t second;
};

// Why the parameters cannot be used; null when they can.
const char* CheckRandomTask(const RandomTask& task) noexcept;
void FillRandom(const RandomTask& task, std::byte* destination) noexcept;

}  // namespace forebay::device
