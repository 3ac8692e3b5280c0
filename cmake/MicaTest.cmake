# How tests are declared. Labels say when a test runs:
#
#   quick                in `make test`, in a small dose, and in `make test-full`, whole: all suites of
#                        mica_add_test() that have no other tier
#   full, long, night    the tier of others; full unless told otherwise
#   core                 also under valgrind, the thread sanitizer and emulators: at most 3 s native
#   tree                 looks at the source tree or the toolchain, not at what this build compiled;
#                        runs in the release build only
#
# Every test runs through tools/run-suite.sh, which leaves its counts where tools/run-tests.sh adds
# them up.

set(MICA_RUN_SUITE sh ${PROJECT_SOURCE_DIR}/tools/run-suite.sh ${PROJECT_BINARY_DIR}/results)

# A case that takes more seconds than this is stuck. Emulators need more time: the scripts that use
# them say so.
set(MICA_TEST_TIMEOUT 120 CACHE STRING "Seconds after which a test of the full tier is killed")

function(mica_set_test_properties name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "LABELS")
    if(NOT arg_LABELS MATCHES "quick|full|long|night")
        list(PREPEND arg_LABELS full)
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT ${MICA_TEST_TIMEOUT})
    endif()
    set_tests_properties(${name} PROPERTIES
        LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77)
endfunction()

# All programs that are labelled `core`, and nothing else.
add_custom_target(core_suites)

# The runner, once over each library; what links it links the library, and sees internal headers.
foreach(library mica mica_small mica_general mica_kinds mica_canaries)
    add_library(runner_over_${library} STATIC EXCLUDE_FROM_ALL
        tests/runner/capture.c
        tests/runner/folder.c
        tests/runner/host.c
        tests/runner/memory.c
        tests/runner/hooked.c
        tests/runner/mirror.c
        tests/runner/print.c
        tests/runner/rows.c
        tests/runner/runner.c
        tests/runner/world.c)
    mica_set_options(runner_over_${library})
    target_include_directories(runner_over_${library} PUBLIC src tests)
    target_compile_options(runner_over_${library} PUBLIC -UNDEBUG)
    target_link_libraries(runner_over_${library} PUBLIC ${library} Threads::Threads)
endforeach()

# mica_add_test(NAME suite SOURCES file... [LIBRARIES mica|mica_small|mica_general...]
#               [LABELS label...] [ARGUMENTS argument...] [TIMEOUT seconds])
#
# A program of test cases that ends with the line "N passed, N failed, N skipped". The runner
# (tests/runner/) is linked in. With several libraries there is one program for each: <suite>_general
# over mica_general; <suite>_small over mica_small if there is one over mica too. The default is
# mica_small alone, under the plain name. With MICA_QUICK_TESTS there is one program: over mica_small if
# it is in the list, else over the first library.
function(mica_add_test)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TIMEOUT" "SOURCES;LIBRARIES;LABELS;ARGUMENTS")
    if(NOT arg_LIBRARIES)
        set(arg_LIBRARIES mica_small)
    endif()
    if(NOT arg_LABELS MATCHES "quick|full|long|night")
        list(PREPEND arg_LABELS quick)
    endif()
    set(libraries ${arg_LIBRARIES})
    if(MICA_QUICK_TESTS)
        list(GET arg_LIBRARIES 0 libraries)
        if(mica_small IN_LIST arg_LIBRARIES)
            set(libraries mica_small)
        endif()
        if(NOT "quick" IN_LIST arg_LABELS)
            return()
        endif()
    endif()
    foreach(library IN LISTS libraries)
        set(name ${arg_NAME})
        if(library STREQUAL mica_general)
            string(APPEND name _general)
        elseif(library STREQUAL mica_small AND mica IN_LIST arg_LIBRARIES)
            string(APPEND name _small)
        endif()
        add_executable(${name} ${arg_SOURCES})
        mica_set_options(${name})
        target_link_libraries(${name} PRIVATE runner_over_${library})
        add_test(NAME ${name}
            COMMAND ${MICA_RUN_SUITE} --suite ${name} $<TARGET_FILE:${name}> ${arg_ARGUMENTS})
        mica_set_test_properties(${name} LABELS ${arg_LABELS} TIMEOUT ${arg_TIMEOUT})
        if("core" IN_LIST arg_LABELS)
            add_dependencies(core_suites ${name})
        endif()
    endforeach()
endfunction()

# mica_add_script(NAME suite SCRIPT file [ARGUMENTS argument...] [LABELS label...] [TIMEOUT seconds])
#
# A shell script. If its last line is not "N passed, N failed, N skipped" it counts as one case.
# Exit status 77 is a skip; its last line is then the reason.
function(mica_add_script)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;SCRIPT;TIMEOUT" "ARGUMENTS;LABELS")
    add_test(NAME ${arg_NAME}
        COMMAND ${MICA_RUN_SUITE} --case ${arg_NAME} sh ${arg_SCRIPT} ${arg_ARGUMENTS})
    mica_set_test_properties(${arg_NAME} LABELS ${arg_LABELS} TIMEOUT ${arg_TIMEOUT})
endfunction()

# mica_add_expect(NAME case TARGET program EXPECT file [LABELS label...])
#
# A program whose standard output must be the file, byte for byte.
function(mica_add_expect)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TARGET;EXPECT" "LABELS")
    add_test(NAME ${arg_NAME}
        COMMAND ${MICA_RUN_SUITE} --expect ${arg_EXPECT} ${arg_NAME} $<TARGET_FILE:${arg_TARGET}>)
    mica_set_test_properties(${arg_NAME} LABELS ${arg_LABELS})
endfunction()
