/* SPDX-License-Identifier: MIT */
/* Half floats and octahedral directions: how the 32-byte vertex stores attributes. Only exact operations, division and
 * square root are used, so every compiler packs to the same bits. */
#ifndef TRNI_VERTEX_PACKING_H
#define TRNI_VERTEX_PACKING_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Nearest half, ties to even; beyond the range: the largest finite one. Zero has no sign, so that it welds. */
static inline uint16_t trni_half_from_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude >= 0x477ff000u) return (uint16_t)(sign | 0x7bffu);
    if (magnitude < 0x38800000u) { /* half's denormals: multiples of 2^-24 */
        double scaled = fabs((double)value) * 16777216.0;
        uint32_t whole = (uint32_t)scaled;
        double rest = scaled - (double)whole;
        if (rest > 0.5 || (rest >= 0.5 && (whole & 1u))) whole++;
        return whole == 0 ? 0 : (uint16_t)(sign | whole);
    }
    magnitude += 0x0fffu + (magnitude >> 13 & 1u);
    return (uint16_t)(sign | (magnitude - 0x38000000u) >> 13);
}

static inline float trni_float_from_half(uint16_t half) {
    uint32_t exponent = half >> 10 & 31u, mantissa = half & 1023u;
    float value = exponent == 0 ? (float)mantissa * 5.9604644775390625e-8f
                                : ldexpf((float)(mantissa + 1024u), (int)exponent - 25);
    return half & 0x8000u ? -value : value;
}

static inline int16_t trni_snorm16(double value) {
    double scaled = floor(value * 32767.0 + 0.5);
    if (scaled > 32767.0) scaled = 32767.0;
    if (scaled < -32767.0) scaled = -32767.0;
    return (int16_t)scaled;
}

/* Direction -> two numbers on the unfolded octahedron. The direction need not be of unit length, but not zero. */
static inline void trni_octahedral_pack(const double direction[3], int16_t packed[2]) {
    double sum = fabs(direction[0]) + fabs(direction[1]) + fabs(direction[2]);
    double u = direction[0] / sum, v = direction[1] / sum;
    if (direction[2] < 0) {
        double folded_u = (1.0 - fabs(v)) * (u < 0 ? -1.0 : 1.0);
        double folded_v = (1.0 - fabs(u)) * (v < 0 ? -1.0 : 1.0);
        u = folded_u;
        v = folded_v;
    }
    packed[0] = trni_snorm16(u);
    packed[1] = trni_snorm16(v);
}

/* In doubles: a rounding to float and back here is one that gcc 12 loses at -O2, and the bytes of a model with it. */
static inline void trni_octahedral_unpack(const int16_t packed[2], double direction[3]) {
    double u = packed[0] / 32767.0, v = packed[1] / 32767.0;
    double z = 1.0 - fabs(u) - fabs(v);
    double fold = z < 0 ? -z : 0.0;
    u += u < 0 ? fold : -fold;
    v += v < 0 ? fold : -fold;
    double length = sqrt(u * u + v * v + z * z);
    direction[0] = u / length;
    direction[1] = v / length;
    direction[2] = z / length;
}

#endif
