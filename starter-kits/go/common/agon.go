package main

// Agon's protocol: lines of JSON over standard input and output, or over a socket.
// The bot is in bot.go, the messages are in messages.go.

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
)

// Player plays one match.
type Player interface {
	// Decide gives the reply to one observation.
	Decide(seen *Observation, turn int) Reply
}

// Planner is a Player that answers all observations of a question together, in the same order.
type Planner interface {
	Answer(decisions []Observation, turn int) []Reply
}

// Ender is a Player that wants to know how the match ended; the outcome may be nil.
type Ender interface {
	End(outcome *Outcome)
}

// play plays one match: it reads messages and writes answers.
func play(newPlayer func(*Start) Player, input io.Reader, output io.Writer) error {
	lines := bufio.NewReaderSize(input, 1<<16)
	var player Player
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if line[0] != '{' {
			return fmt.Errorf("%q is no message of JSON Lines; is `jsonl:` missing in front of the bot?", line)
		}
		// Nearly all messages are questions. What is none may have keys of other types.
		var question Decide
		err = json.Unmarshal(line, &question)
		var otherTypes *json.UnmarshalTypeError
		if err != nil && (question.Type == "decide" || !errors.As(err, &otherTypes)) {
			return err
		}
		switch question.Type {
		case "start":
			var start Start
			if err := json.Unmarshal(line, &start); err != nil {
				return err
			}
			if start.Game != game {
				return fmt.Errorf("this bot plays %s, not %s", game, start.Game)
			}
			player = newPlayer(&start)
		case "decide":
			text, err := json.Marshal(Answers{question.Step, answer(player, &question)})
			if err != nil {
				return err
			}
			if _, err := output.Write(append(text, '\n')); err != nil {
				return err
			}
		case "end":
			var end End
			if err := json.Unmarshal(line, &end); err != nil {
				return err
			}
			if ender, ok := player.(Ender); ok {
				ender.End(end.Outcome)
			}
			return nil
		}
	}
}

func answer(player Player, question *Decide) []Reply {
	if planner, ok := player.(Planner); ok {
		return planner.Answer(question.Decisions, int(question.Turn))
	}
	replies := make([]Reply, len(question.Decisions))
	for index := range question.Decisions {
		replies[index] = player.Decide(&question.Decisions[index], int(question.Turn))
	}
	return replies
}

// listen waits for matches at a port of this machine and plays them one after the other.
func listen(port string) error {
	server, err := net.Listen("tcp", "localhost:"+port)
	if err != nil {
		return err
	}
	log.Printf("waiting for matches at connect:localhost:%s", port)
	for {
		connection, err := server.Accept()
		if err != nil {
			return err
		}
		// An error ends the match, not the program; a panic does end it.
		if err := play(NewBot, connection, connection); err != nil {
			log.Print(err)
		}
		connection.Close()
	}
}

func main() {
	// Only answers may reach the arena; what the bot prints goes to standard error instead.
	output := os.Stdout
	os.Stdout = os.Stderr
	var err error
	if len(os.Args) == 3 && os.Args[1] == "--listen" {
		err = listen(os.Args[2])
	} else {
		err = play(NewBot, os.Stdin, output)
	}
	if err != nil {
		log.Fatal(err)
	}
}
