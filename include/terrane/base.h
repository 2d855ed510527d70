/* SPDX-License-Identifier: MIT */
/** @file
 * What every other header needs: results, the error text, and the hooks a host may set (memory, log, assert, jobs).
 *
 * Rules that hold everywhere
 * - A definition (`_def`) that is all zero means the documented defaults. Its size reaches the library with each call, so
 *   that a newer shared library reads an older host's definition. Definitions are copied; nothing in them need outlive
 *   the call unless its comment says so.
 * - A call that fails changes nothing and writes no output, except for the trn_error given to it.
 * - There is no global state. Objects are independent; one object is used by one thread at a time unless its header
 *   says otherwise.
 */
#ifndef TERRANE_BASE_H
#define TERRANE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "version.h"

#if defined(TRN_SHARED) && defined(_WIN32)
#if defined(TRN_BUILD)
#define TRN_EXPORT __declspec(dllexport)
#else
#define TRN_EXPORT __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define TRN_EXPORT __attribute__((visibility("default")))
#else
#define TRN_EXPORT
#endif

/** Marks each function of the public interface. */
#ifdef __cplusplus
#define TRN_API extern "C" TRN_EXPORT
#else
#define TRN_API extern TRN_EXPORT
#endif

/** Every result: name, pinned value, text. Values never change; new ones are added. */
#define TRN_RESULTS(X)                                                         \
    X(TRN_OK, 0, "ok")                                                         \
    X(TRN_ERROR_ARGUMENT, -1, "an argument is out of its range")               \
    X(TRN_ERROR_STALE_ID, -2, "the id is null or its object no longer exists") \
    X(TRN_ERROR_STATE, -3, "the call is not allowed in this state")            \
    X(TRN_ERROR_BUSY, -4, "the object is in use")                              \
    X(TRN_ERROR_FULL, -5, "a fixed table has no free place")                   \
    X(TRN_ERROR_NOT_FOUND, -6, "no such thing")                                \
    X(TRN_ERROR_EXISTS, -7, "it exists already")                               \
    X(TRN_ERROR_VERSION, -8, "made for another version")                       \
    X(TRN_ERROR_OUT_OF_MEMORY, -20, "out of memory")                           \
    X(TRN_ERROR_IO, -21, "reading or writing failed")                          \
    X(TRN_ERROR_CANCELLED, -22, "cancelled")                                   \
    X(TRN_ERROR_FORMAT, -40, "not a file of this kind, or damaged")            \
    X(TRN_ERROR_CHECKSUM, -41, "the bytes do not match their checksum")        \
    X(TRN_ERROR_UNSUPPORTED, -42, "this build cannot do that")                 \
    X(TRN_ERROR_MESH, -43, "the mesh cannot be cooked")                        \
    X(TRN_ERROR_INTERNAL, -99, "a rule inside the library is broken")

/** TRN_OK or a negative code; see TRN_RESULTS. */
typedef enum trn_result {
#define TRN_RESULT_ENUM(name, value, text) name = value,
    TRN_RESULTS(TRN_RESULT_ENUM)
#undef TRN_RESULT_ENUM
} trn_result;

/** The text of a result, static; "unknown result" for a number that is none. */
TRN_API const char *trn_result_text(trn_result result);

/** The version of the library that runs, as TRN_VERSION. */
TRN_API uint32_t trn_version(void);

/** Says what went wrong and where: filled by loads and cooks that fail; untouched by those that succeed. */
typedef struct trn_error {
    trn_result code;
    uint32_t item;  /**< index of the offending element, 0 where there is none */
    uint64_t place; /**< byte offset in the file, 0 where there is none */
    char text[256]; /**< one line: file, place, reason; always ends with a zero byte */
} trn_error;

/** Memory hook of an object. A zeroed one is the C library's heap.
 *
 * Called only by the thread that uses the object, except where an object's header says otherwise. `alloc` returns NULL
 * when it has none; the call that needed it then fails with TRN_ERROR_OUT_OF_MEMORY. `free` gets the size and
 * alignment that were asked for. Set both or none. */
typedef struct trn_allocator {
    void *user;
    void *(*alloc)(void *user, size_t size, size_t align); /**< size > 0, align a power of two <= 64 */
    void (*free)(void *user, void *memory, size_t size, size_t align);
} trn_allocator;

/** How much a log message matters. */
typedef enum trn_log_level { TRN_LOG_INFO = 0, TRN_LOG_WARNING = 1, TRN_LOG_ERROR = 2 } trn_log_level;

/** Every log message: name, pinned number, level. Tests and hosts match numbers, never texts. */
#define TRN_LOG_ITEMS(X)                                    \
    X(TRN_LOG_REGION_FAILED, 100, TRN_LOG_ERROR)            \
    X(TRN_LOG_PAGE_FAILED, 200, TRN_LOG_WARNING)            \
    X(TRN_LOG_MODEL_FAILED, 201, TRN_LOG_ERROR)             \
    X(TRN_LOG_MODEL_NOT_DRAWN_MEMORY, 202, TRN_LOG_WARNING) \
    X(TRN_LOG_BIAS_CHANGED, 203, TRN_LOG_INFO)              \
    X(TRN_LOG_READ_RETRIED, 204, TRN_LOG_WARNING)           \
    X(TRN_LOG_LEAK, 300, TRN_LOG_WARNING)                   \
    X(TRN_LOG_COOK_NOTE, 400, TRN_LOG_INFO)                 \
    X(TRN_LOG_COOK_WARNING, 401, TRN_LOG_WARNING)

typedef enum trn_log_item {
#define TRN_LOG_ENUM(name, number, level) name = number,
    TRN_LOG_ITEMS(TRN_LOG_ENUM)
#undef TRN_LOG_ENUM
} trn_log_item;

/** One log message; valid during the callback. */
typedef struct trn_log_message {
    trn_log_level level;
    trn_log_item item;
    const char *text; /**< one line, no newline */
} trn_log_message;

/** Log hook. Called by the thread that uses the object; must not call back into it. NULL `write`: no log. */
typedef struct trn_log {
    void *user;
    void (*write)(void *user, const trn_log_message *message);
} trn_log;

/** Assert hook: told of a broken rule inside the library or of misuse, before the error code is returned. NULL `fail`:
 * nobody is told. It may abort; when it returns, the library goes on safely. */
typedef struct trn_assert {
    void *user;
    void (*fail)(void *user, const char *condition, const char *file, int line);
} trn_assert;

/** Job hook: lends an object the host's threads. A zeroed one runs everything at once in the calling thread. */
typedef struct trn_jobs {
    void *user;
    /** Runs `task(context)` now or later on any thread. Returns a handle for `finish`, or NULL when it already ran. */
    void *(*enqueue)(void *user, void (*task)(void *context), void *context);
    /** Waits until the task behind a handle has run. Called once for each handle that is not NULL. */
    void (*finish)(void *user, void *handle);
} trn_jobs;

#endif
