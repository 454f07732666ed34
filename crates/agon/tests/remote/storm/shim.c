/* Loaded before other libraries, it makes disks slow and clocks jump.
 *
 * STORM_FSYNC  milliseconds that each fsync takes longer
 * STORM_CLOCK  a file with the seconds by which the clock of the day is wrong, as text */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int synced(long number, int file)
{
    const char *slow = getenv("STORM_FSYNC");
    if (slow)
        usleep(1000 * (useconds_t)atoi(slow));
    return (int)syscall(number, file);
}

int fsync(int file)
{
    return synced(SYS_fsync, file);
}

int fdatasync(int file)
{
    return synced(SYS_fdatasync, file);
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    int done = (int)syscall(SYS_clock_gettime, clock, time);
    const char *path = getenv("STORM_CLOCK");
    if (done == 0 && clock == CLOCK_REALTIME && path) {
        char text[32] = "";
        int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file >= 0) {
            if (read(file, text, sizeof text - 1) > 0)
                time->tv_sec += atol(text);
            close(file);
        }
    }
    return done;
}
