// What the programs of lifecycle_program have in common.
#pragma once

extern bool failed;
// Says what does not hold, and that the program has failed.
void Check(bool holds, const char* what, int line);
#define CHECK(condition) Check(condition, #condition, __LINE__)

// Initialises, and sets device 0.
void Start();

// That call exit where it is least expected, and after it.
void CallsAfterTheEnd();
void CallsAfterMainWithoutFinalize();
void ExitInASignalHandler();

// With too little of something that a device needs.
void LimitsAreNamed();
void ThreadsRunOut();
void SmallestMemory();
