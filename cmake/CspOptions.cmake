# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
#
# Options of the build and the compiler flags that every target gets.
include(GNUInstallDirs)

set(CSP_MPICC "" CACHE STRING "MPI compiler wrapper (path or name) of the library to build for")
set(CSP_NAME "native" CACHE STRING "Short name of this build, e.g. m50")
option(CSP_ABI "Build for the MPI standard ABI: compiled with mpi.h of the ABI, linked to no MPI" OFF)
option(CSP_WERROR "Warnings are errors" OFF)
option(CSP_DEBUG "Compile the CSP_ASSERT checks in" OFF)
option(CSP_TESTS "Build the test programs" OFF)
set(CSP_SANITIZE "" CACHE STRING "Sanitizers: address,undefined or thread")

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")

function(csp_set_flags target)
    target_compile_options(${target} INTERFACE -Wall -Wextra -fvisibility=hidden
        "-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=") # the same from any folder
    target_compile_definitions(${target} INTERFACE _GNU_SOURCE=1)
    if(CSP_WERROR)
        target_compile_options(${target} INTERFACE -Werror)
    endif()
    if(CSP_DEBUG)
        target_compile_definitions(${target} INTERFACE CSP_DEBUG=1)
    endif()
    if(CSP_SANITIZE)
        target_compile_options(${target} INTERFACE -fsanitize=${CSP_SANITIZE} -fno-omit-frame-pointer)
        target_link_options(${target} INTERFACE -fsanitize=${CSP_SANITIZE})
    endif()
    target_link_libraries(${target} INTERFACE rt pthread ${CMAKE_DL_LIBS})
endfunction()
