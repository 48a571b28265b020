# forebay_layer(<name> SOURCES ... [USES ...]): a layer as a static library "forebay_<name>".
#
# USES names the targets it may include and link; they are PRIVATE, so a layer above does not see them and a skipped layer
# does not compile. Every layer sees base and types.
function(forebay_layer name)
  cmake_parse_arguments(LAYER "" "" "SOURCES;USES" ${ARGN})
  add_library(forebay_${name} STATIC ${LAYER_SOURCES})
  target_include_directories(forebay_${name}
    PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/include
    PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(forebay_${name} PRIVATE forebay_warnings ${LAYER_USES})
  if(NOT name STREQUAL "base")
    target_link_libraries(forebay_${name} PUBLIC forebay_base)
  endif()
  if(NOT name STREQUAL "base" AND NOT name STREQUAL "types")
    target_link_libraries(forebay_${name} PUBLIC forebay_types)
  endif()
endfunction()
