/* SPDX-License-Identifier: MIT */
/* The C side of the test that decides which clusters are drawn; its text is in the header that GLSL shares. */
#define TRN_SHARED_IMPLEMENTATION
#include <terrane/shader/terrane_shared.h>
