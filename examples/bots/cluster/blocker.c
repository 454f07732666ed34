/* A bot for cluster in C, libc only: completes runs, blocks those of the opponent, else plays next to its own.
 *
 * Play it:
 *
 *     cc -O2 -o blocker examples/bots/cluster/blocker.c
 *     agon play cluster ./blocker builtin:greedy
 *
 * The rules and the protocol: agon rules cluster
 */
#include <stdio.h>
#include <stdlib.h>

enum { MAX_CELLS = 12097, MAX_COLUMNS = 127, NEED = 4, FREE = -1 };

static int neighbor[MAX_CELLS][6];
static int color_on[MAX_CELLS];     /* by cell */
static int pellet_cell[MAX_CELLS];  /* by pellet */
static int pellet_color[MAX_CELLS]; /* by pellet */
static int cells, pellets;
static int their_colors[4], their_count;

/* One number of the input; at its end the game is over. */
static int number(void)
{
    int value;
    if (scanf("%d", &value) != 1)
        exit(0);
    return value;
}

static void read_start(void)
{
    cells = number();
    for (int i = 0; i < cells; i++) {
        int cell = number();
        for (int direction = 0; direction < 6; direction++)
            neighbor[cell][direction] = number();
    }
    int columns = number();
    for (int i = 0; i < columns * 7; i++)
        number(); /* top cells of all columns; each turn tells those of now */
    int mine = number();
    for (int i = 0; i < mine * 2; i++)
        number();
    their_count = number();
    for (int i = 0; i < their_count; i++) {
        their_colors[i] = number();
        number();
    }
}

static void read_pellets(void)
{
    int added = number();
    for (int i = 0; i < added; i++) {
        int index = number();
        pellet_cell[index] = number();
        pellet_color[index] = number();
        number(); /* isMine */
        pellets = index + 1;
    }
    int changed = number();
    for (int i = 0; i < changed; i++) {
        int index = number();
        pellet_cell[index] = number();
    }
    for (int cell = 0; cell < cells; cell++)
        color_on[cell] = FREE;
    for (int i = 0; i < pellets; i++)
        color_on[pellet_cell[i]] = pellet_color[i];
}

/* Where a pellet comes to rest that enters at a top cell. */
static int landing(int top, int gravity)
{
    int cell = top;
    while (neighbor[cell][gravity] >= 0 && color_on[neighbor[cell][gravity]] == FREE)
        cell = neighbor[cell][gravity];
    return cell;
}

/* The longest run through a cell if a pellet of this color lay there. */
static int run(int cell, int color)
{
    int longest = 0;
    for (int axis = 0; axis < 3; axis++) {
        int length = 1;
        for (int direction = axis; direction < 6; direction += 3)
            for (int at = neighbor[cell][direction]; at >= 0 && color_on[at] == color; at = neighbor[at][direction])
                length++;
        if (length > longest)
            longest = length;
    }
    return longest;
}

static int completes_theirs(int cell)
{
    for (int i = 0; i < their_count; i++)
        if (run(cell, their_colors[i]) >= NEED)
            return 1;
    return 0;
}

/* How good it is to put a pellet of this color on a cell. */
static int worth(int cell, int color, int gravity)
{
    int mine = run(cell, color);
    if (mine >= NEED)
        return 10000;
    int worth = 10 * mine + rand() % 10;
    if (completes_theirs(cell))
        worth += 1000;
    /* The opponent may play on top of it. */
    int above = neighbor[cell][(gravity + 3) % 6];
    if (above >= 0 && completes_theirs(above))
        worth -= 500;
    return worth;
}

static void play_turn(void)
{
    int gravity = number();
    static int column[MAX_COLUMNS], top[MAX_COLUMNS];
    int columns = number();
    for (int i = 0; i < columns; i++) {
        column[i] = number();
        top[i] = number();
    }
    read_pellets();
    int best = -1000000, best_column = -1, best_color = -1;
    int in_hand = number();
    for (int i = 0; i < in_hand; i++) {
        int color = number();
        for (int c = 0; c < columns; c++) {
            int value = worth(landing(top[c], gravity), color, gravity);
            if (value > best) {
                best = value;
                best_column = column[c];
                best_color = color;
            }
        }
    }
    /* `number` has read all but the end of the last line and the empty line: do so before answering. */
    for (int breaks = 0; breaks < 2;) {
        int c = getchar();
        if (c == EOF)
            exit(0);
        breaks += c == '\n';
    }
    if (best_column < 0)
        printf("ROTATE 1\n");
    else
        printf("PLACE %d %d\n", best_column, best_color);
    fflush(stdout);
}

int main(void)
{
    read_start();
    for (;;)
        play_turn();
}
