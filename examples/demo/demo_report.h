/* SPDX-License-Identifier: MIT */
/* The report: one HTML file with everything in it. */
#ifndef DEMO_REPORT_H
#define DEMO_REPORT_H

#include "demo_record.h"

/* False when the file cannot be written. `verdicts`: WATCH_RULES of them. */
bool report_write(const char *path, const record *of, const watch_verdict *verdicts);

/* The same figures on the terminal. */
void table_print(const record *of, const watch_verdict *verdicts);

#endif
