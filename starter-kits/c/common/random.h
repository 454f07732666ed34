/*
 * Random numbers for a bot: SplitMix64, seeded by the arena, so that a match with the same seed is the same match.
 */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

static uint64_t random_state;

/* The seed of a match is in the message that agon_start gets: the number behind "seed". */
static inline void random_start(const char *message, uint32_t length)
{
    static const char key[] = "\"seed\":";
    const uint32_t key_length = sizeof key - 1;
    for (uint32_t at = 0; at + key_length < length; at++) {
        uint32_t same = 0;
        while (same < key_length && message[at + same] == key[same])
            same++;
        if (same < key_length)
            continue;
        random_state = 0;
        for (at += key_length; at < length && message[at] >= '0' && message[at] <= '9'; at++)
            random_state = random_state * 10 + (uint64_t)(message[at] - '0');
        return;
    }
}

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
