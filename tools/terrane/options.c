/* SPDX-License-Identifier: MIT */
#include "options.h"

#include "report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static options_next wrong(const options *all, const char *what, const char *word) {
    report(TOOL_USAGE, "%s: %s '%s' (see terrane %s --help)", all->subcommand, what, word, all->subcommand);
    return OPTIONS_USAGE;
}

/* The option that `word` names, up to an equals sign. */
static option *find(const options *all, const char *word) {
    size_t length = strcspn(word, "=");
    for (size_t i = 0; i < all->count; i++) {
        if (strlen(all->list[i].name) == length && strncmp(all->list[i].name, word, length) == 0) return &all->list[i];
    }
    return NULL;
}

options_next options_parse(options *all, int argc, char **argv) {
    bool options_over = false;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (!options_over && strcmp(word, "--") == 0) {
            options_over = true;
            continue;
        }
        if (options_over || word[0] != '-' || word[1] == 0) {
            if (!all->operand_name || all->operand) return wrong(all, "one word too many:", word);
            all->operand = word;
            continue;
        }
        if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            fputs(all->usage, stdout);
            return OPTIONS_DONE;
        }
        option *found = find(all, word);
        if (!found) return wrong(all, "no such option:", word);
        if (found->value) return wrong(all, "given twice:", found->name);
        const char *equals = strchr(word, '=');
        if (found->is_flag) {
            if (equals) return wrong(all, "takes no value:", found->name);
            found->value = "";
        } else if (equals) {
            found->value = equals + 1;
        } else if (i + 1 < argc) {
            found->value = argv[++i];
        } else {
            return wrong(all, "wants a value:", word);
        }
    }
    if (all->operand_name && (!all->operand || !all->operand[0])) return wrong(all, "missing:", all->operand_name);
    return OPTIONS_GO_ON;
}

bool text_u64(const char *text, uint64_t *value) {
    if (text[0] < '0' || text[0] > '9') return false;
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (*end || errno) return false;
    *value = number;
    return true;
}

bool text_number(const char *text, double *value) {
    if (!text[0] || strchr(" \t\n\v\f\r", text[0])) return false;
    char *end;
    double number = strtod(text, &end);
    if (*end || !isfinite(number)) return false;
    *value = number;
    return true;
}

bool options_u64(const options *all, size_t index, uint64_t min, uint64_t max, uint64_t *value) {
    const option *asked = &all->list[index];
    uint64_t number;
    if (!asked->value) return true;
    if (text_u64(asked->value, &number) && number >= min && number <= max) {
        *value = number;
        return true;
    }
    report(TOOL_USAGE, "%s: %s wants a whole number from %llu to %llu, not '%s'", all->subcommand, asked->name,
           (unsigned long long)min, (unsigned long long)max, asked->value);
    return false;
}

bool options_number(const options *all, size_t index, double min, double max, double *value) {
    const option *asked = &all->list[index];
    double number;
    if (!asked->value) return true;
    if (text_number(asked->value, &number) && number >= min && number <= max) {
        *value = number;
        return true;
    }
    report(TOOL_USAGE, "%s: %s wants a number from %g to %g, not '%s'", all->subcommand, asked->name, min, max,
           asked->value);
    return false;
}
