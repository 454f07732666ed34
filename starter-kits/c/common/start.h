/*
 * Reads numbers from the message of agon_start, which is a line of JSON: the seed, and all settings of the game.
 */
#ifndef START_H
#define START_H

#include <stdint.h>

/* Whether the text begins with "name": and where the value begins, 0 if not. */
static inline uint32_t start_value(const char *text, uint32_t length, const char *name)
{
    uint32_t at = 0;
    if (length == 0 || text[at++] != '"')
        return 0;
    while (*name && at < length && text[at] == *name)
        at++, name++;
    return *name == 0 && at + 2 < length && text[at] == '"' && text[at + 1] == ':' ? at + 2 : 0;
}

/* The number behind a name, for example "seed" or a setting that `agon rules` tells; `otherwise` if there is none. */
static inline uint64_t start_number(const char *message, uint32_t length, const char *name, uint64_t otherwise)
{
    for (uint32_t i = 0; i < length; i++) {
        uint32_t digit = start_value(message + i, length - i, name);
        if (digit == 0 || message[i + digit] < '0' || message[i + digit] > '9')
            continue;
        uint64_t number = 0;
        for (i += digit; i < length && message[i] >= '0' && message[i] <= '9'; i++)
            number = number * 10 + (uint64_t)(message[i] - '0');
        return number;
    }
    return otherwise;
}

#endif /* START_H */
