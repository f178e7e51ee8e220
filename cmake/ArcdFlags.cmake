# The two interface targets that carry every compile flag: arcd_warnings and arcd_sanitize.
# CMAKE_C_FLAGS stays the user's.

option(ARCD_WERROR "Warnings are errors (on in the presets, off for a stranger's newer compiler)" OFF)
set(ARCD_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize takes them: address,undefined or thread")
option(ARCD_RTCHECK "Link the guard that aborts on malloc, locks and I/O in real-time code" OFF)
option(ARCD_FUZZ "Build the fuzz targets against libFuzzer (clang)" OFF)

add_library(arcd_warnings INTERFACE)
target_compile_definitions(arcd_warnings INTERFACE _GNU_SOURCE)
target_compile_options(arcd_warnings INTERFACE
    -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
    -Wimplicit-fallthrough -Wpointer-arith -Wwrite-strings -Wundef -Wformat=2
    $<$<BOOL:${ARCD_WERROR}>:-Werror>)
# Instrumented code has larger frames, and its checks hide from gcc the value ranges that these
# warnings reason from. The plain builds have them.
if(ARCD_SANITIZE OR ARCD_FUZZ)
    set(_blind -Wno-format-truncation -Wno-maybe-uninitialized -Wno-stringop-overflow)
    target_compile_options(arcd_warnings INTERFACE "$<$<C_COMPILER_ID:GNU>:${_blind}>")
else()
    target_compile_options(arcd_warnings INTERFACE -Wframe-larger-than=4096)
endif()

add_library(arcd_sanitize INTERFACE)
set(_san ${ARCD_SANITIZE})
if(ARCD_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES Clang)
        message(FATAL_ERROR "ARCD_FUZZ needs clang (libFuzzer): use the fuzz preset")
    endif()
    list(APPEND _san fuzzer-no-link)
endif()
if(_san)
    list(JOIN _san "," _san)
    target_compile_options(arcd_sanitize INTERFACE -fsanitize=${_san} -fno-sanitize-recover=all
        -fno-omit-frame-pointer)
    target_link_options(arcd_sanitize INTERFACE -fsanitize=${_san} -fno-sanitize-recover=all)
    message(STATUS "Sanitizers: ${_san}")
endif()
if(ARCD_RTCHECK)
    # Named even where no call needs it: it must stand before libc in each program.
    target_link_libraries(arcd_sanitize INTERFACE -Wl,--no-as-needed arcd_rtcheck)
    target_compile_options(arcd_sanitize INTERFACE -fno-omit-frame-pointer)
    target_link_options(arcd_sanitize INTERFACE -rdynamic) # names in its backtraces
endif()

# A changed .clang-tidy reads every file again: ninja knows sources and commands, not those files.
if(CMAKE_C_CLANG_TIDY)
    foreach(_file .clang-tidy tests/.clang-tidy)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${_file})
        file(MD5 ${PROJECT_SOURCE_DIR}/${_file} _hash)
        string(APPEND _tidy ${_hash})
    endforeach()
    target_compile_definitions(arcd_warnings INTERFACE ARCD_TIDY_${_tidy})
endif()
