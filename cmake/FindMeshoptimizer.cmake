# SPDX-License-Identifier: MIT
# Finds meshoptimizer 0.22 or newer: in TRN_MESHOPTIMIZER_ROOT, then where `make deps` unpacks it or, for an installed
# Terrane, where it was (TRN_MESHOPTIMIZER_HINT), then in the system.
# Makes trn_deps::meshoptimizer and sets Meshoptimizer_FOUND, _VERSION and, on failure, _PROBLEM: one plain sentence.
#
# The version is read from the header: distribution packages accept only their exact version, so none can be asked for.

set(Meshoptimizer_PROBLEM "")
if(TARGET trn_deps::meshoptimizer)
  set(Meshoptimizer_FOUND TRUE)
  return()
endif()

set(TRN_MESHOPTIMIZER_ROOT "" CACHE PATH "Where meshoptimizer is installed; empty: build/deps, then the system")
set(meshoptimizer_hints ${TRN_MESHOPTIMIZER_ROOT} ${TRN_MESHOPTIMIZER_HINT} ${CMAKE_CURRENT_LIST_DIR}/../build/deps/usr)
find_path(TRN_MESHOPTIMIZER_INCLUDE_DIR meshoptimizer.h HINTS ${meshoptimizer_hints} PATH_SUFFIXES include)
find_library(TRN_MESHOPTIMIZER_LIBRARY meshoptimizer
  HINTS ${meshoptimizer_hints} PATH_SUFFIXES lib lib/${CMAKE_LIBRARY_ARCHITECTURE})
mark_as_advanced(TRN_MESHOPTIMIZER_INCLUDE_DIR TRN_MESHOPTIMIZER_LIBRARY)

set(Meshoptimizer_FOUND FALSE)
set(meshoptimizer_number 0)
if(TRN_MESHOPTIMIZER_INCLUDE_DIR)
  file(STRINGS ${TRN_MESHOPTIMIZER_INCLUDE_DIR}/meshoptimizer.h meshoptimizer_line
    REGEX "^#define MESHOPTIMIZER_VERSION [0-9]+" LIMIT_COUNT 1)
  string(REGEX MATCH "[0-9]+" meshoptimizer_number "${meshoptimizer_line}")
  math(EXPR meshoptimizer_major "${meshoptimizer_number} / 1000")
  math(EXPR meshoptimizer_minor "${meshoptimizer_number} % 1000 / 10")
  set(Meshoptimizer_VERSION ${meshoptimizer_major}.${meshoptimizer_minor})
endif()

set(meshoptimizer_advice "run `make deps`, or set TRN_MESHOPTIMIZER_ROOT")
if(NOT TRN_MESHOPTIMIZER_INCLUDE_DIR OR NOT TRN_MESHOPTIMIZER_LIBRARY)
  set(Meshoptimizer_PROBLEM "Terrane needs meshoptimizer 0.22 or newer (none found): ${meshoptimizer_advice}.")
  unset(TRN_MESHOPTIMIZER_INCLUDE_DIR CACHE)
elseif(meshoptimizer_number LESS 220)
  set(Meshoptimizer_PROBLEM "Terrane needs meshoptimizer 0.22 or newer (found ${Meshoptimizer_VERSION} in\
 ${TRN_MESHOPTIMIZER_INCLUDE_DIR}): ${meshoptimizer_advice}.")
  # Look again at the next configure, which may come after `make deps`.
  unset(TRN_MESHOPTIMIZER_INCLUDE_DIR CACHE)
  unset(TRN_MESHOPTIMIZER_LIBRARY CACHE)
else()
  set(Meshoptimizer_FOUND TRUE)
  add_library(trn_deps::meshoptimizer UNKNOWN IMPORTED GLOBAL)
  set_target_properties(trn_deps::meshoptimizer PROPERTIES
    IMPORTED_LOCATION ${TRN_MESHOPTIMIZER_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${TRN_MESHOPTIMIZER_INCLUDE_DIR})
endif()
