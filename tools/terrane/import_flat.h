/* SPDX-License-Identifier: MIT */
/* What an importer makes of a file, inside the child process: one mesh with one set of attributes. Nothing is freed there, and
 * what goes wrong ends the process with an answer. */
#ifndef TOOL_IMPORT_FLAT_H
#define TOOL_IMPORT_FLAT_H

#include "mesh_import.h"

#include <stdnoreturn.h>

typedef struct import_flat {
    int descriptor;       /* where answers go */
    import_header header; /* counts and attributes, set before the arrays are made */
    float *positions, *normals, *tangents, *uv0, *uv1;
    uint8_t *colors;
    uint32_t *indices;
    trn_cook_submesh *submeshes;
    char *names; /* header.name_bytes of them so far */
} import_flat;

enum { IMPORT_NAME_BYTES = 1024 }; /* of a material, its zero included */

noreturn void import_refuse(const import_flat *flat, const char *reason);
noreturn void import_out_of_memory(const import_flat *flat);

/* Makes the arrays that the header asks for. */
void import_flat_allocate(import_flat *flat);

/* The importers: any format, and PLY. */
void import_assimp(import_flat *flat, const char *path);
void import_ply(import_flat *flat, const char *path);

#endif
