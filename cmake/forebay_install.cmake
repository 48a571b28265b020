# What is installed, laid out as AscendCL programs expect it:
#
#   include/acl, include/forebay      headers
#   lib64/libascendcl.so              every function; the other library names are links to it
#   lib64/forebay/forebay-npu         the firmware image, which the library finds beside itself
#   share/cmake/forebay               package files for find_package(forebay), and the functions for kernels
#   bin                               command line tools
#
# The build tree has the same lib64, so that programs which run there find the firmware too. A target that does not
# exist is left out. Include this after all targets.

set(FOREBAY_LIBRARY_NAMES libforebay.so libacl_rt.so libruntime.so)
# Debian's CMake does not look for packages under lib64.
set(FOREBAY_PACKAGE_DIRECTORY share/cmake/forebay)

foreach(directory acl forebay)
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/include/${directory})
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/${directory} DESTINATION include
      FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.def")
  endif()
endforeach()

if(TARGET ascendcl)
  set_target_properties(ascendcl PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib64)
  install(TARGETS ascendcl EXPORT forebay
    LIBRARY DESTINATION lib64
    INCLUDES DESTINATION include)
  foreach(name ${FOREBAY_LIBRARY_NAMES})
    install(CODE "
      set(lib64 \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib64\")
      message(STATUS \"Installing: \${lib64}/${name}\")
      file(CREATE_LINK $<TARGET_FILE_NAME:ascendcl> \"\${lib64}/${name}\" SYMBOLIC)")
  endforeach()

  include(CMakePackageConfigHelpers)
  install(EXPORT forebay NAMESPACE forebay:: FILE forebay-targets.cmake DESTINATION ${FOREBAY_PACKAGE_DIRECTORY})
  configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/forebay-config.cmake.in
    ${PROJECT_BINARY_DIR}/forebay-config.cmake INSTALL_DESTINATION ${FOREBAY_PACKAGE_DIRECTORY})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/forebay-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/forebay-config.cmake ${PROJECT_BINARY_DIR}/forebay-config-version.cmake
    DESTINATION ${FOREBAY_PACKAGE_DIRECTORY})
endif()

if(TARGET forebay-npu)
  set_target_properties(forebay-npu PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib64/forebay)
  install(TARGETS forebay-npu RUNTIME DESTINATION lib64/forebay)
endif()

foreach(tool forebay forebay-cc)
  if(TARGET ${tool})
    get_target_property(type ${tool} TYPE)
    if(type STREQUAL "EXECUTABLE")
      set_target_properties(${tool} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib64")
      install(TARGETS ${tool} RUNTIME DESTINATION bin)
    endif()
  endif()
endforeach()

# Functions for the builds of others, such as the one that compiles kernels.
foreach(helper forebay_kernel.cmake forebay_scan_kernels.cmake)
  if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/${helper})
    install(FILES ${CMAKE_CURRENT_LIST_DIR}/${helper} DESTINATION ${FOREBAY_PACKAGE_DIRECTORY})
  endif()
endforeach()
