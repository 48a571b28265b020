# forebay_add_test(<name> SOURCES <file>... [LIBRARIES <target>...] [LABELS <label>...] [KERNELS <target>...]
#                  [TIMEOUT <seconds>] [SERIAL])
#
# One executable of GoogleTest tests, and one test of that name in CTest.
#   LIBRARIES  what it links beside GoogleTest and GoogleMock
#   LABELS     "isolated": needs the device in a process of its own; "watchdog", "nosan": not under ThreadSanitizer
#   KERNELS    targets of forebay_add_kernel_binary; each is built with the test, which finds the path of the binary in
#              the environment as TEST_KERNEL_<target>
#   TIMEOUT    120 unless given; sanitizers get three times as long
#   SERIAL     runs alone
# The test finds the firmware in FOREBAY_FIRMWARE, and fresh memory is poisoned (FOREBAY_POISON). FOREBAY_DEVICE_MODE
# comes from whoever runs CTest: "process" or "inline". Does nothing in a build without tests.

if(BUILD_TESTING)
  find_package(GTest REQUIRED)
endif()

# Every test shares one precompiled header. It belongs to an executable, because a library is compiled with other flags.
function(forebay_add_precompiled_test_header)
  set(source ${PROJECT_BINARY_DIR}/tests/precompiled.cc)
  file(GENERATE OUTPUT ${source} CONTENT "// Exists so that there is something to compile.\n")
  add_executable(forebay_test_precompiled ${source})
  target_link_libraries(forebay_test_precompiled PRIVATE forebay_warnings GTest::gmock GTest::gtest GTest::gtest_main)
  target_compile_options(forebay_test_precompiled PRIVATE ${FOREBAY_PRECOMPILED_OPTIONS})
  target_precompile_headers(forebay_test_precompiled PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
endfunction()

# ccache needs it, to see through a precompiled header.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(FOREBAY_PRECOMPILED_OPTIONS -fpch-preprocess)
endif()

function(forebay_add_test name)
  if(NOT BUILD_TESTING)
    return()
  endif()
  cmake_parse_arguments(TEST "SERIAL" "TIMEOUT" "SOURCES;LIBRARIES;LABELS;KERNELS" ${ARGN})
  if(NOT TEST_SOURCES OR TEST_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "forebay_add_test(${name}): needs SOURCES, and does not know: ${TEST_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TARGET forebay_test_precompiled)
    forebay_add_precompiled_test_header()
  endif()

  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE
    ${TEST_LIBRARIES} forebay_warnings GTest::gmock GTest::gtest GTest::gtest_main)
  # A test beside its source sees the private headers there.
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_options(${name} PRIVATE ${FOREBAY_PRECOMPILED_OPTIONS})
  target_precompile_headers(${name} REUSE_FROM forebay_test_precompiled)

  set(environment FOREBAY_POISON=1)
  if(TARGET forebay-npu)
    list(APPEND environment FOREBAY_FIRMWARE=$<TARGET_FILE:forebay-npu>)
    add_dependencies(${name} forebay-npu)
  endif()
  foreach(kernel ${TEST_KERNELS})
    list(APPEND environment TEST_KERNEL_${kernel}=$<TARGET_PROPERTY:${kernel},FOREBAY_KERNEL_BINARY>)
    add_dependencies(${name} ${kernel})
  endforeach()
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 120)
  endif()
  if(FOREBAY_SANITIZE)
    math(EXPR TEST_TIMEOUT "3 * ${TEST_TIMEOUT}")
  endif()

  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES
    ENVIRONMENT "${environment}"
    LABELS "${TEST_LABELS}"
    TIMEOUT ${TEST_TIMEOUT}
    RUN_SERIAL ${TEST_SERIAL})
endfunction()

# forebay_add_checked_test(<name> <filter>): the test of that name once more under FOREBAY_MEMCHECK, as <name>_checked. It
# may not find that memory around a block was written; other faults are what some tests try. The filter leaves out what
# counts free memory to the byte, or leaves its block on purpose.
function(forebay_add_checked_test name filter)
  if(NOT BUILD_TESTING)
    return()
  endif()
  add_test(NAME ${name}_checked COMMAND ${name} --gtest_filter=${filter})
  foreach(property ENVIRONMENT LABELS TIMEOUT)
    get_test_property(${name} ${property} value)
    set_property(TEST ${name}_checked PROPERTY ${property} "${value}")
  endforeach()
  set_property(TEST ${name}_checked APPEND PROPERTY ENVIRONMENT FOREBAY_MEMCHECK=1 FOREBAY_MEMCHECK_SAMPLE=2)
  set_tests_properties(${name}_checked PROPERTIES FAIL_REGULAR_EXPRESSION "out of bounds: [0-9]+ bytes were written")
endfunction()
