# Makes repeated builds faster with what the machine happens to have; nothing depends on it.
find_program(FOREBAY_CCACHE ccache)
if(FOREBAY_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  # Without the first two, what uses a precompiled header is never found again.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${FOREBAY_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

# What is released is linked by the system's linker everywhere.
find_program(FOREBAY_MOLD mold)
if(FOREBAY_MOLD AND NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  add_link_options(-fuse-ld=mold)
endif()
