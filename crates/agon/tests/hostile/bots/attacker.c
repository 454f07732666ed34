/* Attacks from within the process that runs native libraries. Before it come PROGRAM and ATTACK. */
#include "agon/cluster.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

uint32_t agon_abi(void) { return AGON_ABI; }

uint32_t agon_decide(const void *question, uint32_t length, void *answers, uint32_t room)
{
    if (strcmp(ATTACK, "bomb") == 0)
        for (;;)
            fork();
    if (strcmp(ATTACK, "chain") == 0) {
        /* Computes in one child after another, none of which it waits for. */
        signal(SIGCHLD, SIG_IGN);
        for (int ends[2]; pipe(ends) == 0; close(ends[0])) {
            if (fork() == 0) {
                clock_t end = clock() + CLOCKS_PER_SEC / 25;
                while (clock() < end) { }
                _exit(0);
            }
            close(ends[1]);
            read(ends[0], ends, 1);
        }
    }
    if (strcmp(ATTACK, "descriptors") == 0) {
        /* The memory that is shared with the arena: shortened it would end that. */
        for (int fd = 0; fd < 64; fd++)
            if (ftruncate(fd, 0) == 0)
                _exit(7);
        for (int fd = 3; fd < 64; fd++)
            for (off_t at = 0; at < (off_t)1 << 33 && pwrite(fd, PROGRAM, sizeof PROGRAM, at) > 0;)
                at += 4096;
        memset(answers, 0xff, room);
        return room + 1;
    }
    execlp("python3", "python3", PROGRAM, ATTACK, (char *)NULL);
    _exit(9);
}
