/* A bot for rezzo in JSON Lines that answers each question at once: it walks on. The number of the step is all it reads. */
#include <stdio.h>
#include <string.h>

int main(void)
{
    static char line[1 << 20];

    while (fgets(line, sizeof line, stdin)) {
        const char *step = strstr(line, "\"step\":");
        unsigned long number;
        if (!strstr(line, "\"decide\"") || !step || sscanf(step + 7, "%lu", &number) != 1)
            continue;
        printf("{\"step\":%lu,\"answers\":[{\"action\":\"ADVANCE\"}]}\n", number);
        if (fflush(stdout) != 0)
            return 1;
    }
    return 0;
}
