/* SPDX-License-Identifier: MIT */
/* The bytes of a model file, version 1; docs/format.md says the same in words. Little-endian throughout.
 * Offsets are written out because no struct is ever laid over file bytes. */
#ifndef TRNI_MODEL_FORMAT_H
#define TRNI_MODEL_FORMAT_H

#define TRNI_MODEL_MAGIC "TRNMODEL" /* 8 bytes, no terminator */
#define TRNI_MODEL_VERSION 1u
#define TRNI_MODEL_FEATURES 0u /* feature bits this version knows; a file with others is refused */

#define TRNI_MODEL_MAX_ELEMENTS 0x7ffffff0u /* triangles of a file, vertices of a file */

/* header, 256 bytes */
enum {
    TRNI_HEAD_MAGIC = 0,
    TRNI_HEAD_VERSION = 8,   /* u32 */
    TRNI_HEAD_FEATURES = 12, /* u32 */
    TRNI_HEAD_FILE_BYTES = 16,
    TRNI_HEAD_HEAD_BYTES = 24,  /* header and tables: [0, head_bytes) */
    TRNI_HEAD_HASH = 32,        /* u64: XXH64 (seed 0) of the head with these eight bytes zero */
    TRNI_HEAD_GRID_ORIGIN = 40, /* 3 f64 */
    TRNI_HEAD_GRID_STEP = 64,   /* f32, a power of two */
    TRNI_HEAD_QUANTISATION_ERROR = 68,
    TRNI_HEAD_BOX_MIN = 72, /* 3 f32 */
    TRNI_HEAD_BOX_MAX = 84,
    TRNI_HEAD_SPHERE = 96, /* 4 f32 */
    TRNI_HEAD_LEVEL_COUNT = 112,
    TRNI_HEAD_PAGE_COUNT = 116,
    TRNI_HEAD_CHUNK_COUNT = 120,
    TRNI_HEAD_DEPENDENCY_COUNT = 124,
    TRNI_HEAD_MATERIAL_COUNT = 128,
    TRNI_HEAD_GROUP_COUNT = 132,
    TRNI_HEAD_CLUSTER_COUNT = 136,
    TRNI_HEAD_VERTEX_LAYOUT = 140,    /* 0: the 32-byte vertex */
    TRNI_HEAD_SOURCE_TRIANGLES = 144, /* u64 */
    TRNI_HEAD_STORED_TRIANGLES = 152,
    TRNI_HEAD_STORED_VERTICES = 160,
    TRNI_HEAD_ERROR_RULE = 168, /* trn_error_rule, never 0 */
    TRNI_HEAD_SIMPLIFIER_VERSION = 172,
    TRNI_HEAD_ATTRIBUTES = 176,
    TRNI_HEAD_RESERVED = 180,    /* u32 0 */
    TRNI_HEAD_LEVEL_TABLE = 184, /* u64 offsets; tables follow the header in this order without gaps */
    TRNI_HEAD_PAGE_TABLE = 192,
    TRNI_HEAD_DEPENDENCY_TABLE = 200,
    TRNI_HEAD_CHUNK_TABLE = 208,
    TRNI_HEAD_MATERIAL_TABLE = 216,
    TRNI_HEAD_STRINGS = 224,
    TRNI_HEAD_STRING_BYTES = 232, /* u64 */
    TRNI_HEAD_RESERVED2 = 240,    /* 16 bytes 0 */
    TRNI_HEAD_SIZE = 256
};

/* level record, 48 bytes; level 0 is the finest */
enum {
    TRNI_LEVEL_PARENT_ERROR = 0,
    TRNI_LEVEL_SPHERE = 4, /* 4 f32 */
    TRNI_LEVEL_FIRST_PAGE = 20,
    TRNI_LEVEL_PAGE_COUNT = 24,
    TRNI_LEVEL_CLUSTER_COUNT = 28,
    TRNI_LEVEL_TRIANGLE_COUNT = 32, /* u64 */
    TRNI_LEVEL_OWN_ERROR = 40,
    TRNI_LEVEL_RESERVED = 44, /* u32 0 */
    TRNI_LEVEL_SIZE = 48
};

