/* SPDX-License-Identifier: MIT */
/* The workers and their queue: first in, first out, since the world has put its reads in order already. */
#include "host_internal.h"

host_task *trni_host_take_task(trn_host *host) {
    pthread_mutex_lock(&host->lock);
    host_task *task = host->free_tasks;
    if (task) host->free_tasks = task->next;
    pthread_mutex_unlock(&host->lock);
    if (!task) task = trni_alloc(&host->allocator, 1, sizeof *task);
    if (task) *task = (host_task){0};
    return task;
}

void trni_host_give_task(trn_host *host, host_task *task) {
    pthread_mutex_lock(&host->lock);
    task->next = host->free_tasks;
    host->free_tasks = task;
    pthread_mutex_unlock(&host->lock);
}

void trni_host_queue(trn_host *host, host_task *task) {
    pthread_mutex_lock(&host->lock);
    task->next = NULL;
    if (host->queue_last)
        host->queue_last->next = task;
    else
        host->queue_first = task;
    host->queue_last = task;
    host->stats.queued++;
    pthread_cond_signal(&host->work);
    pthread_mutex_unlock(&host->lock);
}

static host_task *next_task(trn_host *host) {
    host_task *task = host->queue_first;
    if (!task) return NULL;
    host->queue_first = task->next;
    if (!host->queue_first) host->queue_last = NULL;
    host->stats.queued--;
    return task;
}

/* Runs a task that was taken from the queue. The lock is held before and after, not while it runs. */
static void run_task(trn_host *host, host_task *task) {
    host->running++;
    pthread_mutex_unlock(&host->lock);
    if (task->read_number != 0)
        trni_host_serve_read(host, &task->read);
    else
        task->run(task->context);
    pthread_mutex_lock(&host->lock);
    host->running--;
    if (task->waited) {
        task->done = true;
    } else {
        task->next = host->free_tasks;
        host->free_tasks = task;
    }
    pthread_cond_broadcast(&host->finished);
}

static void *work(void *user) {
    trn_host *host = user;
    pthread_mutex_lock(&host->lock);
    while (!host->stopping) {
        host_task *task = next_task(host);
        if (task)
            run_task(host, task);
        else
            pthread_cond_wait(&host->work, &host->lock);
    }
    pthread_mutex_unlock(&host->lock);
    return NULL;
}

bool trni_host_start_workers(trn_host *host) {
    for (uint32_t i = 0; i < host->worker_count; i++) {
        if (pthread_create(&host->workers[i], NULL, work, host) != 0) break;
        host->workers_started++;
    }
    return host->workers_started > 0;
}

void trni_host_stop_workers(trn_host *host) {
    pthread_mutex_lock(&host->lock);
    host->stopping = true;
    pthread_cond_broadcast(&host->work);
    pthread_mutex_unlock(&host->lock);
    for (uint32_t i = 0; i < host->workers_started; i++) pthread_join(host->workers[i], NULL);
    while (host->queue_first) {
        host_task *task = next_task(host);
        trni_free(&host->allocator, task, 1, sizeof *task);
    }
    while (host->free_tasks) {
        host_task *task = host->free_tasks;
        host->free_tasks = task->next;
        trni_free(&host->allocator, task, 1, sizeof *task);
    }
}

/* ---- the job hook ---- */

static void *enqueue_job(void *user, void (*run)(void *context), void *context) {
    trn_host *host = user;
    host_task *task = trni_host_take_task(host);
    if (!task) {
        run(context); /* no memory for a task: the caller does the work */
        return NULL;
    }
    task->run = run;
    task->context = context;
    task->waited = true;
    trni_host_queue(host, task);
    return task;
}

/* While it waits, the caller works on what is queued: a job that waits for a job cannot block the last worker. */
static void finish_job(void *user, void *handle) {
    trn_host *host = user;
    host_task *wanted = handle;
    pthread_mutex_lock(&host->lock);
    while (!wanted->done) {
        host_task *task = next_task(host);
        if (task)
            run_task(host, task);
        else
            pthread_cond_wait(&host->finished, &host->lock);
    }
    wanted->next = host->free_tasks;
    host->free_tasks = wanted;
    pthread_mutex_unlock(&host->lock);
}

trn_jobs trn_host_jobs(trn_host *host) {
    trn_jobs jobs = {host, enqueue_job, finish_job};
    return jobs;
}

void trn_host_wait(trn_host *host) {
    pthread_mutex_lock(&host->lock);
    while (host->queue_first || host->running > 0) pthread_cond_wait(&host->finished, &host->lock);
    pthread_mutex_unlock(&host->lock);
}
