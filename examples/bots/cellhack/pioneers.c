/*
 * pioneers: the first cells march out in straight lines to claim land, then settle and grow.
 *
 * Shows what the memory is good for. Both halves of a split inherit it, so a cell that wants its child to go
 * another way leaves a note before it splits. The eight bytes are used as
 *
 *     bits 0-7   steps left to march
 *     bits 8-15  heading: UP, LEFT, RIGHT or DOWN
 *     bit  16    set once the cell knows what to do; a fresh game starts with memory 0
 *
 *     agon play cellhack examples/bots/cellhack/pioneers.c builtin:swarm
 *
 *     cc -shared -fPIC -O2 -I crates/agon-games/src/cellhack/include -o pioneers.so pioneers.c
 */
#include "cellhack/player.h"

#define MARCH 10
#define BRIEFED 0x10000

static uint64_t orders(int steps, int heading) { return BRIEFED | (uint64_t)heading << 8 | (uint64_t)steps; }

static int next_heading(int heading) {
    switch (heading) {
    case UP: return RIGHT;
    case RIGHT: return DOWN;
    case DOWN: return LEFT;
    default: return UP;
    }
}

uint8_t cell_decide_action(uint8_t *env, uint8_t energy, uint64_t *memory) {
    if (!(*memory & BRIEFED))
        *memory = orders(0, UP);
    int steps = *memory & 0xff, heading = *memory >> 8 & 0xff;

    /* A split leaves parent and child with the same orders; the one that sees the other ahead stays. */
    if (steps > 0) {
        if (isEmpty(heading)) {
            *memory = orders(steps - 1, heading);
            return MOVE_BASE + heading;
        }
        *memory = orders(0, heading);
    }

    if (energy > ENERGY_MIN_SPLIT + 2) {
        for (int turn = 0; turn < 4; turn++) {
            heading = next_heading(heading);
            if (isEmpty(heading)) {
                /* The founders have the energy for long marches, later generations go a step. */
                *memory = orders(energy > 48 ? MARCH : 1, heading);
                return SPLIT_BASE + heading;
            }
        }
    }

    for (int direction = UP; direction <= DOWN; direction += 2)
        if (isEnemy(direction) && energy > ENERGY_MIN)
            return EAT_BASE + direction;
    return REST;
}