/* page record, 64 bytes; page 0 is of the coarsest level, level numbers never rise along the table */
enum {
    TRNI_PAGE_PARENT_ERROR = 0,
    TRNI_PAGE_SPHERE = 4, /* 4 f32 */
    TRNI_PAGE_LEVEL = 20,
    TRNI_PAGE_FIRST_CHUNK = 24, /* chunks, dependencies and groups of the pages follow each other without gaps */
    TRNI_PAGE_CHUNK_COUNT = 28,
    TRNI_PAGE_FIRST_DEPENDENCY = 32,
    TRNI_PAGE_DEPENDENCY_COUNT = 36,
    TRNI_PAGE_VERTEX_COUNT = 40,
    TRNI_PAGE_CLUSTER_COUNT = 44,
    TRNI_PAGE_TRIANGLE_COUNT = 48,
    TRNI_PAGE_FIRST_GROUP = 52,
    TRNI_PAGE_GROUP_COUNT = 56,
    TRNI_PAGE_RESERVED = 60, /* u32 0 */
    TRNI_PAGE_SIZE = 64
};

/* dependency: u32 page number, smaller than the page that depends; ascending within a page */
enum { TRNI_DEPENDENCY_SIZE = 4 };

/* chunk record, 48 bytes; within a page: vertices, then clusters, then groups; offsets ascend, aligned to 16 */
enum {
    TRNI_CHUNK_OFFSET = 0, /* u64 */
    TRNI_CHUNK_STORED_BYTES = 8,
    TRNI_CHUNK_DECODED_BYTES = 12,
    TRNI_CHUNK_KIND = 16,  /* trn_chunk_kind */
    TRNI_CHUNK_CODEC = 20, /* 0 none */
    TRNI_CHUNK_FIRST = 24,
    TRNI_CHUNK_COUNT = 28,
    TRNI_CHUNK_HASH = 32,     /* u64: XXH64 (seed 0) of the stored bytes */
    TRNI_CHUNK_RESERVED = 40, /* u64 0 */
    TRNI_CHUNK_SIZE = 48
};

/* material record: u32 offset of its name in the strings, u32 bytes of the name (a zero byte follows it) */
enum { TRNI_MATERIAL_NAME = 0, TRNI_MATERIAL_NAME_BYTES = 4, TRNI_MATERIAL_SIZE = 8 };

/* vertex, 32 bytes, as it lies in mesh memory */
enum {
    TRNI_VERTEX_POSITION = 0, /* 3 u16 on the grid */
    TRNI_VERTEX_SIGN = 6,     /* u16: bit 0 set: tangent sign is -1; other bits the host's */
    TRNI_VERTEX_NORMAL = 8,   /* 2 s16, octahedral, 32767 = 1 */
    TRNI_VERTEX_TANGENT = 12, /* 2 s16, octahedral */
    TRNI_VERTEX_UV0 = 16,     /* 2 half */
    TRNI_VERTEX_UV1 = 20,     /* 2 half */
    TRNI_VERTEX_COLOR = 24,   /* 4 u8 */
    TRNI_VERTEX_HOST = 28,    /* 4 bytes, the host's; the cook writes 0 */
    TRNI_VERTEX_SIZE = 32
};

/* Decoded cluster chunk: `count` cluster entries of 88 bytes, then all vertex references (u16, added to the record's
 * vertex_base), then all corners (3 u8 a triangle). The entry is trn_cluster_record (80 bytes) and two group numbers. */
enum {
    TRNI_CLUSTER_OWN_SPHERE = 0,
    TRNI_CLUSTER_PARENT_SPHERE = 16,
    TRNI_CLUSTER_CULL_SPHERE = 32,
    TRNI_CLUSTER_OWN_ERROR = 48,
    TRNI_CLUSTER_PARENT_ERROR = 52,
    TRNI_CLUSTER_CONE = 56,
    TRNI_CLUSTER_COUNTS = 60,
    TRNI_CLUSTER_MATERIAL = 64,
    TRNI_CLUSTER_CHILD_PAGE = 68,
    TRNI_CLUSTER_VERTEX_BASE = 72,
    TRNI_CLUSTER_CLUSTER = 76,
    TRNI_CLUSTER_OWN_GROUP = 80,    /* group that made it, 0xffffffff: none */
    TRNI_CLUSTER_PARENT_GROUP = 84, /* group that replaces it, 0xffffffff: none */
    TRNI_CLUSTER_ENTRY_SIZE = 88
};

/* group record, 32 bytes, in the page of its members; groups are numbered through the file in page order */
enum {
    TRNI_GROUP_ERROR = 0,
    TRNI_GROUP_SPHERE = 4,         /* 4 f32 */
    TRNI_GROUP_LEVEL = 20,         /* u32: level of its members */
    TRNI_GROUP_MEMBER_COUNT = 24,  /* clusters it was made from */
    TRNI_GROUP_PRODUCT_COUNT = 28, /* clusters it made */
    TRNI_GROUP_SIZE = 32
};

#endif
