/* SPDX-License-Identifier: MIT */
/* What the proofs share. Each is a function that looks at all of the model and notes the first thing that refutes it;
 * all indices in the data are in range (loading saw to that), so every proof runs, whatever the others found. */
#ifndef TRNI_VERIFY_INTERNAL_H
#define TRNI_VERIFY_INTERNAL_H

#include "edge_set.h"
#include "model_data.h"

#define TRNI_VERIFY_LEVELS 64u /* as many as a file can have */

/* A bit each, as in the report. */
enum {
#define TRNI_PROOF_BIT(name, bit, sentence) TRNI_PROOF_##name = 1u << (bit),
    TRN_VERIFY_PROOFS(TRNI_PROOF_BIT)
#undef TRNI_PROOF_BIT
};

typedef struct trni_verify {
    const trn_model_data *data;
    trn_verify_def def;
    trn_allocator allocator;
    trn_verify_report *report;

    /* Clusters by group: those of group g are members[member_first[g]] up to member_first[g + 1]. */
    uint32_t *member_first, *members;
    uint32_t *product_first, *products;

    trni_edge_set edges;                   /* scratch */
    trni_edge_set rim;                     /* scratch: ends of edges, each as an edge to itself */
    trni_edge_set odd[TRNI_VERIFY_LEVELS]; /* open edges of each level; a mark: a group of the level before made it */
    uint64_t odd_count[TRNI_VERIFY_LEVELS];
    uint32_t *odd_owner[TRNI_VERIFY_LEVELS]; /* by place in `odd`: the only group whose members have the edge */
    trni_edge_set met; /* moved real borders that fell on each other, so that their level does not have them open */
    uint64_t *met_list;
    uint32_t met_count, met_capacity;
} trni_verify;

/* Notes that a proof failed; only the first one ever leaves its text. */
void trni_verify_fail(trni_verify *verify, uint32_t proofs, const char *format, ...) TRNI_FORMAT(3, 4);
/* False: cancelled. */
bool trni_verify_progress(const trni_verify *verify, const char *phase, double done);

static inline bool trni_verify_in_level(const data_cluster *cluster, uint32_t level) {
    return cluster->born <= level && level <= cluster->stored;
}
/* Turns bits of all edges of a cluster over in a set. */
void trni_verify_toggle(const trni_verify *verify, const trni_edge_set *set, uint32_t cluster, uint64_t bits);

/* ---- verify_records.c: what clusters, groups, levels and pages say of each other ---- */

void trni_verify_structure(trni_verify *verify);
void trni_verify_stamps(trni_verify *verify);
void trni_verify_monotone(trni_verify *verify);
void trni_verify_nested(trni_verify *verify);
trn_result trni_verify_pages(trni_verify *verify);

/* ---- verify_borders.c: LEVELS and BORDERS ---- */

trn_result trni_verify_levels(trni_verify *verify); /* first: it finds verify->odd */
trn_result trni_verify_borders(trni_verify *verify);

/* ---- verify_cuts.c ---- */

trn_result trni_verify_cuts(trni_verify *verify);

#endif
