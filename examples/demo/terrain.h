/* SPDX-License-Identifier: MIT */
/* Cooks what the demo generates itself: the island's tiles, the tree and the rock. */
#ifndef DEMO_TERRAIN_H
#define DEMO_TERRAIN_H

#include <terrane/base.h>

/* Writes FOLDER/tile_COLUMN_ROW.trn, FOLDER/tree.trn and FOLDER/rock.trn, several at a time on the job hook's threads.
 * `seconds`: of tree and rock. False, with a line of text, when one could not be cooked or written. */
bool terrain_cook(const char *folder, trn_jobs jobs, double seconds[2], char error[256]);

/* The path of a tile's file. */
void terrain_path(char path[512], const char *folder, uint32_t column, uint32_t row);

#endif
