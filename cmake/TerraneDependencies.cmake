# SPDX-License-Identifier: MIT
# Finds the libraries that Terrane uses, on this machine only: nothing is downloaded at configure time.
# Installed next to terraneConfig.cmake, which finds the same ones for static linking.

list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})

# trn_find_dependency(<name> <out_problem>): makes the imported target trn_deps::<name>; <out_problem> is empty on
# success, else one plain sentence. Some of these have no CMake package on Debian, so all are found the same way: by a
# header and, if it is not header-only, a library.
function(trn_find_dependency name out_problem)
  #   name    header               library   Debian package
  set(assimp  assimp/cimport.h     assimp    libassimp-dev)
  set(cmocka  cmocka.h             cmocka    libcmocka-dev)
  set(egl     EGL/egl.h            EGL       libegl-dev)
  set(epoxy   epoxy/gl.h           epoxy     libepoxy-dev)
  set(stb     stb/stb_image_write.h -        libstb-dev)
  set(xxhash  xxhash.h             -         libxxhash-dev)
  set(zlib    zlib.h               z         zlib1g-dev)

  set(${out_problem} "" PARENT_SCOPE)
  if(TARGET trn_deps::${name})
    return()
  endif()
  list(GET ${name} 0 header)
  list(GET ${name} 1 library)
  list(GET ${name} 2 package)

  string(TOUPPER ${name} upper)
  find_path(TRN_${upper}_INCLUDE_DIR ${header})
  if(NOT library STREQUAL "-")
    find_library(TRN_${upper}_LIBRARY ${library})
  endif()
  mark_as_advanced(TRN_${upper}_INCLUDE_DIR TRN_${upper}_LIBRARY)

  if(NOT TRN_${upper}_INCLUDE_DIR)
    set(${out_problem} "Terrane needs ${name} (no ${header} found): run `make deps`, or install ${package}." PARENT_SCOPE)
  elseif(library STREQUAL "-")
    add_library(trn_deps::${name} INTERFACE IMPORTED GLOBAL)
    target_include_directories(trn_deps::${name} INTERFACE ${TRN_${upper}_INCLUDE_DIR})
  elseif(NOT TRN_${upper}_LIBRARY)
    set(${out_problem} "Terrane needs ${name} (no library ${library} found): run `make deps`, or install ${package}."
      PARENT_SCOPE)
  else()
    add_library(trn_deps::${name} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(trn_deps::${name} PROPERTIES
      IMPORTED_LOCATION ${TRN_${upper}_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${TRN_${upper}_INCLUDE_DIR})
  endif()
endfunction()

# trn_find_dependencies(<out_problem> <name>...): the same for several; stops at the first problem.
function(trn_find_dependencies out_problem)
  set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
  set(THREADS_PREFER_PTHREAD_FLAG ON)
  set(problem "")
  foreach(name ${ARGN})
    if(name STREQUAL "threads")
      find_package(Threads QUIET)
      if(NOT Threads_FOUND)
        set(problem "Terrane's host library needs a thread library.")
      endif()
    elseif(name STREQUAL "meshoptimizer")
      find_package(Meshoptimizer QUIET MODULE)
      set(problem "${Meshoptimizer_PROBLEM}")
    else()
      trn_find_dependency(${name} problem)
    endif()
    if(problem)
      break()
    endif()
  endforeach()
  set(${out_problem} "${problem}" PARENT_SCOPE)
endfunction()

# trn_require(<name>...): finds each or stops with the sentence.
function(trn_require)
  trn_find_dependencies(problem ${ARGN})
  if(problem)
    message(FATAL_ERROR "${problem}")
  endif()
endfunction()
