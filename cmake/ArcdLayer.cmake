# arcd_layer(NAME SOURCES a.c b.c [LINKS arcd_base ...])
#
# The static library arcd_NAME of one folder ("hw/sim" makes arcd_hw_sim). LINKS is the folder's row
# of tools/layers.txt plus the system libraries that it wraps.
function(arcd_layer name)
    cmake_parse_arguments(L "" "" "SOURCES;LINKS" ${ARGN})
    if(NOT L_SOURCES OR L_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "arcd_layer(${name}): SOURCES a.c ... [LINKS ...], got ${ARGN}")
    endif()
    string(REPLACE "/" "_" target "arcd_${name}")
    add_library(${target} STATIC ${L_SOURCES})
    target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(${target} PUBLIC ${L_LINKS} PRIVATE arcd_warnings arcd_sanitize)
endfunction()
