/* SPDX-License-Identifier: MIT */
#ifndef TERRANE_VERSION_H
#define TERRANE_VERSION_H

/** The version of these headers: the one place it is written down. Before 1.0 a minor version may change the API. */
#define TRN_VERSION_MAJOR 0
#define TRN_VERSION_MINOR 1
#define TRN_VERSION_PATCH 0

/** The version as one number, for comparisons: 0.1.0 is 100. */
#define TRN_VERSION (TRN_VERSION_MAJOR * 10000 + TRN_VERSION_MINOR * 100 + TRN_VERSION_PATCH)

#endif
