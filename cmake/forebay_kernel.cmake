# forebay_add_kernel_binary(<target> SOURCES <file>... [OUTPUT <name>] [COMPILE_OPTIONS <option>...]
#                           [INCLUDE_DIRECTORIES <directory>...] [DEPENDS <target or file>...])
#
# Builds the kernels of the sources into one kernel binary, "<name>.o" in the current binary directory; <name> is
# <target> unless OUTPUT says otherwise. The binary is what aclrtBinaryLoadFromFile takes. Its path is the target's
# property FOREBAY_KERNEL_BINARY: $<TARGET_PROPERTY:<target>,FOREBAY_KERNEL_BINARY>.
#
# Kernels run in the device, not in the program: they are compiled with the project's C++ compiler but always optimised,
# without sanitizers and without the project's other flags, and linked with the C and mathematics libraries alone.
# COMPILE_OPTIONS come last, so they win. C++17 unless they name another standard.
#
# Needs CMake 3.20 and a C++ compiler. Works from the source tree and from an installed prefix.
cmake_policy(VERSION 3.20)

# Sets the variables that the function below works with. It may be called from another directory than the one that
# included this file, so it cannot rely on what was set here.
macro(forebay_kernel_settings)
  set(here "${CMAKE_CURRENT_FUNCTION_LIST_DIR}")
  set(FOREBAY_KERNEL_SCAN_SCRIPT "${here}/forebay_scan_kernels.cmake")
  set(FOREBAY_KERNEL_INCLUDE_DIR "")
  # Beside the source tree's cmake, or above <prefix>/share/cmake/forebay or <prefix>/lib/<machine>/cmake/forebay.
  foreach(parent ".." "../../.." "../../../..")
    if(NOT FOREBAY_KERNEL_INCLUDE_DIR AND EXISTS "${here}/${parent}/include/forebay/kernel_glue.h")
      get_filename_component(FOREBAY_KERNEL_INCLUDE_DIR "${here}/${parent}/include" ABSOLUTE)
    endif()
  endforeach()
  if(NOT FOREBAY_KERNEL_INCLUDE_DIR)
    message(FATAL_ERROR "forebay/kernel_glue.h is not found near ${here}; install Forebay as a whole")
  endif()

  # Calls that end the process or print, which the binary leads to the device (forebay/kernel_binding.h).
  set(FOREBAY_KERNEL_WRAPPED abort exit _exit _Exit quick_exit __assert_fail printf vprintf puts putchar)

  # Null is an address like any other here: an access has to fault as on the device instead of being optimised away.
  # Large stack frames are probed, so that a stack overflow hits the guard page. _FORTIFY_SOURCE would call checked
  # functions that end the process by themselves, and the C library's inline functions would write to its stdout.
  set(FOREBAY_KERNEL_COMPILE_OPTIONS
    -std=gnu++17 -O2 -g -fPIC -fvisibility=hidden -fvisibility-inlines-hidden -fno-exceptions -fno-rtti
    -fno-stack-protector -fno-plt -fno-threadsafe-statics -fno-math-errno -fno-delete-null-pointer-checks
    -fstack-clash-protection -U_FORTIFY_SOURCE -D__NO_INLINE__=1)
  # No start files: nothing runs when the binary is loaded.
  set(FOREBAY_KERNEL_LINK_OPTIONS
    -shared -nostartfiles -nodefaultlibs -Wl,-z,now -Wl,-z,defs -Wl,-z,text -Wl,-z,noexecstack -Wl,--as-needed)
endmacro()

