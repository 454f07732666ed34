#!/bin/sh
# A runner for binfection that does not know what a reply looks like.
echo "what was the form again?" >&2
echo "up and left" >"$1"
