/* SPDX-License-Identifier: MIT */
/* A host that only wants to link: one call into each library. */
#include <stdio.h>
#include <terrane/terrane.h>
#include <terrane_cook/cook.h>
#include <terrane_host/host.h>

int main(void) {
    trn_host *host;
    if (trn_host_create(&(trn_host_def){.worker_count = 1}, &host) != TRN_OK) return 1;
    trn_host_destroy(host);

    trn_error error = {0};
    trn_model_data *data = NULL;
    if (trn_model_data_load("no model", 8, "none", NULL, &data, &error) == TRN_OK) return 1;
    printf("terrane %u; %s\n", (unsigned)trn_version(), trn_result_text(error.code));
    return trn_version() != TRN_VERSION;
}
