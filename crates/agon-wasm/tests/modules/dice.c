/* Random numbers and floating-point numbers decide, NaN among them; the whole batch is answered by itself. */
#include "agon/cellhack.h"

AGON_EXPORT(agon_abi) uint32_t agon_abi(void) { return AGON_ABI; }

static uint64_t state;

AGON_EXPORT(agon_start) void agon_start(const char *message, uint32_t length) {
    for (uint32_t i = 0; i < length; i++)
        state = state * 31 + (uint8_t)message[i];
}

static uint8_t decide(const cellhack_question *cell) {
    double x = (double)(agon_random() >> 11) / 9007199254740992.0;
    double y = __builtin_sqrt(x - 0.1); /* NaN below 0.1 */
    uint64_t bits;
    __builtin_memcpy(&bits, &y, sizeof bits);
    state ^= bits + (state << 7);
    int direction = 1 + 2 * (int)(state & 3);
    if (cell->env[direction] == CELLHACK_EMPTY && cell->energy > 44)
        return CELLHACK_SPLIT + direction;
    if (y > 0.9 && cell->env[direction] == CELLHACK_EMPTY && cell->energy > 30)
        return CELLHACK_MOVE + direction;
    return CELLHACK_REST;
}

AGON_EXPORT(agon_decide)
uint32_t agon_decide(const void *question, uint32_t length, void *answers, uint32_t room) {
    const agon_question *front = question;
    const cellhack_question *cells = (const void *)(front + 1);
    cellhack_answer *answer = answers;
    (void)length, (void)room;
    for (uint32_t i = 0; i < front->decisions; i++) {
        answer[i].memory = state;
        answer[i].action = decide(cells + i);
    }
    return front->decisions * sizeof *answer;
}
