# Builds the user's project of this directory against a prefix, and checks what the build says to sources that are wrong:
# each of those begins with "// expect: <part of the message>". Run with cmake -P.
cmake_policy(VERSION 3.20)

file(REMOVE_RECURSE "${WORK_DIR}")
file(COPY "${ROOT}/include/forebay" DESTINATION "${WORK_DIR}/a prefix/include")
file(COPY "${ROOT}/cmake/forebay_kernel.cmake" "${ROOT}/cmake/forebay_scan_kernels.cmake"
  DESTINATION "${WORK_DIR}/a prefix/share/cmake/forebay")
file(COPY "${CMAKE_CURRENT_LIST_DIR}/" DESTINATION "${WORK_DIR}/a project")
file(WRITE "${WORK_DIR}/build/generated/generated.h" "#define GENERATED 1\n")
execute_process(COMMAND ${CMAKE_COMMAND} -S "${WORK_DIR}/a project" -B "${WORK_DIR}/build" -G ${GENERATOR}
    "-DINSTALLED=${WORK_DIR}/a prefix" "-DCMAKE_CXX_COMPILER=${COMPILER}"
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

function(build target result_variable output_variable)
  execute_process(COMMAND ${CMAKE_COMMAND} --build "${WORK_DIR}/build" --target ${target}
    OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
  set(${result_variable} "${result}" PARENT_SCOPE)
  set(${output_variable} "${output}" PARENT_SCOPE)
endfunction()

build(good result output)
if(NOT result EQUAL 0 OR NOT EXISTS "${WORK_DIR}/build/out_good.o")
  message(FATAL_ERROR "good.cpp does not build:\n${output}")
endif()
file(STRINGS "${WORK_DIR}/build/out_good.o" leaks REGEX "__asan|__cyg_profile")
if(NOT "${leaks}" STREQUAL "")
  message(FATAL_ERROR "the project's flags reached the kernel: ${leaks}")
endif()
build(good result output)
if(output MATCHES "Compiling")
  message(FATAL_ERROR "good.cpp is built again though nothing changed:\n${output}")
endif()
# A kernel that appears in a header, behind a macro.
file(WRITE "${WORK_DIR}/build/generated/generated.h" "#define GENERATED 1\n#define WITH_LATER\n")
build(good result output)
file(STRINGS "${WORK_DIR}/build/out_good.o" later REGEX "forebay_entry_later")
if("${later}" STREQUAL "")
  message(FATAL_ERROR "a changed header does not lead to a new binary:\n${output}")
endif()

file(GLOB sources "${CMAKE_CURRENT_LIST_DIR}/bad_*.cpp")
foreach(source IN LISTS sources)
  file(STRINGS "${source}" first LIMIT_COUNT 1)
  string(REGEX REPLACE "^// expect: " "" expected "${first}")
  get_filename_component(name "${source}" NAME_WE)
  build(${name} result output)
  string(FIND "${output}" "${expected}" at)
  if(result EQUAL 0 OR at LESS 0)
    message(FATAL_ERROR "building ${name} should fail with '${expected}' but gave:\n${output}")
  endif()
endforeach()
