#!/bin/sh
# bob, a bot for binfection: marches in one direction at a time and remembers it. To play it, name this runner:
#
#     agon play binfection examples/bots/binfection/alice.sh examples/bots/binfection/bob.sh
#
# The bot is called what its runner is called: a copy of this file named carol.sh plays as carol.
exec python3 "$(dirname "$0")/bob.py" "$1" "$(basename "$0" .sh)"
