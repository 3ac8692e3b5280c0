# The tests that are not in the quick tier.

# The test runner: a program whose checks fail on purpose.

add_executable(selftest runner/selftest.c)
mica_set_options(selftest)
target_link_libraries(selftest PRIVATE runner_over_mica_small)
mica_add_script(NAME selftest SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/runner/selftest.sh
    ARGUMENTS $<TARGET_FILE:selftest>)

# Unit tests that take programs of their own.

# Worlds with kinds of column that only the tests have, to see that the contract holds.
mica_add_test(NAME unit_kinds LABELS core LIBRARIES mica_kinds SOURCES
    unit/store/table/kinds.c
    unit/store/table/kinds_main.c
    unit/store/table/kinds_test.c
    unit/tracked.c)

add_executable(print unit/inspect/print.c)
mica_set_options(print)
target_link_libraries(print PRIVATE mica)
mica_add_script(NAME print SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/unit/inspect/print.sh
    ARGUMENTS $<TARGET_FILE:print>)

mica_add_test(NAME image_damage LABELS long TIMEOUT 900 LIBRARIES mica mica_small SOURCES
    image/damage_main.c
    unit/image/cast.c
    unit/image/damage_test.c)
foreach(suite image_damage image_damage_small)
    target_compile_definitions(${suite} PRIVATE TEST_ALL_DAMAGE)
endforeach()
# Succeeds by being aborted, which no test runner survives.
add_executable(abort unit/world/abort.c)
mica_set_options(abort)
target_link_libraries(abort PRIVATE mica)
foreach(way desc set apart)
    add_test(NAME abort_${way}
        COMMAND ${MICA_RUN_SUITE} --case abort_${way} $<TARGET_FILE:abort> ${way})
    mica_set_test_properties(abort_${way})
endforeach()

# More of the random and of the exhaustive tests, at night.

add_test(NAME model_night
    COMMAND ${MICA_RUN_SUITE} --suite model_night $<TARGET_FILE:model_small>)
mica_set_test_properties(model_night LABELS night TIMEOUT 3600)

add_test(NAME exhaustive_night
    COMMAND ${MICA_RUN_SUITE} --suite exhaustive_night $<TARGET_FILE:exhaustive> --length 6)
mica_set_test_properties(exhaustive_night LABELS night TIMEOUT 3600)

# The table of wrong arguments has the rows that follow from the headers.

mica_add_script(NAME negative_rows LABELS tree SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/negative/check.sh
    ARGUMENTS $<TARGET_FILE:negative> $<TARGET_FILE:mica_shared>)

# A world in which as many come as go: here a small one for a moment, and in longer tiers a large one.

add_executable(soak soak/soak.c)
mica_set_options(soak)
target_link_libraries(soak PRIVATE mica)
add_test(NAME soak COMMAND ${MICA_RUN_SUITE} --suite soak $<TARGET_FILE:soak> --entities 5000 --seconds 0)
mica_set_test_properties(soak)

# Whether the suites find bugs that were planted. The programs are those of the suites over mica_small,
# linked to a library with the bugs. In the release build only: the bugs would set off the sanitizers.

foreach(suite unit_base unit_core unit_store unit_pool_small unit_world_small unit_query_small
        unit_command_small unit_event_small unit_system unit_image_small
        unit_time_small unit_delta_small unit_relation_small unit_tape_small contract_small model_small exhaustive oom_small)
    string(REPLACE _small "" name canary_${suite})
    add_executable(${name} canary/switch.c $<TARGET_OBJECTS:${suite}>)
    mica_set_options(${name})
    target_link_libraries(${name} PRIVATE runner_over_mica_canaries)
endforeach()
mica_add_script(NAME canary LABELS tree TIMEOUT 600 SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/canary/run.sh
    ARGUMENTS ${CMAKE_CURRENT_BINARY_DIR})

# Saving to a path, killed or failing at every step of it.

