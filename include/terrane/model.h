/* SPDX-License-Identifier: MIT */
/** @file
 * A cooked model file, opened: what its tables say. docs/format.md describes the bytes.
 *
 * A model is one directed acyclic graph of clusters. Level 0 is the finest; each level alone is the whole model. Pages
 * are what is streamed: page 0 holds the coarsest clusters, and a page depends only on pages before it. Every page is
 * stored in chunks of at most 8 MB. The library reads no files: the host reads the head (header and tables), and later
 * the chunks, and hands them in.
 */
#ifndef TERRANE_MODEL_H
#define TERRANE_MODEL_H

#include "base.h"
#include "math_types.h"

/** Bytes that tell how long the head is. */
#define TRN_MODEL_HEADER_BYTES 256u

/** A chunk is never larger than this, stored or in memory. */
#define TRN_CHUNK_MAX_BYTES (8u << 20)

/** The tables of one model file. Read-only after opening: any thread may ask. */
typedef struct trn_model trn_model;

/** What a chunk holds. */
typedef enum trn_chunk_kind {
    TRN_CHUNK_VERTICES = 0, /**< vertices, as they lie in mesh memory */
    TRN_CHUNK_CLUSTERS = 1, /**< clusters, without fill */
    TRN_CHUNK_GROUPS = 2    /**< group records, for tools; not placed in mesh memory */
} trn_chunk_kind;

/** How errors of following levels are put together. */
typedef enum trn_error_rule {
    TRN_ERROR_RULE_DEFAULT = 0,  /**< additive, until errors are measured */
    TRN_ERROR_RULE_ADDITIVE = 1, /**< the largest of the children plus the step's */
    TRN_ERROR_RULE_MAX = 2       /**< the larger of both: smaller numbers, no bound */
} trn_error_rule;

/** The whole file. */
typedef struct trn_model_info {
    uint64_t file_bytes;
    uint64_t head_bytes;
    uint32_t version;
    uint32_t level_count; /**< >= 1 */
    uint32_t page_count;
    uint32_t chunk_count;
    uint32_t dependency_count;
    uint32_t material_count;
    uint32_t group_count;
    uint32_t cluster_count;
    uint64_t source_triangles; /**< of the mesh that was cooked, before degenerate ones were dropped */
    uint64_t stored_triangles; /**< of all levels; what several levels share counts once */
    uint64_t stored_vertices;
    trn_box box;       /**< model units, around all positions */
    trn_sphere sphere; /**< around the box's content */
    double grid_origin[3];
    float grid_step;          /**< a power of two; position = origin + number x step */
    float quantisation_error; /**< model units; part of every stored error */
    uint32_t vertex_bytes;    /**< of one vertex in mesh memory */
    uint32_t attributes;      /**< TRN_ATTRIBUTE_ bits that the source had */
    trn_error_rule error_rule;
    uint32_t simplifier_version; /**< MESHOPTIMIZER_VERSION of the cook */
} trn_model_info;

#define TRN_ATTRIBUTE_NORMAL 1u
#define TRN_ATTRIBUTE_TANGENT 2u
#define TRN_ATTRIBUTE_UV0 4u
#define TRN_ATTRIBUTE_UV1 8u
#define TRN_ATTRIBUTE_COLOR 16u

/** One level. */
typedef struct trn_model_level {
    float own_error;    /**< largest error of its clusters, model units; level 0: 0 */
    float parent_error; /**< largest error among the groups that replace it; TRN_ERROR_WITHOUT_PARENT: coarsest */
    trn_sphere sphere;  /**< encloses the spheres of these groups; coarsest: the model's */
    uint32_t first_page;
    uint32_t page_count;
    uint32_t cluster_count;  /**< of the whole level, those stored with coarser levels included */
    uint64_t triangle_count; /**< the same */
} trn_model_level;

