# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
#
# The MPI library under this build: its compile and link flags from the compiler wrapper, and the
# header csp_mpi_have.h that says which MPI functions it really has (a link probe, since neither its
# version number nor its header tells).

# The SONAME of the MPI core library: what a program of this MPI has loaded. Taken from a program, as
# the file that the linker is given may be a script.
function(csp_mpi_soname mpicc out)
    set(program ${CMAKE_BINARY_DIR}/CMakeFiles/csp_soname)
    file(WRITE ${program}.c "int main(void) { return 0; }\n")
    execute_process(COMMAND ${mpicc} -Wl,--no-as-needed -o ${program} ${program}.c)
    execute_process(COMMAND ${CMAKE_READELF} -d ${program} OUTPUT_VARIABLE dynamic)
    if(NOT dynamic MATCHES "NEEDED[^[]*\\[(libmpi(|ch|_abi)\\.so[^]]*)\\]")
        message(FATAL_ERROR "${mpicc} links no shared MPI library that Casper knows")
    endif()
    set(${out} ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()

# casper-build.json: for which MPI library this build is; the `casper` command reads it.
function(csp_mpi_describe banner libraries soname)
    set(family "unknown")
    if(CSP_ABI)
        set(family abi)
    elseif(banner MATCHES "Open MPI")
        set(family openmpi)
    elseif(banner MATCHES "Intel")
        set(family intel)
    elseif(banner MATCHES "MVAPICH")
        set(family mvapich)
    elseif(banner MATCHES "MPICH")
        set(family mpich)
    endif()
    set(version "")
    if(banner MATCHES "([0-9]+(\\.[0-9]+)+)")
        set(version ${CMAKE_MATCH_1})
    endif()
    set(path "")
    foreach(library IN LISTS libraries)
        get_filename_component(dir ${library} DIRECTORY)
        get_filename_component(real ${library} REALPATH)
        get_filename_component(real_dir ${real} DIRECTORY)
        foreach(candidate ${dir}/${soname} ${real_dir}/${soname})
            if(NOT path AND EXISTS ${candidate})
                set(path ${candidate})
            endif()
        endforeach()
    endforeach()
    message(STATUS "MPI library: ${family} ${version}, ${path}")
    file(WRITE ${CMAKE_BINARY_DIR}/casper-build.json "{
  \"name\": \"${CSP_NAME}\",
  \"casper_version\": \"${PROJECT_VERSION}\",
  \"family\": \"${family}\",
  \"mpi_version\": \"${version}\",
  \"mpi_library\": \"${path}\",
  \"soname\": \"${soname}\",
  \"sanitizer\": \"${CSP_SANITIZE}\"
}
")
endfunction()

function(csp_find_mpi)
    find_program(csp_mpicc_path NAMES ${CSP_MPICC} NO_CACHE)
    if(NOT csp_mpicc_path)
        message(FATAL_ERROR "MPI compiler wrapper not found: ${CSP_MPICC} (set CSP_MPICC)")
    endif()
    set(MPI_C_COMPILER ${csp_mpicc_path} CACHE FILEPATH "" FORCE)
    set(MPI_CXX_SKIP_MPICXX TRUE)
    set(MPI_DETERMINE_LIBRARY_VERSION TRUE)
    find_package(MPI REQUIRED COMPONENTS C)
    csp_mpi_soname(${csp_mpicc_path} soname)
    set(CSP_MPI_SONAME ${soname} PARENT_SCOPE)
    set(CSP_MPI_LIBRARIES ${MPI_C_LIBRARIES} PARENT_SCOPE)
    csp_mpi_describe("${MPI_C_LIBRARY_VERSION_STRING}" "${MPI_C_LIBRARIES}" ${soname})
    set(probe ${CMAKE_SOURCE_DIR}/cmake/probe_mpi.sh)
    set(names ${CMAKE_SOURCE_DIR}/cmake/mpi_names.txt)
    set(have ${CMAKE_BINARY_DIR}/csp_mpi_have.h)
    set(stamp ${CMAKE_BINARY_DIR}/csp_mpi_have.stamp)
    set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${probe} ${names})
    set(of "${csp_mpicc_path}\n${MPI_C_LIBRARY_VERSION_STRING}") # another one may be older than the stamp
    set(stale TRUE)
    if(EXISTS ${stamp})
        file(READ ${stamp} was)
        string(COMPARE NOTEQUAL "${of}" "${was}" stale)
    endif()
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
        file(WRITE ${stamp} "${of}")
    endif()
endfunction()
