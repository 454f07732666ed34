/*
 * amoeboid: rests until it can afford to split, bites whoever is next to it when it is crowded.
 *
 * Uses the header, names itself. Play it against a built-in bot:
 *
 *     agon play cellhack examples/bots/cellhack/amoeboid.c builtin:grower
 *
 * or build a shared object as for any other cellhack arena (-I: the directory with cellhack/player.h):
 *
 *     cc -shared -fPIC -O2 -I crates/agon-games/src/cellhack/include -o amoeboid.so amoeboid.c
 */
#include "cellhack/player.h"

char *cell_name() { return "amoeboid"; }

static const uint8_t directions[4] = {UP, RIGHT, DOWN, LEFT};

uint8_t cell_decide_action(uint8_t *env, uint8_t energy, uint64_t *memory) {
    (void)memory;
    int neighbours = 0;
    for (int place = 0; place < 9; place++)
        neighbours += place != CENTER && !isEmpty(place);

    for (int i = 0; i < 4; i++)
        if (isEmpty(directions[i]) && energy > ENERGY_MIN_SPLIT + 1)
            return SPLIT_BASE + directions[i];

    /* With three neighbours a rest gives 1: a bite gives as much, and the enemy loses it. */
    if (neighbours >= 3)
        for (int i = 0; i < 4; i++)
            if (isEnemy(directions[i]))
                return EAT_BASE + directions[i];

    return REST;
}
