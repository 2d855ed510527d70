# SPDX-License-Identifier: MIT
# What every target of this project is compiled with. Flags are on targets only, never global.

# trn_target_defaults(<target>): strict C17, hidden symbols, warnings, sanitizers. Call it for each target that compiles code.
function(trn_target_defaults target)
  set_target_properties(${target} PROPERTIES
    C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
    CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
    POSITION_INDEPENDENT_CODE ON)

  if(MSVC)
    target_compile_options(${target} PRIVATE /W4 /fp:precise $<$<BOOL:${TRN_WERROR}>:/WX>)
    return()
  endif()

  # Results must be the same with every compiler, so a * b + c is never fused; -ffast-math is never used.
  # GCC 12's vectorizer of straight-line code drops the rounding of double -> float -> double.
  target_compile_options(${target} PRIVATE -ffp-contract=off
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Wvla
    $<$<C_COMPILER_ID:GNU>:-fno-tree-slp-vectorize>
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>
    $<$<BOOL:${TRN_WERROR}>:-Werror>)

  if(TRN_SANITIZE)
    set(sanitize -fsanitize=${TRN_SANITIZE} -fno-omit-frame-pointer)
    if(TRN_SANITIZE MATCHES "undefined")
      list(APPEND sanitize -fno-sanitize-recover=undefined)
    endif()
    target_compile_options(${target} PRIVATE ${sanitize})
    target_link_options(${target} PRIVATE ${sanitize})
  endif()

  if(TRN_BUILD_FUZZERS)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()

  if(TRN_COVERAGE)
    target_compile_options(${target} PRIVATE --coverage -fprofile-update=atomic)
    target_link_options(${target} PRIVATE --coverage)
  endif()
endfunction()
