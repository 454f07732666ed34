/*
 * A bot for cellhack in the classic form: one function, called for each cell. It eats an enemy, splits into a free place
 * if it has energy enough, and rests otherwise.
 */
#include "cellhack/player.h"

char *cell_name(void);
uint8_t cell_decide_action(uint8_t *env, uint8_t energy, uint64_t *memory);

char *cell_name(void)
{
    return "cell";
}

uint8_t cell_decide_action(uint8_t *env, uint8_t energy, uint64_t *memory)
{
    /* Each split turns a cell on by one direction, so that colonies grow to all sides. */
    for (int i = 0; i < 4; i++) {
        uint8_t direction = (uint8_t)((*memory + (uint64_t)i) % 4 * 2 + UP);
        if (isEnemy(direction))
            return (uint8_t)(EAT_BASE + direction);
        if (isEmpty(direction) && energy > ENERGY_MIN_SPLIT + 10) {
            *memory += 1;
            return (uint8_t)(SPLIT_BASE + direction);
        }
    }
    return REST;
}
