/* SPDX-License-Identifier: MIT */
/* Write to a temporary file in the target's folder, fsync, rename, fsync the folder: a reader sees the old file or the new
 * one, also after a power cut. */
#define _POSIX_C_SOURCE 200809L

#include "output_file.h"

#include "interrupt.h"
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WRITE_BYTES = 8 << 20 }; /* between two looks at the interrupt */

/* The folder of a path, to be freed. */
static char *folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    if (slash == path) length = 1;
    char *folder = malloc(length + 2);
    if (!folder) return NULL;
    if (slash)
        memcpy(folder, path, length);
    else
        folder[length++] = '.';
    folder[length] = 0;
    return folder;
}

int output_check(const char *path, const char *input) {
    struct stat target, source;
    if (stat(path, &target) == 0) {
        /* A rename would replace a device or a pipe by a file. */
        if (!S_ISREG(target.st_mode)) return report(TOOL_IO, "%s: output: not a regular file", path);
        if (input && stat(input, &source) == 0 && source.st_dev == target.st_dev && source.st_ino == target.st_ino)
            return report(TOOL_USAGE, "%s: output: is the input, too", path);
    } else if (errno != ENOENT) {
        return report_errno(path, "output");
    }
    char *folder = folder_of(path);
    if (!folder) return report(TOOL_OUT_OF_MEMORY, "%s: output: out of memory", path);
    int exit_code = TOOL_DONE;
    if (access(folder, W_OK | X_OK) != 0)
        exit_code = report_errno(path, "output");
    else if (path[strlen(path) - 1] == '/')
        exit_code = report(TOOL_IO, "%s: output: is a folder", path);
    free(folder);
    return exit_code;
}

int output_open(output_file *out, const char *path) {
    static const char ending[] = ".XXXXXX";
    *out = (output_file){.path = path, .descriptor = -1};
    size_t length = strlen(path);
    out->temporary = malloc(length + sizeof ending);
    if (!out->temporary) return report(TOOL_OUT_OF_MEMORY, "%s: output: out of memory", path);
    memcpy(out->temporary, path, length);
    memcpy(out->temporary + length, ending, sizeof ending);
    out->descriptor = mkstemp(out->temporary);
    if (out->descriptor < 0) {
        int exit_code = report_errno(path, "creating");
        free(out->temporary);
        out->temporary = NULL;
        return exit_code;
    }
    /* mkstemp is private; the result is as any new file. */
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(out->descriptor, 0666 & ~mask) != 0) return report_errno(path, "creating");
    return TOOL_DONE;
}

int output_write(output_file *out, const void *bytes, size_t size) {
    const char *next = bytes;
    while (size > 0 && !interrupted()) {
        ssize_t written = write(out->descriptor, next, size < WRITE_BYTES ? size : WRITE_BYTES);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return report_errno(out->path, "writing");
        next += written;
        size -= (size_t)written;
    }
    return size > 0 ? report(TOOL_CANCELLED, "%s: cancelled", out->path) : TOOL_DONE;
}

int output_commit(output_file *out) {
    /* Some file systems know no fsync; everything else it reports is data lost. */
    if (fsync(out->descriptor) != 0 && errno != EINVAL && errno != EINTR) return report_errno(out->path, "writing");
    int descriptor = out->descriptor;
    out->descriptor = -1;
    if (close(descriptor) != 0 && errno != EINTR) return report_errno(out->path, "writing");
    if (interrupted()) return report(TOOL_CANCELLED, "%s: cancelled", out->path);
    if (rename(out->temporary, out->path) != 0) return report_errno(out->path, "renaming");
    free(out->temporary);
    out->temporary = NULL;

    /* The file is in place; that the folder is on the disk as well is best effort. */
    char *folder = folder_of(out->path);
    int folder_descriptor = folder ? open(folder, O_RDONLY) : -1;
    if (folder_descriptor >= 0) {
        fsync(folder_descriptor);
        close(folder_descriptor);
    }
    free(folder);
    return TOOL_DONE;
}

void output_discard(output_file *out) {
    if (out->descriptor >= 0) close(out->descriptor);
    if (out->temporary) unlink(out->temporary);
    free(out->temporary);
    *out = (output_file){.descriptor = -1};
}
