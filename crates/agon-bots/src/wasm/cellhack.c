/*
 * Makes the C function of a cell into a bot that answers whole batches, unless the source does so itself.
 */
#include "agon/cellhack.h"

/* Sources declare it in several ways, which WebAssembly does not tell apart; of the result the low byte counts. */
uint32_t decide_cell(uint8_t *env, uint32_t energy, uint64_t *memory) __asm__("cell_decide_action");

AGON_EXPORT(agon_abi) __attribute__((weak)) uint32_t agon_abi(void) { return AGON_ABI; }

AGON_EXPORT(agon_decide) __attribute__((weak))
uint32_t agon_decide(const void *question, uint32_t length, void *answers, uint32_t room) {
    uint32_t cells = ((const agon_question *)question)->decisions;
    const cellhack_question *cell = (const void *)((const agon_question *)question + 1);
    cellhack_answer *answer = answers;
    (void)length, (void)room;
    for (uint32_t i = 0; i < cells; i++, cell++, answer++) {
        uint8_t env[sizeof cell->env];
        uint64_t memory = cell->memory;
        __builtin_memcpy(env, cell->env, sizeof env);
        uint8_t action = decide_cell(env, cell->energy, &memory);
        answer->memory = memory;
        answer->action = action;
        if (action == 0) {
            /* Zero would mean that there is no answer: this is how the arena knows one that is zero. */
            answer->action = 0xFF;
            __builtin_memcpy(answer->pad, "is zero", sizeof answer->pad);
        }
    }
    return cells * sizeof *answer;
}
