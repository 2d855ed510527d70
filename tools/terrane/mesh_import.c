/* SPDX-License-Identifier: MIT */
/* The parent's side of an import: starts the child, waits with a clock, and trusts nothing that it sends. */
#define _POSIX_C_SOURCE 200809L

#include "mesh_import.h"

#include "interrupt.h"
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { POLL_MILLISECONDS = 200 };

bool import_section_bytes(const import_header *header, uint64_t bytes[IMPORT_SECTION_COUNT]) {
    const uint64_t vertices = header->vertex_count, attributes = header->attributes;
    if (vertices > UINT32_MAX || header->submesh_count > UINT32_MAX || header->material_count > UINT32_MAX)
        return false;
    if (header->index_count > UINT64_C(1) << 40 || header->name_bytes > UINT64_C(1) << 32) return false;
    bytes[IMPORT_POSITIONS] = vertices * 3 * sizeof(float);
    bytes[IMPORT_NORMALS] = attributes & TRN_ATTRIBUTE_NORMAL ? vertices * 3 * sizeof(float) : 0;
    bytes[IMPORT_TANGENTS] = attributes & TRN_ATTRIBUTE_TANGENT ? vertices * 4 * sizeof(float) : 0;
    bytes[IMPORT_UV0] = attributes & TRN_ATTRIBUTE_UV0 ? vertices * 2 * sizeof(float) : 0;
    bytes[IMPORT_UV1] = attributes & TRN_ATTRIBUTE_UV1 ? vertices * 2 * sizeof(float) : 0;
    bytes[IMPORT_COLORS] = attributes & TRN_ATTRIBUTE_COLOR ? vertices * 4 : 0;
    bytes[IMPORT_INDICES] = header->index_count * sizeof(uint32_t);
    bytes[IMPORT_SUBMESHES] = header->submesh_count * sizeof(trn_cook_submesh);
    bytes[IMPORT_NAMES] = header->name_bytes;
    return true;
}

typedef struct child {
    pid_t process;
    int descriptor; /* the pipe's end to read */
    struct timespec deadline;
    progress *progress;
} child;

typedef enum heard { HEARD_ALL, HEARD_END, HEARD_TIMEOUT, HEARD_CANCEL, HEARD_ERROR } heard;

static bool is_late(const struct timespec *deadline) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > deadline->tv_sec || (now.tv_sec == deadline->tv_sec && now.tv_nsec >= deadline->tv_nsec);
}

/* Reads `size` bytes, or says why not. */
static heard hear(child *c, void *to, uint64_t size) {
    char *next = to;
    while (size > 0) {
        if (!progress_tell(c->progress, "reading", 0)) return HEARD_CANCEL;
        if (is_late(&c->deadline)) return HEARD_TIMEOUT;
        struct pollfd wait = {.fd = c->descriptor, .events = POLLIN};
        int ready = poll(&wait, 1, POLL_MILLISECONDS);
        if (ready < 0 && errno != EINTR) return HEARD_ERROR;
        if (ready <= 0) continue;
        ssize_t got = read(c->descriptor, next, size < 1u << 20 ? (size_t)size : 1u << 20);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return HEARD_ERROR;
        if (got == 0) return HEARD_END;
        next += got;
        size -= (uint64_t)got;
    }
    return HEARD_ALL;
}

/* Exactly `count` names, the last one ended. */
static bool names_fit(const char *names, uint64_t bytes, uint64_t count) {
    uint64_t found = 0;
    for (uint64_t i = 0; i < bytes; i++) found += names[i] == 0;
    return found == count && (bytes == 0 || names[bytes - 1] == 0);
}

/* Points the mesh into the block. Indices and submeshes are the cook's to check. */
static bool lay_out(imported_mesh *imported, const import_header *header, const uint64_t bytes[], const char **names) {
    const char *next = imported->block;
    const void *section[IMPORT_SECTION_COUNT];
    for (int i = 0; i < IMPORT_SECTION_COUNT; i++) {
        section[i] = bytes[i] > 0 ? next : NULL;
        next += IMPORT_PADDED(bytes[i]);
    }
    if (!names_fit(section[IMPORT_NAMES], bytes[IMPORT_NAMES], header->material_count)) return false;
    const char *name = section[IMPORT_NAMES];
    for (uint64_t i = 0; i < header->material_count; i++) {
        names[i] = name;
        name += strlen(name) + 1;
    }
    imported->left_out = header->left_out;
    imported->mesh = (trn_cook_mesh){
        .positions = section[IMPORT_POSITIONS],
        .normals = section[IMPORT_NORMALS],
        .tangents = section[IMPORT_TANGENTS],
        .uv0 = section[IMPORT_UV0],
        .uv1 = section[IMPORT_UV1],
        .colors = section[IMPORT_COLORS],
        .vertex_count = (uint32_t)header->vertex_count,
        .indices = section[IMPORT_INDICES],
        .index_count = header->index_count,
        .submeshes = section[IMPORT_SUBMESHES],
        .submesh_count = (uint32_t)header->submesh_count,
        .material_names = names,
        .material_count = (uint32_t)header->material_count,
    };
    return true;
}

