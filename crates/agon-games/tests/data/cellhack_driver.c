/* Calls a cellhack bot: question records from stdin, an answer record to stdout for each, until the end. */
#include <stdint.h>
#include <stdio.h>

struct question { uint8_t env[9]; uint8_t energy; uint8_t pad[6]; uint64_t memory; };
struct answer { uint8_t action; uint8_t pad[7]; uint64_t memory; };

/* Bots declare energy as uint8_t or int; with the value extended by the caller both find it. */
uint8_t cell_decide_action(uint8_t *env, int energy, uint64_t *memory);

int main(void) {
    struct question q;
    while (fread(&q, sizeof q, 1, stdin) == 1) {
        struct answer a = {0};
        a.action = cell_decide_action(q.env, q.energy, &q.memory);
        a.memory = q.memory;
        if (fwrite(&a, sizeof a, 1, stdout) != 1 || fflush(stdout) != 0)
            return 1;
    }
    return 0;
}
