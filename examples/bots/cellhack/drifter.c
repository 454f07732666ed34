/*
 * drifter: keeps its distance, for a cell alone rests best; splits where there is room.
 *
 * In the style of old: no #include, energy as int. The arena includes the header by itself:
 *
 *     agon play cellhack examples/bots/cellhack/drifter.c builtin:hunter
 *
 * With the compiler alone:
 *
 *     cc -shared -fPIC -O2 -I crates/agon-games/src/cellhack/include -include cellhack/player.h \
 *        -o drifter.so drifter.c
 */

/* The free places among the three on one side. */
static int room(uint8_t *env, int a, int b, int c) { return isEmpty(a) + isEmpty(b) + isEmpty(c); }

uint8_t cell_decide_action(uint8_t *env, int energy, uint64_t *memory) {
    int directions[4] = {UP, LEFT, RIGHT, DOWN};
    int rooms[4] = {room(env, 0, 1, 2), room(env, 0, 3, 6), room(env, 2, 5, 8), room(env, 6, 7, 8)};
    int best = -1, neighbours = 0;

    /* Start the search elsewhere each turn, so that the colony has no favourite side. */
    int first = (*memory)++ % 4;
    for (int k = 0; k < 4; k++) {
        int i = (first + k) % 4;
        if (isEmpty(directions[i]) && (best < 0 || rooms[i] > rooms[best]))
            best = i;
    }
    for (int place = 0; place < 9; place++)
        neighbours += place != CENTER && !isEmpty(place);

    if (best >= 0 && energy > ENERGY_MIN_SPLIT)
        return SPLIT_BASE + directions[best];
    if (best >= 0 && rooms[best] == 3 && neighbours >= 2)
        return MOVE_BASE + directions[best];
    return REST;
}
