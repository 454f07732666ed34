/* Loaded before other libraries, it makes disks slow or full, and clocks jump.
 *
 * STORM_FSYNC  milliseconds that each fsync takes longer
 * STORM_FULL   while this file is there, the disk is full
 * STORM_CLOCK  a file with the seconds by which the clock of the day is wrong, as text */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
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

static int is_disk_full(void)
{
    const char *path = getenv("STORM_FULL");
    return path && access(path, F_OK) == 0;
}

/* Whether a file is on the full disk. Pipes and sockets are not, nor is what is said to people. */
static int is_full(int file)
{
    struct stat about;
    return file > 2 && is_disk_full() && fstat(file, &about) == 0 && S_ISREG(about.st_mode);
}

/* A full disk takes the first bytes and no more, so that files end within a line. */
ssize_t write(int file, const void *bytes, size_t count)
{
    static __thread int has_room = 1;
    if (!is_full(file)) {
        has_room = has_room || !is_disk_full();
    } else if (has_room && count > 1) {
        has_room = 0;
        count /= 2;
    } else {
        errno = ENOSPC;
        return -1;
    }
    return syscall(SYS_write, file, bytes, count);
}

ssize_t writev(int file, const struct iovec *parts, int count)
{
    if (is_full(file)) {
        errno = ENOSPC;
        return -1;
    }
    return syscall(SYS_writev, file, parts, count);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off_t place)
{
    if (is_full(file)) {
        errno = ENOSPC;
        return -1;
    }
    return syscall(SYS_pwrite64, file, bytes, count, place);
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
