# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
#
# libcasper.so: what a program preloads or links.
set(sources)
foreach(room runtime req types rma p2p ghost report wrap)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${room}/*.c)
    list(APPEND sources ${found})
endforeach()

if(NOT sources)
    file(TOUCH ${CMAKE_BINARY_DIR}/empty.c)
    set(sources ${CMAKE_BINARY_DIR}/empty.c)
endif()

add_library(casper SHARED ${sources})
target_include_directories(casper PRIVATE src ${CMAKE_BINARY_DIR}
    PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# A program that links it refers to nothing of it but MPI functions, which libmpi has as well.
target_link_options(casper INTERFACE -Wl,--no-as-needed)
target_link_libraries(casper PRIVATE csp_core)
# In the build folder as installed: CMake pads other run paths, and what it pads with is the current folder.
set(installed_paths BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH_USE_LINK_PATH ON)
set_target_properties(casper PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR} ${installed_paths})
# GCC clears a sparse struct csp_op by `rep stos`, which takes longer than the rest of the call.
set(stores -mmemset-strategy=unrolled_loop:256:noalign,libcall:-1:noalign)
check_c_compiler_flag(${stores} CSP_HAVE_MEMSET_STRATEGY)
if(CSP_HAVE_MEMSET_STRATEGY)
    set_source_files_properties(${CMAKE_SOURCE_DIR}/src/wrap/gen_rma.c PROPERTIES COMPILE_OPTIONS
                                ${stores})
endif()
target_compile_definitions(casper PRIVATE CSP_MPI_SONAME="${CSP_MPI_SONAME}")
if(NOT CSP_SANITIZE)
    target_link_options(casper PRIVATE -Wl,--no-undefined)
endif()

if(CSP_ABI)
    # One binary for every library with the standard ABI: the program brings the MPI library.
    add_library(csp_abi INTERFACE)
    target_include_directories(
        csp_abi SYSTEM INTERFACE $<TARGET_PROPERTY:MPI::MPI_C,INTERFACE_INCLUDE_DIRECTORIES>)
    target_compile_definitions(
        csp_abi INTERFACE $<TARGET_PROPERTY:MPI::MPI_C,INTERFACE_COMPILE_DEFINITIONS>)
    target_compile_options(
        csp_abi INTERFACE $<TARGET_PROPERTY:MPI::MPI_C,INTERFACE_COMPILE_OPTIONS>)
    target_link_libraries(casper PRIVATE csp_abi)
else()
    # NEEDED although nothing of it is referenced: mpi4py loads the library before any other MPI.
    target_link_options(casper PRIVATE -Wl,--no-as-needed)
    target_link_libraries(casper PRIVATE MPI::MPI_C)
endif()

# What `casper check` and `casper calibrate` run to measure: ordinary MPI programs.
set(csp_helpers gap_check rate_check)
foreach(helper IN LISTS csp_helpers)
    add_executable(${helper} tools/casper/check/${helper}.c)
    if(CSP_ABI) # installed without a run path: the command names the MPI library
        target_link_libraries(${helper} PRIVATE csp_flags csp_abi ${CSP_MPI_LIBRARIES})
    else()
        target_link_libraries(${helper} PRIVATE csp_flags MPI::MPI_C)
        set_target_properties(${helper} PROPERTIES ${installed_paths})
    endif()
    set_target_properties(${helper} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endforeach()
