/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L

#include "interrupt.h"

#include <signal.h>
#include <string.h>

/* A signal handler can reach nothing but a global. */
static volatile sig_atomic_t caught;

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

static void on_signal(int number) { caught = number; }

static void set_all(void (*handler)(int)) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction before;
        sigaction(signals[i], NULL, &before);
        /* What was ignored from the start (nohup) stays ignored. */
        if (before.sa_handler != SIG_IGN) sigaction(signals[i], &action, NULL);
    }
}

void interrupt_catch(void) { set_all(on_signal); }

void interrupt_release(void) { set_all(SIG_DFL); }

bool interrupted(void) { return caught != 0; }

void interrupt_end(void) {
    interrupt_release();
    raise((int)caught);
}
