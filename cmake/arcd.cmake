# Warnings, and the one way to add a layer.

add_library(arcd_warnings INTERFACE)
target_compile_options(arcd_warnings INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes
    -Wmissing-prototypes -Wvla -Wimplicit-fallthrough -Wframe-larger-than=4096)
target_compile_definitions(arcd_warnings INTERFACE _GNU_SOURCE)

# arcd_layer(telem SOURCES type.c ... LINKS arcd_base): the static library arcd_telem, its links the row of
# tools/layers.txt.
function(arcd_layer name)
    cmake_parse_arguments(L "" "" "SOURCES;LINKS" ${ARGN})
    add_library(arcd_${name} STATIC ${L_SOURCES})
    target_include_directories(arcd_${name} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(arcd_${name} PUBLIC ${L_LINKS} PRIVATE arcd_warnings)
endfunction()
