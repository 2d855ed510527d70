/* SPDX-License-Identifier: MIT */
/* Inside terrane::host: a queue of tasks for the workers, files by number. */
#ifndef TRNI_HOST_INTERNAL_H
#define TRNI_HOST_INTERNAL_H

#include <pthread.h>
#include <stdio.h>

#include <terrane_host/host.h>

#include "base/base_internal.h"

/* One task in the queue: a read to serve, or a function to call. Lives in a pool; the queue and the free list are chains. */
typedef struct host_task {
    struct host_task *next;
    uint64_t read_number; /* 0: not a read */
    trn_read read;
    void (*run)(void *context);
    void *context;
    bool done;   /* of a job with a handle */
    bool waited; /* somebody will finish it, so it is not freed by the worker */
} host_task;

typedef struct host_file {
    char *path;
    size_t path_bytes;
    int descriptor;
    uint64_t size;
} host_file;

struct trn_host {
    trn_allocator allocator;
    trn_log log;
    trn_inbox *inbox;

    pthread_mutex_t lock;
    pthread_cond_t work;     /* a task was queued, or the host stops */
    pthread_cond_t finished; /* a task ended */
    pthread_t *workers;
    uint32_t worker_count, workers_started;
    bool stopping;
    host_task *queue_first, *queue_last;
    host_task *free_tasks;
    uint32_t running;
    trn_host_stats stats;

    host_file *files; /* grown by the thread that opens; read by workers under the lock */
    uint32_t file_count, file_capacity;
};

/* host_queue.c */
host_task *trni_host_take_task(trn_host *host); /* from the pool, or new; NULL: no memory. Caller holds no lock. */
void trni_host_give_task(trn_host *host, host_task *task);
void trni_host_queue(trn_host *host, host_task *task);
bool trni_host_start_workers(trn_host *host);
void trni_host_stop_workers(trn_host *host);

/* host_read.c: reads, checks and completes; runs on a worker. */
void trni_host_serve_read(trn_host *host, const trn_read *read);

/* host_files.c */
void trni_host_close_files(trn_host *host);
bool trni_host_find_file(trn_host *host, uint32_t file, int *descriptor, uint64_t *size);

#endif
