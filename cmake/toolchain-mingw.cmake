# SPDX-License-Identifier: MIT
# Compiles the runtime library for Windows on a Debian: a check that it needs nothing of POSIX or glibc.
#   cmake -B build/mingw --toolchain cmake/toolchain-mingw.cmake -DTRN_BUILD_COOK=OFF -DTRN_BUILD_HOST=OFF
# with tools, examples, benchmarks and tests off.

set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc)
# MinGW's isfinite() and isnan() hold a float and a double branch in one expression, which looks like a conversion.
set(CMAKE_C_FLAGS_INIT -Wno-float-conversion)

# The header-only dependency is the same for every system. It is linked by itself: all of the host's include folder
# would hide the headers of Windows.
set(TRN_HOST_INCLUDE /usr/include CACHE PATH "Where xxhash.h is")
set(trn_headers ${CMAKE_BINARY_DIR}/host-headers)
file(MAKE_DIRECTORY ${trn_headers}/include)
if(EXISTS ${TRN_HOST_INCLUDE}/xxhash.h)
  file(CREATE_LINK ${TRN_HOST_INCLUDE}/xxhash.h ${trn_headers}/include/xxhash.h SYMBOLIC)
endif()

set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32 ${trn_headers})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
