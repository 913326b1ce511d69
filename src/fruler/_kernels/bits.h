/* The index of the lowest set bit of a nonzero word. */
#ifndef FRULER_BITS_H
#define FRULER_BITS_H

#include <stdint.h>

#if defined(_MSC_VER)
#include <intrin.h>
static __inline int lowest_bit(uint64_t word)
{
    unsigned long place;
    _BitScanForward64(&place, word);
    return (int)place;
}
#else
static inline int lowest_bit(uint64_t word)
{
    return __builtin_ctzll(word);
}
#endif

#endif
