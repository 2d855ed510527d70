/* SPDX-License-Identifier: MIT */
/* Each subcommand takes the words after its name and returns an exit code. */
#ifndef TOOL_SUBCOMMANDS_H
#define TOOL_SUBCOMMANDS_H

int cmd_cook(int argc, char **argv);
int cmd_cut(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_version(int argc, char **argv);

#endif
