/* A cell that does nothing (2) after it has slept, or been busy, as the compiler was told: this many milliseconds. */
#define _GNU_SOURCE
#include <stdint.h>
#include <time.h>

static int64_t used(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

uint8_t cell_decide_action(uint8_t *env, uint8_t energy, uint64_t *memory)
{
    struct timespec time = {SLEEP / 1000, SLEEP % 1000 * 1000000};
    int64_t end = used() + WORK;
    nanosleep(&time, 0);
    while (used() < end)
        ;
    return 2;
}
