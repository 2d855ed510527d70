/* SPDX-License-Identifier: MIT */
/* Reads meshes of other programs' formats. Importers crash, hang and eat memory on damaged files, so assimp runs in a child
 * process with limits, and the parent checks what comes back. */
#ifndef TOOL_MESH_IMPORT_H
#define TOOL_MESH_IMPORT_H

#include "progress.h"

#include <stddef.h>
#include <terrane_cook/cook.h>

typedef struct import_limits {
    uint32_t seconds;   /* wall time, and processor time of the child */
    uint64_t megabytes; /* address space of the child, and the size of the result */
} import_limits;

/* Enough for tens of millions of triangles; docs/tool.md has the figures. */
#define IMPORT_DEFAULT_LIMITS ((import_limits){.seconds = 120, .megabytes = 8192})

typedef struct imported_mesh {
    trn_cook_mesh mesh; /* points into `block` */
    void *block;
    uint64_t left_out; /* points, lines and faces of fewer than three corners */
} imported_mesh;

/* Returns an exit code, reported unless TOOL_DONE. */
int mesh_import(const char *path, const import_limits *limits, progress *bar, imported_mesh *imported);
void mesh_import_free(imported_mesh *imported);

/* ---- Between parent and child ---------------------------------------------------------------------------------- */

#define IMPORT_MAGIC UINT64_C(0x6d69206e6e727474)

typedef enum import_status { IMPORT_OK = 0, IMPORT_REFUSED = 1, IMPORT_OUT_OF_MEMORY = 2 } import_status;

/* What the child sends first. The sections follow in the order of import_section, each padded to 8 bytes. */
typedef struct import_header {
    uint64_t magic;
    uint64_t status;
    uint64_t vertex_count;
    uint64_t index_count;
    uint64_t submesh_count;
    uint64_t material_count;
    uint64_t name_bytes;
    uint64_t attributes; /* TRN_ATTRIBUTE_ bits */
    uint64_t left_out;
    char reason[256]; /* why not, when it is refused */
} import_header;

typedef enum import_section {
    IMPORT_POSITIONS,
    IMPORT_NORMALS,
    IMPORT_TANGENTS,
    IMPORT_UV0,
    IMPORT_UV1,
    IMPORT_COLORS,
    IMPORT_INDICES,
    IMPORT_SUBMESHES,
    IMPORT_NAMES, /* each with its zero byte */
    IMPORT_SECTION_COUNT
} import_section;

/* Sizes of the sections; false when the counts cannot be those of a mesh. */
bool import_section_bytes(const import_header *header, uint64_t bytes[IMPORT_SECTION_COUNT]);
#define IMPORT_PADDED(bytes) (((bytes) + 7) & ~UINT64_C(7))

/* All of the child: reads `path`, writes the result to `descriptor` and ends the process. */
void import_child(const char *path, const import_limits *limits, int descriptor);

#endif
