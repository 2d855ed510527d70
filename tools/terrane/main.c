/* SPDX-License-Identifier: MIT */
#include "interrupt.h"
#include "report.h"
#include "subcommands.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *what;
} subcommands[] = {
    {"cook", cmd_cook, "makes a model file of a mesh"},
    {"info", cmd_info, "shows what is in a model file"},
    {"verify", cmd_verify, "proves that a model file is right"},
    {"cut", cmd_cut, "writes the triangles that would be drawn"},
    {"version", cmd_version, "says which versions this is made of"},
};

enum { SUBCOMMAND_COUNT = sizeof subcommands / sizeof *subcommands };

static void usage(FILE *to) {
    fputs("usage: terrane SUBCOMMAND ...\n\n", to);
    for (int i = 0; i < SUBCOMMAND_COUNT; i++) fprintf(to, "  %-8s %s\n", subcommands[i].name, subcommands[i].what);
    fputs("\nterrane SUBCOMMAND --help says more.\n"
          "Exit codes: 0 done, 1 the answer is no, 2 usage, 3 bad input, 4 reading or writing, 5 out of memory, 6 "
          "internal.\n",
          to);
}

static int run(int argc, char **argv) {
    for (int i = 0; i < SUBCOMMAND_COUNT; i++) {
        if (strcmp(argv[0], subcommands[i].name) == 0) return subcommands[i].run(argc - 1, argv + 1);
    }
    return report(TOOL_USAGE, "no such subcommand: '%s' (see terrane help)", argv[0]);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        usage(stderr);
        return TOOL_USAGE;
    }
    const bool asks_help = strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0;
    char help[] = "--help";
    int exit_code = TOOL_DONE;
    interrupt_catch();
    if (asks_help && argc == 2)
        usage(stdout);
    else if (asks_help)
        exit_code = run(2, (char *[]){argv[2], help});
    else
        exit_code = run(argc - 1, argv + 1);
    exit_code = report_end(exit_code);
    if (exit_code == TOOL_CANCELLED) {
        interrupt_end();
        exit_code = TOOL_INTERNAL;
    }
    return exit_code;
}