add_executable(save_bytes image/save_bytes.c)
mica_set_options(save_bytes)
target_include_directories(save_bytes PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(save_bytes PRIVATE mica)
mica_add_script(NAME atomic LABELS tree SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/image/atomic.sh
    ARGUMENTS $<TARGET_FILE:save_bytes>)

# The command-line tool, on worlds of types that it does not know.

if(TARGET mica_tool)
    add_executable(sample tool/sample.c)
    mica_set_options(sample)
    target_link_libraries(sample PRIVATE mica)
    mica_add_script(NAME tool SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/tool/run.sh
        ARGUMENTS $<TARGET_FILE:mica_tool> $<TARGET_FILE:sample>)
    mica_add_script(NAME corpus SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus.sh
        ARGUMENTS $<TARGET_FILE:mica_tool>)
endif()

# Writes images for these and other tests, when it is told to.
add_executable(golden image/golden.c unit/image/cast.c)
mica_set_options(golden)
target_link_libraries(golden PRIVATE runner_over_mica)

# Fuzz targets over their corpora: what once went wrong, and what is good to begin with.

foreach(target image json json_image part delta input)
    file(GLOB corpus CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${target}/*)
    add_executable(fuzz_${target} fuzz/${target}_fuzz.c fuzz/replay.c)
    mica_set_options(fuzz_${target})
    target_include_directories(fuzz_${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(fuzz_${target} PRIVATE mica)
    add_test(NAME fuzz_${target}
        COMMAND ${MICA_RUN_SUITE} --suite fuzz_${target} $<TARGET_FILE:fuzz_${target}> ${corpus})
    mica_set_test_properties(fuzz_${target})
endforeach()

# Images that are right in form and hostile in content.
foreach(target hostile_binary hostile_json)
    file(GLOB corpus CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${target}/*)
    add_executable(fuzz_${target} fuzz/${target}_fuzz.c fuzz/replay.c fuzz/hostile.c fuzz/record.c
        fuzz/tree_change.c fuzz/tree_write.c)
    mica_set_options(fuzz_${target})
    target_include_directories(fuzz_${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(fuzz_${target} PRIVATE mica)
    add_test(NAME fuzz_${target}
        COMMAND ${MICA_RUN_SUITE} --suite fuzz_${target} $<TARGET_FILE:fuzz_${target}> ${corpus})
    mica_set_test_properties(fuzz_${target})
endforeach()

# Tapes of operations, beside the model; with what the suite `model` is made of.
file(GLOB corpus CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/tape/*)
file(GLOB operations CONFIGURE_DEPENDS model/ops_*.c)
add_executable(fuzz_tape fuzz/tape_fuzz.c fuzz/replay.c model/lab.c model/model.c model/tape.c
    unit/tracked.c ${operations})
mica_set_options(fuzz_tape)
target_link_libraries(fuzz_tape PRIVATE runner_over_mica_small)
add_test(NAME fuzz_tape COMMAND ${MICA_RUN_SUITE} --suite fuzz_tape $<TARGET_FILE:fuzz_tape> ${corpus})
mica_set_test_properties(fuzz_tape)

# What must not grow with the world, or become more expensive, by count of instructions. In the release build only: valgrind and
# the sanitizers do not go together.

foreach(program tables growth ends later model)
    add_executable(gate_${program} gate/${program}.c)
    mica_set_options(gate_${program})
    target_link_libraries(gate_${program} PRIVATE mica)
    mica_add_script(NAME gate_${program} LABELS tree
        SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/gate/${program}.sh
        ARGUMENTS $<TARGET_FILE:gate_${program}>)
endforeach()
target_sources(gate_growth PRIVATE gate/growth_things.c)
mica_add_script(NAME gate_each LABELS tree TIMEOUT 600 SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/gate/each.sh
    ARGUMENTS $<TARGET_FILE:mica>)
if(MICA_BUILD_BENCH)
    mica_add_script(NAME gate_bench LABELS tree SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/gate/bench.sh
        ARGUMENTS $<TARGET_FILE:mica_bench>)
    mica_add_script(NAME gate_budget LABELS tree SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/gate/budget.sh
        ARGUMENTS $<TARGET_FILE:mica_bench> ${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}
            ${CMAKE_SYSTEM_PROCESSOR})
endif()
mica_add_script(NAME size LABELS tree SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/gate/size.sh
    ARGUMENTS $<TARGET_FILE:mica>)

# The tools, and what comes out of the tree.

set(tools ${PROJECT_SOURCE_DIR}/tools)

mica_add_script(NAME tools LABELS tree SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/tools/run.sh)
mica_add_script(NAME setup LABELS tree SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/tools/setup.sh)
mica_add_script(NAME jobs LABELS tree SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/tools/jobs.sh)
mica_add_script(NAME symbols LABELS tree SCRIPT ${tools}/symbols.sh
    ARGUMENTS $<TARGET_FILE:mica> $<TARGET_FILE:mica_shared>)
if(CMAKE_SYSTEM_NAME STREQUAL Linux)
    # What another language does: every function found by its name.
    add_executable(binding binding/binding.c)
    mica_set_options(binding)
    target_include_directories(binding PRIVATE ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(binding PRIVATE ${CMAKE_DL_LIBS})
    add_test(NAME binding COMMAND ${MICA_RUN_SUITE} --suite binding $<TARGET_FILE:binding>
        $<TARGET_FILE:mica_shared>)
    mica_set_test_properties(binding)
endif()
mica_add_script(NAME compile LABELS tree TIMEOUT 600 SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/compile/run.sh)
mica_add_script(NAME cpp LABELS tree TIMEOUT 600 SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/cpp/run.sh
    ARGUMENTS $<TARGET_FILE:mica> $<TARGET_FILE:mica_small> $<TARGET_FILE:mica_shared>)
mica_add_script(NAME amalgamate LABELS tree TIMEOUT 300
    SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/amalgamate/run.sh ARGUMENTS $<TARGET_FILE:mica>)
mica_add_script(NAME dist LABELS tree SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/dist/run.sh)
mica_add_script(NAME meson LABELS tree TIMEOUT 300 SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/meson/run.sh)
mica_add_script(NAME gdb LABELS tree SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/gdb/run.sh
    ARGUMENTS $<TARGET_FILE:mica>)
# Pictures of what lies where in memory are drawn from it.
add_executable(draw ${PROJECT_SOURCE_DIR}/docs/pictures/draw.c)
mica_set_options(draw)
target_link_libraries(draw PRIVATE mica)
mica_add_script(NAME pictures SCRIPT ${PROJECT_SOURCE_DIR}/docs/pictures/draw.sh
    ARGUMENTS --check $<TARGET_FILE:draw>)
mica_add_script(NAME performance LABELS tree SCRIPT ${tools}/bench-report.sh ARGUMENTS --check)
mica_add_script(NAME version LABELS tree SCRIPT ${tools}/version.sh ARGUMENTS --check)
if(MICA_INSTALL)
    mica_add_script(NAME install LABELS tree TIMEOUT 300
        SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/install/run.sh ARGUMENTS ${PROJECT_BINARY_DIR})
endif()
