// Where tasks are submitted: the call stack of each submit, while the parameter submit_sites asks for it.
//
// A ring has one word for the submitter of each entry. It is the number of a thread, or, with the highest bit set, of a
// row of the table here, which has the thread and its stack. Equal ones share a row, and the table is bounded, so
// keeping sites costs no memory per task. Threads find out through the word that they keep (ThreadState::submitter): it
// is 0 while sites are kept, and so a submit costs nothing when they are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace forebay::runtime {

inline constexpr std::size_t kMostSites = 16384;

// How many frames are kept from the next submit on; 0: none.
void ConfigureSubmitSites(int64_t frames);
// The thread that submitted.
uint32_t SubmitterThread(uint32_t submitter);
// The stack of the submit, the call of the runtime first; empty when it was not kept.
std::vector<std::string> SubmitStack(uint32_t submitter);
// " (submitted at Load (model.cc:12))", or nothing.
std::string WithSubmitSite(uint32_t submitter);

}  // namespace forebay::runtime
