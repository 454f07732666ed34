/* A rezzo bot in C: walks straight on, turns where the way is blocked, and hits enemies' flags out of the way.
 *
 * Build and play:
 *     cc -O2 -o wander wander.c
 *     agon play rezzo ./wander ./wander
 *
 * The arena writes 340 bytes a tick to stdin: ack, ts, 169 cells as characters, 169 damage values. The cells are the
 * 13 x 13 ahead of the agent, the farthest row first; the agent stands in the middle of the last row. The bot answers
 * with 2 bytes: the same ts and an action.
 */
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 13, CELLS = SIDE * SIDE };

struct message {
	unsigned char ack, ts;
	unsigned char cell[CELLS];
	unsigned char damage[CELLS];
};

/* The cell so many steps ahead of the agent and to its right (negative: to its left). */
static unsigned char seen(const struct message *m, int ahead, int right)
{
	return m->cell[(SIDE - 1 - ahead) * SIDE + SIDE / 2 + right];
}

static char decide(const struct message *m)
{
	unsigned char me = seen(m, 0, 0); /* '0' + number of the player */
	unsigned char next = seen(m, 1, 0);

	if (next >= 'A' && next <= 'J' && next - 'A' != me - '0')
		return '!';
	if (next == ' ' && rand() % 20 != 0)
		return '^';
	return rand() % 2 ? '\\' : '/';
}

int main(void)
{
	struct message m; /* bytes only, so there is no padding */

	while (fread(&m, sizeof m, 1, stdin) == 1) {
		char reply[2] = {(char)m.ts, decide(&m)};
		if (fwrite(reply, sizeof reply, 1, stdout) != 1 || fflush(stdout) != 0)
			return 1;
	}
	return 0;
}
