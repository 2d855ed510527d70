/* SPDX-License-Identifier: MIT */
#include "json_write.h"
#include "options.h"
#include "report.h"
#include "subcommands.h"

#include <assimp/version.h>
#include <meshoptimizer.h>
#include <terrane/base.h>

static const char usage[] = "usage: terrane version [--json]\n\n"
                            "Says the versions of the library, of the simplifier and of the mesh importer.\n";

int cmd_version(int argc, char **argv) {
    enum { JSON, COUNT };
    option list[COUNT] = {[JSON] = {.name = "--json", .is_flag = true}};
    options all = {.subcommand = "version", .usage = usage, .list = list, .count = COUNT};
    const options_next next = options_parse(&all, argc, argv);
    if (next != OPTIONS_GO_ON) return next == OPTIONS_DONE ? TOOL_DONE : TOOL_USAGE;

    const uint32_t own = trn_version();
    char terrane[32], simplifier[32], importer[32];
    snprintf(terrane, sizeof terrane, "%u.%u.%u", own / 10000, own / 100 % 100, own % 100);
    snprintf(simplifier, sizeof simplifier, "%d.%d", MESHOPTIMIZER_VERSION / 1000, MESHOPTIMIZER_VERSION % 1000 / 10);
    snprintf(importer, sizeof importer, "%u.%u.%u", aiGetVersionMajor(), aiGetVersionMinor(), aiGetVersionPatch());
    if (!list[JSON].value) {
        printf("terrane       %s\nmeshoptimizer %s\nassimp        %s\n", terrane, simplifier, importer);
        return TOOL_DONE;
    }
    json j = {.to = stdout};
    json_object(&j, NULL);
    json_text(&j, "terrane", terrane);
    json_text(&j, "meshoptimizer", simplifier);
    json_text(&j, "assimp", importer);
    json_end(&j);
    return TOOL_DONE;
}
