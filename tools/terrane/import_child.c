/* SPDX-License-Identifier: MIT */
/* The child's side of an import: limits, the importer that fits, and the answer. Nothing is freed: the process ends. */
#define _POSIX_C_SOURCE 200809L

#include "import_flat.h"
#include "import_gzip.h"
#include "interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- Answers ---------------------------------------------------------------------------------------------------- */

/* To the parent; without one, nothing is left to do. */
static void send(int descriptor, const void *bytes, uint64_t size) {
    const char *next = bytes;
    while (size > 0) {
        ssize_t written = write(descriptor, next, size < 1u << 30 ? (size_t)size : 1u << 30);
        if (written < 0 && errno != EINTR) _exit(1);
        if (written <= 0) continue;
        next += written;
        size -= (uint64_t)written;
    }
}

void import_refuse(const import_flat *flat, const char *reason) {
    import_header header = {.magic = IMPORT_MAGIC, .status = IMPORT_REFUSED};
    snprintf(header.reason, sizeof header.reason, "%s", reason);
    send(flat->descriptor, &header, sizeof header);
    _exit(0);
}

void import_out_of_memory(const import_flat *flat) {
    import_header header = {.magic = IMPORT_MAGIC, .status = IMPORT_OUT_OF_MEMORY};
    send(flat->descriptor, &header, sizeof header);
    _exit(0);
}

/* ---- Limits ----------------------------------------------------------------------------------------------------- */

/* A sanitizer maps terabytes for itself. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ADDRESS_SPACE_IS_OURS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ADDRESS_SPACE_IS_OURS 0
#endif
#endif
#ifndef ADDRESS_SPACE_IS_OURS
#define ADDRESS_SPACE_IS_OURS 1
#endif

static void limit(int resource, uint64_t value) {
    struct rlimit current;
    if (getrlimit(resource, &current) != 0) return;
    if (current.rlim_max != RLIM_INFINITY && value > current.rlim_max) value = current.rlim_max;
    current.rlim_cur = (rlim_t)value;
    setrlimit(resource, &current);
}

static void set_limits(const import_limits *limits) {
    interrupt_release();
    if (ADDRESS_SPACE_IS_OURS) limit(RLIMIT_AS, limits->megabytes << 20);
    limit(RLIMIT_CPU, limits->seconds);
    limit(RLIMIT_CORE, 0);
    /* Importers print; the terminal gets one line, from the parent. */
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
}

/* ---- The mesh ---------------------------------------------------------------------------------------------------- */

/* calloc checks the product, and nothing is zero bytes. */
void import_flat_allocate(import_flat *flat) {
    const size_t vertices = (size_t)flat->header.vertex_count + 1;
    const uint64_t attributes = flat->header.attributes;
    bool is_done = (flat->positions = calloc(vertices, 3 * sizeof(float))) != NULL;
    if (attributes & TRN_ATTRIBUTE_NORMAL) is_done &= (flat->normals = calloc(vertices, 3 * sizeof(float))) != NULL;
    if (attributes & TRN_ATTRIBUTE_TANGENT) is_done &= (flat->tangents = calloc(vertices, 4 * sizeof(float))) != NULL;
    if (attributes & TRN_ATTRIBUTE_UV0) is_done &= (flat->uv0 = calloc(vertices, 2 * sizeof(float))) != NULL;
    if (attributes & TRN_ATTRIBUTE_UV1) is_done &= (flat->uv1 = calloc(vertices, 2 * sizeof(float))) != NULL;
    if (attributes & TRN_ATTRIBUTE_COLOR) is_done &= (flat->colors = calloc(vertices, 4)) != NULL;
    is_done &= (flat->indices = calloc((size_t)flat->header.index_count + 1, sizeof(uint32_t))) != NULL;
    is_done &= (flat->submeshes = calloc((size_t)flat->header.submesh_count + 1, sizeof(trn_cook_submesh))) != NULL;
    is_done &= (flat->names = calloc((size_t)flat->header.material_count + 1, IMPORT_NAME_BYTES)) != NULL;
    if (!is_done) import_out_of_memory(flat);
}

static bool is_ply(const char *path) {
    const size_t length = strlen(path) - (gzip_is_name(path) ? 3 : 0);
    return length >= 4 && strncasecmp(path + length - 4, ".ply", 4) == 0;
}

void import_child(const char *path, const import_limits *limits, int descriptor) {
    set_limits(limits);
    import_flat mesh = {.descriptor = descriptor, .header = {.magic = IMPORT_MAGIC}};
    if (is_ply(path))
        import_ply(&mesh, path);
    else
        import_assimp(&mesh, path);

    uint64_t bytes[IMPORT_SECTION_COUNT];
    const void *sections[IMPORT_SECTION_COUNT] = {mesh.positions, mesh.normals, mesh.tangents,  mesh.uv0,  mesh.uv1,
                                                  mesh.colors,    mesh.indices, mesh.submeshes, mesh.names};
    if (!import_section_bytes(&mesh.header, bytes)) import_refuse(&mesh, "it is too large");
    send(descriptor, &mesh.header, sizeof mesh.header);
    for (int i = 0; i < IMPORT_SECTION_COUNT; i++) {
        const char padding[8] = {0};
        send(descriptor, sections[i], bytes[i]);
        send(descriptor, padding, IMPORT_PADDED(bytes[i]) - bytes[i]);
    }
    _exit(0);
}
