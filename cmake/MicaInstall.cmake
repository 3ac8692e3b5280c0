# What `install` puts where: headers, both libraries, the tool, printers for debuggers, a CMake package and a pkg-config file. All of
# it is relocatable: paths inside are relative to where a file is found.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(MICA_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/mica)

set(MICA_LIBRARIES mica)
if(MICA_HAS_SHARED)
    list(APPEND MICA_LIBRARIES mica_shared)
endif()
install(TARGETS ${MICA_LIBRARIES} EXPORT mica
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(MICA_BUILD_TOOL)
    install(TARGETS mica_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(FILES tools/mica/mica.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
install(FILES include/mica.h include/mica.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/mica DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(FILES tools/gdb/mica.py tools/natvis/mica.natvis DESTINATION ${CMAKE_INSTALL_DATADIR}/mica)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/licenses/mica)

install(EXPORT mica NAMESPACE mica:: FILE mica-targets.cmake DESTINATION ${MICA_CMAKE_DIR})
write_basic_package_version_file(mica-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/mica-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/mica-config-version.cmake
    DESTINATION ${MICA_CMAKE_DIR})

# ${pcfiledir} is where pkg-config found the file; from there up to the prefix.
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    set(MICA_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
    set(MICA_PC_LIBDIR ${CMAKE_INSTALL_LIBDIR})
else()
    file(RELATIVE_PATH MICA_PC_UP /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
    string(REGEX REPLACE "/$" "" MICA_PC_UP ${MICA_PC_UP})
    set(MICA_PC_PREFIX "\${pcfiledir}/${MICA_PC_UP}")
    set(MICA_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
    set(MICA_PC_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
else()
    set(MICA_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file(cmake/mica.pc.in mica.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/mica.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