static int refused(const char *path, const char *reason) {
    return report(TOOL_BAD_INPUT, "%s: import: %s", path, reason);
}

/* Reads the whole result into one block. */
static int receive(child *c, const char *path, const import_limits *limits, imported_mesh *imported, heard *how) {
    import_header header;
    *how = hear(c, &header, sizeof header);
    progress_end(c->progress);
    if (*how != HEARD_ALL) return TOOL_BAD_INPUT;
    header.reason[sizeof header.reason - 1] = 0;
    if (header.magic == IMPORT_MAGIC && header.status == IMPORT_OUT_OF_MEMORY)
        return report(TOOL_BAD_INPUT, "%s: import: more than %llu MB would be needed (see --import-memory)", path,
                      (unsigned long long)limits->megabytes);
    if (header.magic == IMPORT_MAGIC && header.status == IMPORT_REFUSED) return refused(path, header.reason);

    uint64_t bytes[IMPORT_SECTION_COUNT], total = 0;
    if (header.magic != IMPORT_MAGIC || header.status != IMPORT_OK || !import_section_bytes(&header, bytes))
        return refused(path, "the importer's answer is damaged");
    for (int i = 0; i < IMPORT_SECTION_COUNT; i++) total += IMPORT_PADDED(bytes[i]);
    const uint64_t name_table = header.material_count * sizeof(char *);
    if (total + name_table > limits->megabytes << 20 || total + name_table > SIZE_MAX)
        return refused(path, "the importer's answer is too large");
    imported->block = malloc((size_t)(total + name_table) + 1);
    if (!imported->block) return report(TOOL_OUT_OF_MEMORY, "%s: import: out of memory", path);
    *how = hear(c, imported->block, total);
    progress_end(c->progress);
    if (*how != HEARD_ALL) return TOOL_BAD_INPUT;
    const char **names = (void *)((char *)imported->block + total);
    return lay_out(imported, &header, bytes, names) ? TOOL_DONE : refused(path, "the importer's answer is damaged");
}

/* Why the child was not heard to the end; `status` is waitpid's. */
static int explain(const char *path, const import_limits *limits, heard how, int status) {
    const bool is_out_of_time = WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU;
    if (how == HEARD_CANCEL || interrupted()) return report(TOOL_CANCELLED, "%s: cancelled", path);
    if (how == HEARD_TIMEOUT || is_out_of_time)
        return report(TOOL_BAD_INPUT, "%s: import: the importer had not finished after %u s (see --import-seconds)",
                      path, (unsigned)limits->seconds);
    if (how == HEARD_END && WIFSIGNALED(status))
        return report(TOOL_BAD_INPUT, "%s: import: the importer crashed on it (signal %d)", path, WTERMSIG(status));
    if (how == HEARD_END) return refused(path, "the importer ended without an answer");
    return report(TOOL_IO, "%s: import: the pipe to the importer failed", path);
}

/* What can be known before any importer runs: errors of the file system, and nothing in it. */
static int check_file(const char *path) {
    struct stat info;
    if (stat(path, &info) != 0) return report_errno(path, "opening");
    if (S_ISDIR(info.st_mode)) return report(TOOL_IO, "%s: opening: is a folder", path);
    if (!S_ISREG(info.st_mode)) return report(TOOL_IO, "%s: opening: not a regular file", path);
    int descriptor = open(path, O_RDONLY);
    if (descriptor < 0) return report_errno(path, "opening");
    close(descriptor);
    return info.st_size > 0 ? TOOL_DONE : refused(path, "the file is empty");
}

int mesh_import(const char *path, const import_limits *limits, progress *bar, imported_mesh *imported) {
    memset(imported, 0, sizeof *imported);
    int exit_code = check_file(path);
    if (exit_code != TOOL_DONE) return exit_code;

    int ends[2];
    if (pipe(ends) != 0) return report_errno(path, "import");
    child c = {.descriptor = ends[0], .progress = bar};
    clock_gettime(CLOCK_MONOTONIC, &c.deadline);
    c.deadline.tv_sec += (time_t)limits->seconds;
    c.process = fork();
    if (c.process < 0) {
        exit_code = report_errno(path, "import");
        close(ends[0]);
        close(ends[1]);
        return exit_code;
    }
    if (c.process == 0) {
        close(ends[0]);
        import_child(path, limits, ends[1]);
    }
    close(ends[1]);

    heard how = HEARD_ALL;
    exit_code = receive(&c, path, limits, imported, &how);
    close(ends[0]);
    if (how != HEARD_END) kill(c.process, SIGKILL);
    int status = 0;
    while (waitpid(c.process, &status, 0) < 0 && errno == EINTR) {}
    if (how != HEARD_ALL) exit_code = explain(path, limits, how, status);
    if (exit_code != TOOL_DONE) mesh_import_free(imported);
    return exit_code;
}

void mesh_import_free(imported_mesh *imported) {
    free(imported->block);
    memset(imported, 0, sizeof *imported);
}
