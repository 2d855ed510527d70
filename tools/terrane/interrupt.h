/* SPDX-License-Identifier: MIT */
/* Ctrl-C and its kin as a question, so that every step can tidy up before the process ends. */
#ifndef TOOL_INTERRUPT_H
#define TOOL_INTERRUPT_H

#include <stdbool.h>

/* From here on SIGINT, SIGTERM and SIGHUP only set a mark. */
void interrupt_catch(void);

bool interrupted(void);

/* Ends the process by the very signal, as a shell expects it; all is tidied up. */
void interrupt_end(void);

/* Signals as a new process has them; for children. */
void interrupt_release(void);

#endif
