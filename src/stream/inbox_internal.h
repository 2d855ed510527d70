/* SPDX-License-Identifier: MIT */
/* The world's side of an inbox: it opens a request, and later takes its completion or gives the request up. */
#ifndef TRNI_INBOX_INTERNAL_H
#define TRNI_INBOX_INTERNAL_H

#include <terrane/stream.h>

/* Opens a request and gives it a number that is larger than all before it. 0: the inbox has no free place. */
uint64_t trni_inbox_open(trn_inbox *inbox);
/* True when the request has been completed: the completion is moved out, and the caller releases its bytes. */
bool trni_inbox_take(trn_inbox *inbox, uint64_t number, trn_completion *completion);
/* Gives a request up: a completion that lies there or comes later is released. */
void trni_inbox_abandon(trn_inbox *inbox, uint64_t number);
/* Releases the bytes of a completion, if there is anything to release. */
void trni_completion_release(const trn_completion *completion);

#endif
