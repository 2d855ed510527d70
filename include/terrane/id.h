/* SPDX-License-Identifier: MIT */
/** @file
 * Names of the things inside a world: small values with a generation, one C type a kind. All zero is the null id. An id
 * whose object is gone is answered with TRN_ERROR_STALE_ID, in every build; its place may be used again, its number
 * never is.
 */
#ifndef TERRANE_ID_H
#define TERRANE_ID_H

#include "base.h"

/** A region of a world. */
typedef struct trn_region_id {
    uint32_t index1; /**< place in its table + 1 */
    uint32_t generation;
} trn_region_id;

/** A model that a world streams. */
typedef struct trn_model_id {
    uint32_t index1;
    uint32_t generation;
} trn_model_id;

/** One placement of a model. */
typedef struct trn_instance_id {
    uint32_t index1;
    uint32_t generation;
} trn_instance_id;

#endif
