package main

import "strings"

// problem tells what is wrong with a reply, if anything.
func problem(start *Start, seen *Observation, reply Reply) string {
	ahead := seen.Rows[11][6]
	possible := false
	switch reply.Action {
	case ActionNop, ActionTurnLeft, ActionTurnRight:
		possible = true
	case ActionAdvance, ActionBuild:
		possible = ahead == ' '
	case ActionHit:
		possible = strings.IndexByte(hittable, ahead) >= 0
	}
	if !possible {
		return "not possible here"
	}
	return ""
}