function(forebay_add_kernel_binary target)
  cmake_parse_arguments(PARSE_ARGV 1 KERNEL "" "OUTPUT" "SOURCES;COMPILE_OPTIONS;INCLUDE_DIRECTORIES;DEPENDS")
  forebay_kernel_settings()
  if(NOT KERNEL_SOURCES)
    message(FATAL_ERROR "forebay_add_kernel_binary(${target}): SOURCES names no file")
  endif()
  if(KERNEL_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "forebay_add_kernel_binary(${target}): unknown arguments: ${KERNEL_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "^(GNU|Clang)$")
    message(FATAL_ERROR "forebay_add_kernel_binary(${target}): kernels need GCC or Clang; the C++ compiler is "
      "'${CMAKE_CXX_COMPILER_ID}'. Enable the language CXX first if it is empty")
  endif()
  if(NOT KERNEL_OUTPUT)
    set(KERNEL_OUTPUT "${target}")
  endif()
  if(NOT KERNEL_OUTPUT MATCHES "\\.o$")
    string(APPEND KERNEL_OUTPUT ".o")
  endif()
  get_filename_component(output "${KERNEL_OUTPUT}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  set(work_dir "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.kernels")
  file(MAKE_DIRECTORY "${work_dir}")

  set(compiler ${CMAKE_CXX_COMPILER_LAUNCHER} "${CMAKE_CXX_COMPILER}")
  set(options ${FOREBAY_KERNEL_COMPILE_OPTIONS})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND options -fno-gnu-unique)  # or two binaries would share their inline variables
  endif()
  if(CMAKE_SYSROOT)
    list(APPEND options "--sysroot=${CMAKE_SYSROOT}")
  endif()
  list(APPEND options -DFOREBAY_KERNEL_BUILD=1 "-I${FOREBAY_KERNEL_INCLUDE_DIR}")
  foreach(directory IN LISTS KERNEL_INCLUDE_DIRECTORIES)
    if(NOT directory MATCHES "\\$<")
      get_filename_component(directory "${directory}" ABSOLUTE)
      set(directory "-I${directory}")
    else()
      set(directory "$<$<BOOL:${directory}>:-I$<JOIN:${directory},$<SEMICOLON>-I>>")
    endif()
    list(APPEND options "${directory}")
  endforeach()
  list(APPEND options ${KERNEL_COMPILE_OPTIONS})

  set(objects "")
  set(lists "")
  set(sources "")
  set(binding ON)
  foreach(source IN LISTS KERNEL_SOURCES)
    get_filename_component(source "${source}" ABSOLUTE)
    list(APPEND sources "${source}")
    list(LENGTH sources number)
    get_filename_component(stem "${source}" NAME)
    set(base "${work_dir}/${number}_${stem}")

    add_custom_command(OUTPUT "${base}.wrapper.cpp" "${base}.list"
      COMMAND "${CMAKE_COMMAND}" -D "SOURCE=${source}" -D "WRAPPER=${base}.wrapper.cpp" -D "LIST=${base}.list"
        -D BINDING=${binding} -P "${FOREBAY_KERNEL_SCAN_SCRIPT}" --
        "${CMAKE_CXX_COMPILER}" ${options} -w -DFOREBAY_KERNEL_SCAN=1
        -E -MD -MF "${base}.scan.d" -MT "${base}.wrapper.cpp" -x c++ "${source}"
      DEPENDS "${source}" "${FOREBAY_KERNEL_SCAN_SCRIPT}" ${KERNEL_DEPENDS}
      DEPFILE "${base}.scan.d"
      COMMENT "Finding the kernels of ${stem}"
      COMMAND_EXPAND_LISTS VERBATIM)
    add_custom_command(OUTPUT "${base}.object"
      COMMAND ${compiler} ${options} -MD -MF "${base}.d" -MT "${base}.object"
        -c "${base}.wrapper.cpp" -o "${base}.object"
      DEPENDS "${base}.wrapper.cpp"
      DEPFILE "${base}.d"
      COMMENT "Compiling the kernels of ${stem}"
      COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND objects "${base}.object")
    list(APPEND lists "${base}.list")
    set(binding OFF)
  endforeach()

  list(TRANSFORM FOREBAY_KERNEL_WRAPPED PREPEND "-Wl,--wrap=" OUTPUT_VARIABLE wraps)
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" -D "CHECK=${output}" -P "${FOREBAY_KERNEL_SCAN_SCRIPT}" -- ${lists}
    COMMAND "${CMAKE_CXX_COMPILER}" ${FOREBAY_KERNEL_LINK_OPTIONS} ${wraps} -o "${output}" ${objects} -lm -lc -lgcc
    DEPENDS ${objects} ${lists} "${FOREBAY_KERNEL_SCAN_SCRIPT}"
    COMMENT "Linking the kernel binary ${KERNEL_OUTPUT}"
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${target} ALL DEPENDS "${output}" SOURCES ${sources})
  set_target_properties(${target} PROPERTIES FOREBAY_KERNEL_BINARY "${output}")
endfunction()
