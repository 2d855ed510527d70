/* SPDX-License-Identifier: MIT */
/* Little-endian numbers in byte arrays, on every machine. The caller has checked that the bytes are there. */
#ifndef TRNI_LITTLE_ENDIAN_H
#define TRNI_LITTLE_ENDIAN_H

#include <stdint.h>
#include <string.h>

static inline uint16_t trni_get_u16(const void *at) {
    const unsigned char *b = (const unsigned char *)at;
    return (uint16_t)(b[0] | b[1] << 8);
}
static inline uint32_t trni_get_u32(const void *at) {
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}
static inline uint64_t trni_get_u64(const void *at) {
    return (uint64_t)trni_get_u32(at) | (uint64_t)trni_get_u32((const unsigned char *)at + 4) << 32;
}
static inline float trni_get_f32(const void *at) {
    uint32_t bits = trni_get_u32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static inline double trni_get_f64(const void *at) {
    uint64_t bits = trni_get_u64(at);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline void trni_put_u16(void *at, uint16_t value) {
    unsigned char *b = (unsigned char *)at;
    b[0] = (unsigned char)value;
    b[1] = (unsigned char)(value >> 8);
}
static inline void trni_put_u32(void *at, uint32_t value) {
    unsigned char *b = (unsigned char *)at;
    for (int i = 0; i < 4; i++) b[i] = (unsigned char)(value >> (8 * i));
}
static inline void trni_put_u64(void *at, uint64_t value) {
    trni_put_u32(at, (uint32_t)value);
    trni_put_u32((unsigned char *)at + 4, (uint32_t)(value >> 32));
}
static inline void trni_put_f32(void *at, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    trni_put_u32(at, bits);
}
static inline void trni_put_f64(void *at, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    trni_put_u64(at, bits);
}

#endif
