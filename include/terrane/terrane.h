/* SPDX-License-Identifier: MIT */
/** @file
 * Terrane, all of the run time. A host drives a trn_world once a frame; examples/01_hello.c is a whole one.
 */
#ifndef TERRANE_TERRANE_H
#define TERRANE_TERRANE_H

#include "base.h"
#include "bvh.h"
#include "id.h"
#include "lod.h"
#include "math_types.h"
#include "model.h"
#include "region.h"
#include "shader/terrane_shared.h"
#include "stream.h"
#include "version.h"
#include "world.h"

#endif