/** One page. */
typedef struct trn_model_page {
    float parent_error; /**< largest error among the groups that replace its clusters; TRN_ERROR_WITHOUT_PARENT */
    trn_sphere sphere;  /**< encloses the spheres of these groups */
    uint32_t level;
    uint32_t first_chunk;
    uint32_t chunk_count;
    uint32_t first_dependency;
    uint32_t dependency_count;
    uint32_t vertex_count;
    uint32_t cluster_count;
    uint32_t triangle_count;
    uint32_t first_group;
    uint32_t group_count; /**< groups whose members lie in it */
} trn_model_page;

/** One chunk: everything its reader and decoder must know. */
typedef struct trn_model_chunk {
    uint64_t offset; /**< bytes from the start of the file */
    uint32_t stored_bytes;
    uint32_t decoded_bytes;
    uint32_t placed_bytes; /**< in mesh memory, fill included; 0 for groups */
    trn_chunk_kind kind;
    uint32_t codec; /**< 0: none */
    uint32_t first; /**< first vertex, cluster or group, counted within the page */
    uint32_t count;
    uint64_t hash; /**< XXH64 of the stored bytes */
    uint32_t page_vertex_count;
    uint32_t page; /**< page it belongs to */
    uint32_t level;
} trn_model_chunk;

/** Says how many bytes the head has, given the first TRN_MODEL_HEADER_BYTES of a file.
 * @return TRN_OK, TRN_ERROR_FORMAT (no model, or a size beyond 1 GiB), TRN_ERROR_VERSION */
TRN_API trn_result trn_model_head_bytes(const void *header, size_t bytes, uint64_t *head_bytes, trn_error *error);

/** Opens a model from its head. Every count, offset, order and number is checked; `head` is not kept.
 * @param name for error texts, usually the file's name; NULL: "model"
 * @param file_bytes size of the file on disk, 0 when unknown; a shorter one than the head says is refused
 * @param allocator NULL: the C library's heap
 * @return TRN_OK, TRN_ERROR_FORMAT, TRN_ERROR_CHECKSUM, TRN_ERROR_VERSION, TRN_ERROR_OUT_OF_MEMORY */
TRN_API trn_result trn_model_open(const void *head, size_t bytes, uint64_t file_bytes, const char *name,
                                  const trn_allocator *allocator, trn_model **model, trn_error *error);

/** Frees an opened model; NULL is allowed. */
TRN_API void trn_model_close(trn_model *model);

TRN_API void trn_model_get_info(const trn_model *model, trn_model_info *info);
/** @return TRN_OK or TRN_ERROR_ARGUMENT (no such level); the same for the next three */
TRN_API trn_result trn_model_get_level(const trn_model *model, uint32_t level, trn_model_level *info);
TRN_API trn_result trn_model_get_page(const trn_model *model, uint32_t page, trn_model_page *info);
TRN_API trn_result trn_model_get_chunk(const trn_model *model, uint32_t chunk, trn_model_chunk *info);
/** Page that a dependency entry names (always smaller than the page it belongs to). */
TRN_API trn_result trn_model_get_dependency(const trn_model *model, uint32_t entry, uint32_t *page);
/** Name of a material, valid while the model is open; NULL when there is no such material. */
TRN_API const char *trn_model_material_name(const trn_model *model, uint32_t material);

/** Checks the stored bytes of a chunk: size, hash, and with codec none every count, reference and float in it, so that
 * what follows may use them unchecked. Any thread.
 * @param page_count pages of the model (for child pages)
 * @return TRN_OK, TRN_ERROR_CHECKSUM, TRN_ERROR_FORMAT, TRN_ERROR_UNSUPPORTED (a codec this library does not read) */
TRN_API trn_result trn_chunk_check(const trn_model_chunk *chunk, uint32_t page_count, const void *bytes, size_t size,
                                   trn_error *error);

/** Writes a run of a checked chunk's elements in the form they have in mesh memory (fill included).
 * @param first,count elements within the chunk; vertices: TRN_VERTEX_BYTES each, clusters: TRN_CLUSTER_BYTES each
 * @param to at least count x that many bytes, aligned to 4; it is only written, so it may be write-combined memory */
TRN_API void trn_chunk_place(const trn_model_chunk *chunk, const void *decoded, uint32_t first, uint32_t count,
                             void *to);

#endif
