// A shared object that is not a kernel binary.
extern "C" int answer() { return 42; }
