/*
 * Room for questions and answers, for modules that do not care where it is.
 */
#include "agon/bot.h"

#ifdef __wasi__
#include <stdlib.h>

/* The C library takes all memory behind the module's own for itself when it is first asked for some. */
AGON_EXPORT(agon_room) __attribute__((weak)) void *agon_room(uint32_t size) {
    static void *room;
    free(room);
    room = malloc(size);
    return room;
}

#else

#define PAGE 65536u

/* Memory behind all other, made larger when more is asked for. */
AGON_EXPORT(agon_room) __attribute__((weak)) void *agon_room(uint32_t size) {
    static uintptr_t start, end;
    if (size > end - start) {
        uintptr_t top = __builtin_wasm_memory_size(0) * PAGE;
        /* Goes on where it ends, unless somebody else has got memory there. */
        uintptr_t from = end != 0 && end == top ? start : top;
        uintptr_t pages = (size - (top - from) + PAGE - 1) / PAGE;
        if (__builtin_wasm_memory_grow(0, pages) == (uintptr_t)-1)
            return NULL;
        start = from;
        end = top + pages * PAGE;
    }
    return (void *)start;
}

#endif
