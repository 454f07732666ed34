/*
 * Random numbers for a bot: SplitMix64. Give it the seed of the match, and a match with the same seed is the same.
 */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

static uint64_t random_state;

static inline void random_seed(uint64_t seed) { random_state = seed; }

static inline uint64_t random_next(void)
{
    uint64_t mixed = random_state += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return mixed ^ mixed >> 31;
}

/* A number from 0 to count - 1; count is not 0. */
static inline uint32_t random_below(uint32_t count)
{
    return (uint32_t)(((random_next() >> 32) * count) >> 32);
}

#endif /* RANDOM_H */
