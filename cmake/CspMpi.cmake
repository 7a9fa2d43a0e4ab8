# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
#
# The MPI library under this build: its compile and link flags from the compiler wrapper, and the
# header csp_mpi_have.h that says which MPI functions it really has (a link probe, since neither its
# version number nor its header tells).

function(csp_find_mpi)
    find_program(csp_mpicc_path NAMES ${CSP_MPICC} NO_CACHE)
    if(NOT csp_mpicc_path)
        message(FATAL_ERROR "MPI compiler wrapper not found: ${CSP_MPICC} (set CSP_MPICC)")
    endif()
    set(MPI_C_COMPILER ${csp_mpicc_path} CACHE FILEPATH "" FORCE)
    set(MPI_CXX_SKIP_MPICXX TRUE)
    find_package(MPI REQUIRED COMPONENTS C)
    set(probe ${CMAKE_SOURCE_DIR}/cmake/probe_mpi.sh)
    set(names ${CMAKE_SOURCE_DIR}/cmake/mpi_names.txt)
    set(have ${CMAKE_BINARY_DIR}/csp_mpi_have.h)
    set(stamp ${CMAKE_BINARY_DIR}/csp_mpi_have.stamp)
    set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${probe} ${names})
    set(stale FALSE)
    foreach(input ${probe} ${names} ${csp_mpicc_path})
        if(${input} IS_NEWER_THAN ${stamp}) # also true when the stamp is missing
            set(stale TRUE)
        endif()
    endforeach()
    if(stale OR NOT EXISTS ${have})
        message(STATUS "Probing the functions of ${csp_mpicc_path}")
        execute_process(COMMAND sh ${probe} ${csp_mpicc_path} ${names} ${have} RESULT_VARIABLE rc)
        if(NOT rc EQUAL 0)
            message(FATAL_ERROR "cmake/probe_mpi.sh failed for ${csp_mpicc_path}")
        endif()
        file(TOUCH ${stamp})
    endif()
endfunction()
