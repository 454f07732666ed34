/*
 * Room for questions and answers: pages at the end of the memory. `wasm:bot.c` brings its own, so this is for
 * `make bot.wasm`. A bot with a C library takes the room from `malloc` instead, which wants that memory for itself.
 */
#include "agon/bot.h"

enum { PAGE = 65536 };

void *agon_room(uint32_t size)
{
    /* The arena asks again only when it needs more. */
    uintptr_t before = __builtin_wasm_memory_grow(0, (size + PAGE - 1) / PAGE);
    return before == (uintptr_t)-1 ? NULL : (void *)(before * PAGE);
}
