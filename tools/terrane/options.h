/* SPDX-License-Identifier: MIT */
/* The words after a subcommand: options in any order, `--name value` or `--name=value`, and one operand. */
#ifndef TOOL_OPTIONS_H
#define TOOL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct option {
    const char *name;  /* with its dashes */
    bool is_flag;      /* takes no value */
    const char *value; /* NULL: not given; a flag that is given: "" */
} option;

/* The words of one subcommand. */
typedef struct options {
    const char *subcommand;
    const char *usage; /* what --help prints */
    option *list;
    size_t count;
    const char *operand;      /* the file, or NULL */
    const char *operand_name; /* NULL: there is none */
} options;

/* What is left to do after a parse. */
typedef enum options_next { OPTIONS_GO_ON, OPTIONS_DONE, OPTIONS_USAGE } options_next;

/* Fills values and operand. --help prints the usage and is OPTIONS_DONE; a wrong word is reported. */
options_next options_parse(options *all, int argc, char **argv);

/* Value of an option by its place in the list; these report what does not fit and return false. When the option is not
 * given, `value` stays as it is. */
bool options_u64(const options *all, size_t index, uint64_t min, uint64_t max, uint64_t *value);
bool options_number(const options *all, size_t index, double min, double max, double *value);

/* Numbers as a whole text: no blanks, no sign for the first, finite for the second. */
bool text_u64(const char *text, uint64_t *value);
bool text_number(const char *text, double *value);

#endif
