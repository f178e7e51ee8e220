# arcd_test(FOLDER UNIT [LINKS ...] [LABELS slow] [TIMEOUT seconds] [SERIAL])
#
# The test program tests/FOLDER/test_UNIT.c as target test_FOLDER_UNIT and ctest FOLDER.UNIT. It links
# its folder's layer and tests/support, so a call that the layer table forbids does not link.
# The label is `fast` unless LABELS says otherwise. TIMEOUT only ends a hang: it is far above what a
# busy machine needs. SERIAL: no other test runs beside it.
#
# arcd_fuzz(FOLDER UNIT [LINKS ...])
#
# The fuzz target tests/fuzz/fuzz_FOLDER_UNIT.c (LLVMFuzzerTestOneInput). In the fuzz preset it is a
# libFuzzer program; everywhere else it runs once over its corpus tests/fuzz/corpus/FOLDER_UNIT/.

function(arcd_program target)
    cmake_parse_arguments(P "" "" "SOURCES;LINKS" ${ARGN})
    add_executable(${target} ${P_SOURCES})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${target} PRIVATE ${P_LINKS} arcd_warnings arcd_sanitize)
endfunction()

function(arcd_test folder unit)
    cmake_parse_arguments(T "SERIAL" "TIMEOUT" "LINKS;LABELS" ${ARGN})
    if(T_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "arcd_test(${folder} ${unit}): what is ${T_UNPARSED_ARGUMENTS}?")
    endif()
    if(NOT T_LABELS)
        set(T_LABELS fast)
    endif()
    if(NOT T_TIMEOUT)
        set(T_TIMEOUT 300)
    endif()
    set(target test_${folder}_${unit})
    arcd_program(${target} SOURCES ${PROJECT_SOURCE_DIR}/tests/${folder}/test_${unit}.c
        LINKS arcd_${folder} ${T_LINKS} arcd_test_support)
    add_test(NAME ${folder}.${unit} COMMAND ${target} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${folder}.${unit} PROPERTIES LABELS "${T_LABELS}" TIMEOUT ${T_TIMEOUT}
        RUN_SERIAL ${T_SERIAL})
endfunction()

function(arcd_fuzz folder unit)
    cmake_parse_arguments(F "" "" "LINKS" ${ARGN})
    set(target fuzz_${folder}_${unit})
    set(dir ${PROJECT_SOURCE_DIR}/tests/fuzz)
    set(corpus ${dir}/corpus/${folder}_${unit})
    if(ARCD_FUZZ)
        arcd_program(${target} SOURCES ${dir}/${target}.c LINKS arcd_${folder} ${F_LINKS})
        target_link_options(${target} PRIVATE -fsanitize=fuzzer)
        # New inputs go to the build folder; the saved corpus only grows on purpose.
        file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/corpus/${target})
        add_test(NAME fuzz.${folder}_${unit} COMMAND ${target} -max_total_time=60 -timeout=10
            ${CMAKE_BINARY_DIR}/corpus/${target} ${corpus})
    else()
        arcd_program(${target} SOURCES ${dir}/${target}.c ${dir}/replay.c
            LINKS arcd_${folder} ${F_LINKS})
        add_test(NAME fuzz.${folder}_${unit} COMMAND ${target} ${corpus})
    endif()
    set_tests_properties(fuzz.${folder}_${unit} PROPERTIES LABELS fast TIMEOUT 600)
endfunction()
