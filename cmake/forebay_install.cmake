# What is installed, laid out as AscendCL programs expect it. ARCH is "x86_64-linux" or "aarch64-linux".
#
#   ARCH/include/{acl,forebay}        headers
#   ARCH/lib64/libascendcl.so         every function; names that programs load for them are links to it
#   ARCH/lib64/forebay/forebay-npu    the firmware image, which the library finds beside itself
#   ARCH/devlib                       the same names, for those who link there
#   include, lib64, devlib            links to these
#   {runtime,compiler,acllib}         links to ARCH, for builds that know older layouts; lib64/stub is one to devlib
#   share/cmake/forebay               package files for find_package(Forebay), and the functions for kernels
#   bin                               command line tools, and setenv.bash
#   set_env.sh                        sets the environment
#   opp                               empty: where programs expect operator packages
#
# The build tree has a lib64 too, so that programs which run there find the firmware. A target that does not exist is left
# out. Include this after all targets.

set(FOREBAY_ARCHITECTURE ${CMAKE_SYSTEM_PROCESSOR}-linux)
# A process has one state, so each of these has to be the library itself.
set(FOREBAY_LIBRARY_NAMES forebay acl_rt runtime acl_tdt_channel acl_tdt_queue msprofiler ascend_dump)
# What programs link beside it, and take nothing from as long as they call no operators: libraries without contents.
set(FOREBAY_EMPTY_LIBRARY_NAMES acl_op_compiler acl_cblas acl_dvpp ascendalog ascend_hal error_manager ge_executor
  graph_base nnopbase opapi platform register)
# Debian's CMake does not look for packages under lib64.
set(FOREBAY_PACKAGE_DIRECTORY share/cmake/forebay)

foreach(directory acl forebay)
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/include/${directory})
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/${directory} DESTINATION ${FOREBAY_ARCHITECTURE}/include
      FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.def")
  endif()
endforeach()

if(TARGET ascendcl)
  set_target_properties(ascendcl PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib64)
  install(TARGETS ascendcl EXPORT forebay
    LIBRARY DESTINATION ${FOREBAY_ARCHITECTURE}/lib64
    INCLUDES DESTINATION ${FOREBAY_ARCHITECTURE}/include)

  set(source ${PROJECT_BINARY_DIR}/empty_library.c)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Without contents.\ntypedef int forebay_nothing;\n")
  foreach(name ${FOREBAY_EMPTY_LIBRARY_NAMES})
    add_library(forebay_empty_${name} SHARED ${source})
    set_target_properties(forebay_empty_${name} PROPERTIES
      OUTPUT_NAME ${name}
      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/empty_libraries)
    target_link_options(forebay_empty_${name} PRIVATE -nostdlib)
    install(TARGETS forebay_empty_${name} LIBRARY DESTINATION ${FOREBAY_ARCHITECTURE}/lib64)
  endforeach()

  include(CMakePackageConfigHelpers)
  install(EXPORT forebay NAMESPACE Forebay:: FILE forebay-targets.cmake DESTINATION ${FOREBAY_PACKAGE_DIRECTORY})
  configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/forebay-config.cmake.in
    ${PROJECT_BINARY_DIR}/forebay-config.cmake INSTALL_DESTINATION ${FOREBAY_PACKAGE_DIRECTORY})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/forebay-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/forebay-config.cmake ${PROJECT_BINARY_DIR}/forebay-config-version.cmake
    DESTINATION ${FOREBAY_PACKAGE_DIRECTORY})
endif()

if(TARGET forebay-npu)
  set_target_properties(forebay-npu PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib64/forebay)
  install(TARGETS forebay-npu RUNTIME DESTINATION ${FOREBAY_ARCHITECTURE}/lib64/forebay)
endif()

foreach(tool forebay-tool npu-smi)
  if(TARGET ${tool})
    install(TARGETS ${tool} RUNTIME DESTINATION bin)
  endif()
endforeach()

# Functions for the builds of others, such as the one that compiles kernels.
foreach(helper forebay_kernel.cmake forebay_scan_kernels.cmake)
  if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/${helper})
    install(FILES ${CMAKE_CURRENT_LIST_DIR}/${helper} DESTINATION ${FOREBAY_PACKAGE_DIRECTORY})
  endif()
endforeach()

install(DIRECTORY DESTINATION opp)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/setenv.bash DESTINATION bin)
# The prefix is known when it is installed.
install(CODE "
  set(FOREBAY_ARCHITECTURE \"${FOREBAY_ARCHITECTURE}\")
  set(FOREBAY_LIBRARY_NAMES \"${FOREBAY_LIBRARY_NAMES}\")
  set(FOREBAY_EMPTY_LIBRARY_NAMES \"${FOREBAY_EMPTY_LIBRARY_NAMES}\")
  set(FOREBAY_SET_ENV \"${CMAKE_CURRENT_LIST_DIR}/set_env.sh.in\")
  include(\"${CMAKE_CURRENT_LIST_DIR}/forebay_install_links.cmake\")")
