#!/bin/sh
# alice, a bot for binfection: spreads and bites. To play it, name this runner:
#
#     agon play binfection examples/bots/binfection/alice.sh examples/bots/binfection/bob.sh
#
# The arena starts a runner once a turn with one argument: the file that holds the question and takes the reply.
# A runner starts in the folder the user is in, so it finds its program by its own place;
# the bot is called what its runner is called.
exec python3 "$(dirname "$0")/alice.py" "$1" "$(basename "$0" .sh)"
