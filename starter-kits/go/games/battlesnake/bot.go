// A snake for the official Battlesnake API. It moves at random, but into no wall and no body.
package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"log"
	"math/rand"
	"net"
	"net/http"
	"os"
	"strings"
)

var index = map[string]string{
	"apiversion": "1", "author": "", "color": "#00add8", "head": "default", "tail": "default",
}

// moves says where the head goes.
var moves = map[string]Square{"up": {0, 1}, "down": {0, -1}, "left": {-1, 0}, "right": {1, 0}}

// chooseMove returns the move for this turn: a key of moves. Change this.
func chooseMove(state *State) string {
	var safe []string
	// The order of a map is not the same each time.
	for _, move := range []string{"up", "down", "left", "right"} {
		if isSafe(state, move) {
			safe = append(safe, move)
		}
	}
	if len(safe) == 0 {
		return "up"
	}
	// Seeded, so that a match can be played again.
	hash := fnv.New64a()
	fmt.Fprint(hash, state.Game.ID, state.You.ID, state.Turn)
	return safe[rand.New(rand.NewSource(int64(hash.Sum64()))).Intn(len(safe))]
}

// isSafe returns whether a move stays on the board and hits no body.
func isSafe(state *State, move string) bool {
	board, head := state.Board, state.You.Head
	to := Square{head.X + moves[move].X, head.Y + moves[move].Y}
	if strings.HasPrefix(state.Game.Ruleset.Name, "wrapped") {
		to.X = (to.X + board.Width) % board.Width
		to.Y = (to.Y + board.Height) % board.Height
	} else if to.X < 0 || to.Y < 0 || to.X >= board.Width || to.Y >= board.Height {
		return false
	}
	for _, snake := range board.Snakes {
		for i, square := range snake.Body {
			// The last square of a body is free after this turn.
			if square == to && i < len(snake.Body)-1 {
				return false
			}
		}
	}
	return true
}

// State is the body of a request, as far as most snakes need it.
type State struct {
	Game struct {
		ID      string
		Ruleset struct{ Name string }
	}
	Turn  int
	Board struct {
		Width, Height int
		Food, Hazards []Square
		Snakes        []Snake
	}
	You Snake
}

// Snake is a snake that is left. Its body starts with its head.
type Snake struct {
	ID     string
	Health int
	Head   Square
	Body   []Square
}

// Square is a square of the board; (0, 0) is at the bottom left.
type Square struct{ X, Y int }

func handle(response http.ResponseWriter, request *http.Request) {
	var answer any = index
	switch request.Method + " " + request.URL.Path {
	case "GET /":
	case "POST /start", "POST /move", "POST /end":
		var state State
		if err := json.NewDecoder(request.Body).Decode(&state); err != nil {
			http.Error(response, err.Error(), http.StatusBadRequest)
			return
		}
		answer = struct{}{}
		if request.URL.Path == "/move" {
			answer = map[string]string{"move": chooseMove(&state)}
		}
	default:
		http.NotFound(response, request)
		return
	}
	response.Header().Set("Content-Type", "application/json")
	json.NewEncoder(response).Encode(answer)
}

// variable returns an environment variable.
func variable(name, usual string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return usual
}

func main() {
	address := net.JoinHostPort(variable("HOST", "127.0.0.1"), variable("PORT", "8000"))
	log.Fatal(http.ListenAndServe(address, http.HandlerFunc(handle)))
}
