# SPDX-License-Identifier: MIT
# Headers, libraries, the CMake package and the pkg-config files.
include(CMakePackageConfigHelpers)

set(targets terrane)
set(header_folders include/terrane)
if(TARGET terrane_cook)
  list(APPEND targets terrane_cook)
  list(APPEND header_folders include/terrane_cook)
endif()
if(TARGET terrane_host)
  list(APPEND targets terrane_host)
  list(APPEND header_folders include/terrane_host)
endif()

install(DIRECTORY ${header_folders} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS ${targets} EXPORT terraneTargets)
if(TARGET terrane_tool)
  install(TARGETS terrane_tool)
endif()

# meshoptimizer may be one that `make deps` unpacked, where no linker or loader looks by itself.
get_property(meshoptimizer_include_dir CACHE TRN_MESHOPTIMIZER_INCLUDE_DIR PROPERTY VALUE)
get_property(meshoptimizer_dir CACHE TRN_MESHOPTIMIZER_LIBRARY PROPERTY VALUE)
get_filename_component(meshoptimizer_dir "${meshoptimizer_dir}" DIRECTORY)
if(meshoptimizer_dir IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
  set(meshoptimizer_dir "")
endif()

if(UNIX AND NOT APPLE)
  if(BUILD_SHARED_LIBS)
    set_property(TARGET ${targets} APPEND PROPERTY INSTALL_RPATH "$ORIGIN" ${meshoptimizer_dir})
  endif()
  if(TARGET terrane_tool)
    set_property(TARGET terrane_tool APPEND PROPERTY INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}" ${meshoptimizer_dir})
  endif()
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/terrane)
install(EXPORT terraneTargets NAMESPACE terrane:: DESTINATION ${package_dir})
configure_package_config_file(cmake/terraneConfig.cmake.in ${PROJECT_BINARY_DIR}/package/terraneConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/terraneConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/package/terraneConfig.cmake ${PROJECT_BINARY_DIR}/package/terraneConfigVersion.cmake
  cmake/TerraneDependencies.cmake cmake/FindMeshoptimizer.cmake
  DESTINATION ${package_dir})

# pkg-config: what is private matters to static linking only.
if(BUILD_SHARED_LIBS)
  set(pc_cflags " -DTRN_SHARED")
endif()
if(UNIX)
  set(pc_math -lm)
endif()
set(pc_meshoptimizer -lmeshoptimizer)
if(meshoptimizer_dir)
  set(pc_meshoptimizer "-L${meshoptimizer_dir} -Wl,-rpath,${meshoptimizer_dir} -lmeshoptimizer")
endif()

# trn_pkg_config(<name> <description> <requires> <requires private> <libs private>)
function(trn_pkg_config name description requires requires_private libs_private)
  string(REPLACE "-" "_" library ${name})
  configure_file(cmake/terrane.pc.in ${PROJECT_BINARY_DIR}/package/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/package/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

trn_pkg_config(terrane "${PROJECT_DESCRIPTION}" "" "" "${pc_math}")
if(TARGET terrane_cook)
  trn_pkg_config(terrane-cook "Terrane's cook library: makes model files" "terrane = ${PROJECT_VERSION}" ""
    "${pc_meshoptimizer} ${pc_math}")
endif()
if(TARGET terrane_host)
  trn_pkg_config(terrane-host "Terrane's default services: threads and files" "terrane = ${PROJECT_VERSION}" ""
    "-pthread ${pc_math}")
endif()
