# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
#
# cmake --install. Several builds may go to one prefix: each keeps its library in
# <libdir>/casper/<name>/, where the `casper` command looks; one of them is also <libdir>/libcasper.so,
# for those who link: the last one, but never that for the standard ABI while there is another, since
# `mpicc` of most libraries makes programs of their own ABI.
include(CMakePackageConfigHelpers)

# A folder of an installation: packagers also name it whole.
function(csp_below out prefix folder)
    if(NOT IS_ABSOLUTE ${folder})
        set(folder ${prefix}/${folder})
    endif()
    set(${out} ${folder} PARENT_SCOPE)
endfunction()

set(home ${CMAKE_INSTALL_LIBDIR}/casper/${CSP_NAME})
set(config ${CMAKE_INSTALL_LIBDIR}/cmake/casper)
set(share ${CMAKE_INSTALL_DATADIR}/casper)

csp_below(CSP_LIBDIR_INSTALLED "\${CMAKE_INSTALL_PREFIX}" ${CMAKE_INSTALL_LIBDIR})
configure_file(cmake/install_check.cmake.in ${CMAKE_BINARY_DIR}/install_check.cmake @ONLY)
install(SCRIPT ${CMAKE_BINARY_DIR}/install_check.cmake)
install(TARGETS casper EXPORT casper LIBRARY DESTINATION ${home})
install(TARGETS ${csp_helpers} RUNTIME DESTINATION ${home}/bin)
install(FILES ${CMAKE_BINARY_DIR}/casper-build.json DESTINATION ${home})
configure_file(cmake/install_link.cmake.in ${CMAKE_BINARY_DIR}/install_link.cmake @ONLY)
install(SCRIPT ${CMAKE_BINARY_DIR}/install_link.cmake)
install(FILES include/casper/casper.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/casper)

# The command: Python's standard library only.
install(DIRECTORY tools/casper/casper_cli DESTINATION ${share}/python USE_SOURCE_PERMISSIONS
        PATTERN __pycache__ EXCLUDE PATTERN lib EXCLUDE)
file(RELATIVE_PATH CSP_PYTHON_FROM_BIN ${CMAKE_INSTALL_FULL_BINDIR}
     ${CMAKE_INSTALL_FULL_DATADIR}/casper/python)
file(RELATIVE_PATH CSP_BUILDS_FROM_BIN ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/casper)
configure_file(cmake/casper.in ${CMAKE_BINARY_DIR}/casper @ONLY)
install(PROGRAMS ${CMAKE_BINARY_DIR}/casper DESTINATION ${CMAKE_INSTALL_BINDIR})

file(GLOB pages CONFIGURE_DEPENDS docs/man/*.[1-8])
foreach(page IN LISTS pages)
    string(REGEX REPLACE ".*\\." "" section ${page})
    install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()

# For those who link: find_package(casper) and pkg-config.
install(EXPORT casper NAMESPACE casper:: FILE targets.cmake
        DESTINATION ${config}/${CSP_NAME})
configure_package_config_file(cmake/casper-config.cmake.in ${CMAKE_BINARY_DIR}/casper-config.cmake
                              INSTALL_DESTINATION ${config})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/casper-config-version.cmake
                                 COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/casper-build.json DESTINATION ${config}/${CSP_NAME})
install(FILES ${CMAKE_BINARY_DIR}/casper-config.cmake ${CMAKE_BINARY_DIR}/casper-config-version.cmake
        DESTINATION ${config})
file(RELATIVE_PATH CSP_PREFIX_FROM_PC ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
csp_below(CSP_PC_LIBDIR "\${prefix}" ${CMAKE_INSTALL_LIBDIR})
csp_below(CSP_PC_INCLUDEDIR "\${prefix}" ${CMAKE_INSTALL_INCLUDEDIR})
configure_file(cmake/casper.pc.in ${CMAKE_BINARY_DIR}/casper.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/casper.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
