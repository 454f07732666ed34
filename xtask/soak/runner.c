/* A runner for binfection: reads its file to the end, and writes a reply without moves into it. */
#include <stdio.h>

int main(int argc, char **argv)
{
    static char bytes[1 << 16];
    FILE *file = argc > 1 ? fopen(argv[1], "r+") : NULL;

    if (!file)
        return 1;
    while (fread(bytes, 1, sizeof bytes, file) == sizeof bytes) {
    }
    if (!freopen(argv[1], "w", file))
        return 1;
    fputs("{\"moves\": [], \"blob\": {}}", file);
    return fclose(file) != 0;
}
