/* A disk that loses its power, for tests: notes what would be on it.
 *
 * Preloaded into programs, it catches the system calls fsync, fdatasync and syncfs for a folder,
 * AGON_POWER_DATA, and copies what they make durable to another one, AGON_POWER_MIRROR:
 *
 *   mirror/files/KEY     the contents of a file when it was synced last
 *   mirror/folders/PATH  the entries of a folder when it was synced last: KIND KEY NAME in lines;
 *                        in PATH, each / is a +
 *
 * With mirror/fail, the program ends at such a call, before it is done.
 *
 * KEY tells a file from all others, also from later ones with the same number: inode and birth.
 * As POSIX has it, a name is durable when its folder was synced, whatever happened to the file.
 *
 * The calls are caught with seccomp, because not all of them go through the C library.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static char data[4096], mirror[4096];
static char buffer[1 << 16];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int programs; /* Its lock keeps other programs with the same mirror out. */

/* Writes the name of a file of the mirror that is not complete yet. */
static void unfinished(char part[4200]) {
    snprintf(part, 4200, "%s/part%d", mirror, (int)getpid());
}

static void fail(const char *what, const char *path) {
    fprintf(stderr, "disk.c: %s %s: %s\n", what, path, strerror(errno));
    _exit(99);
}

/* Returns 'd' or 'f', or 0 if it is neither or gone; writes the key. */
static char identify(const char *path, char key[64]) {
    struct statx at;
    if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME, &at) != 0)
        return 0;
    snprintf(key, 64, "%llu-%lld.%u", (unsigned long long)at.stx_ino,
             (long long)at.stx_btime.tv_sec, at.stx_btime.tv_nsec);
    return S_ISDIR(at.stx_mode) ? 'd' : S_ISREG(at.stx_mode) ? 'f' : 0;
}

/* What is not worth the time: it is made anew, or has no contents. */
static int is_left_out(const char *name) {
    static const char *const names[] = {".", "..", "work", "cache", "reserve", "agon.db-shm"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return 1;
    return 0;
}

/* Notes the contents of a file. */
static void save_file(const char *path, const char *key, int is_fixed) {
    char part[4200], place[4200];
    unfinished(part);
    snprintf(place, sizeof place, "%s/files/%s", mirror, key);
    if (is_fixed && access(place, F_OK) == 0) return;
    int from = open(path, O_RDONLY | O_CLOEXEC);
    if (from < 0) return; /* It was removed meanwhile. */
    int to = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (to < 0) fail("cannot write", part);
    ssize_t count;
    while ((count = read(from, buffer, sizeof buffer)) > 0)
        if (write(to, buffer, count) != count) fail("cannot write", part);
    close(from);
    close(to);
    if (rename(part, place) != 0) fail("cannot write", place);
}

/* Notes the entries of a folder; with everything in it if is_deep. */
static void save_folder(const char *path, int is_deep) {
    char part[4200], place[8400], key[64];
    unfinished(part);
    snprintf(place, sizeof place, "%s/folders/", mirror);
    size_t start = strlen(place);
    snprintf(place + start, sizeof place - start, "top%s", path + strlen(data));
    for (char *c = place + start; *c; c++)
        if (*c == '/') *c = '+';
    DIR *folder = opendir(path);
    if (!folder) return;
    FILE *list = fopen(part, "we");
    if (!list) fail("cannot write", part);
    struct dirent *entry;
    while ((entry = readdir(folder))) {
        if (is_left_out(entry->d_name)) continue;
        char inner[8400];
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        char kind = identify(inner, key);
        if (kind) fprintf(list, "%c %s %s\n", kind, key, entry->d_name);
    }
    fclose(list);
    if (rename(part, place) != 0) fail("cannot write", place);
    rewinddir(folder);
    while (is_deep && (entry = readdir(folder))) {
        if (is_left_out(entry->d_name)) continue;
        char inner[8400];
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        char kind = identify(inner, key);
        /* Blobs with their whole name never change. */
        if (kind == 'f') save_file(inner, key, strlen(entry->d_name) == 64);
        if (kind == 'd') save_folder(inner, 1);
    }
    closedir(folder);
}

static void sync_one(int fd) {
    char link[64], path[4096], key[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return;
    path[length] = 0;
    size_t top = strlen(data);
    if (strncmp(path, data, top) != 0 || (path[top] && path[top] != '/')) return;
    char kind = identify(path, key);
    if (kind == 'f') save_file(path, key, 0);
    if (kind == 'd') save_folder(path, 0);
}

/* The power fails at a call if there is a file mirror/fail: it has the number of calls before. */
static void fail_in_time(void) {
    char place[4200], left;
    snprintf(place, sizeof place, "%s/fail", mirror);
    int fd = open(place, O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    if (read(fd, &left, 1) != 1) fail("cannot read", place);
    if (left == '0') {
        kill(getpid(), SIGKILL);
        pause();
    }
    left--;
    if (pwrite(fd, &left, 1, 0) != 1) fail("cannot write", place);
    close(fd);
}

static void caught(int number, siginfo_t *info, void *context) {
    (void)number;
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    int before = errno;
    pthread_mutex_lock(&lock);
    if (flock(programs, LOCK_EX) != 0) fail("cannot lock", mirror);
    fail_in_time();
    if (info->si_syscall == SYS_syncfs)
        save_folder(data, 1);
    else
        sync_one((int)registers[REG_RDI]);
    flock(programs, LOCK_UN);
    pthread_mutex_unlock(&lock);
    errno = before;
    registers[REG_RAX] = 0;
}

__attribute__((constructor)) static void begin(void) {
    const char *folder = getenv("AGON_POWER_DATA"), *place = getenv("AGON_POWER_MIRROR");
    if (!folder || !place) return;
    if (!realpath(folder, data)) fail("cannot find", folder);
    if (!realpath(place, mirror)) fail("cannot find", place);
    programs = open(mirror, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (programs < 0) fail("cannot open", mirror);
    /* Not for the programs that it starts. */
    unsetenv("AGON_POWER_DATA");
    unsetenv("LD_PRELOAD");
    struct sigaction action = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO};
    sigaction(SIGSYS, &action, NULL);
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 5),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fsync, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fdatasync, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_syncfs, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("cannot confine", data);
    /* What is there now is on the disk, unless another program wrote it before this one began. */
    char first[4200];
    snprintf(first, sizeof first, "%s/folders/top", mirror);
    if (access(first, F_OK) != 0) save_folder(data, 1);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) fail("cannot confine", data);
}
