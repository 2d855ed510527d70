/* SPDX-License-Identifier: MIT */
/* Seeded random numbers for tests and benchmarks (SplitMix64): the same on every machine. */
#ifndef TEST_RANDOM_H
#define TEST_RANDOM_H

#include <stdint.h>

static inline uint64_t random_u64(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
/* 0 <= value < bound */
static inline uint32_t random_below(uint64_t *state, uint32_t bound) {
    return (uint32_t)((random_u64(state) >> 32) * bound >> 32);
}
/* low <= value < high */
static inline double random_between(uint64_t *state, double low, double high) {
    return low + (high - low) * ((double)(random_u64(state) >> 11) * (1.0 / 9007199254740992.0));
}

#endif
