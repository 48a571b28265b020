# What ./demo, ./test and .ci/run share. Sourced by them, from the top folder of the repository.
# shellcheck shell=bash

# All processors unless told otherwise; CMake and CTest read these by themselves.
export CMAKE_BUILD_PARALLEL_LEVEL="${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}"
export CTEST_PARALLEL_LEVEL="${CTEST_PARALLEL_LEVEL:-2}"

# step TITLE COMMAND...: runs a command quietly and says how long it took; shows its output when it fails.
step() {
  local title=$1 start=$SECONDS log status=0
  shift
  log=$(mktemp)
  printf '== %s\n' "$title"
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if ((status != 0)); then
    tail -n 80 "$log" >&2
    printf '== %s failed with status %d: %s\n' "$title" "$status" "$*" >&2
    rm -f "$log"
    return "$status"
  fi
  rm -f "$log"
  if ((SECONDS - start > 1)); then printf '   %d s\n' $((SECONDS - start)); fi
}
