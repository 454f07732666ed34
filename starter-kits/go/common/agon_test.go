package main

// Tests agon.go, messages.go and the bot with the recorded conversation in golden, or in the folder that AGON_GOLDEN
// names: GAME.arena.jsonl is what a bot reads, GAME.bot.jsonl what one answered.

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// recorded gives the lines that the arena or the bot wrote.
func recorded(t *testing.T, who string) []string {
	folder := os.Getenv("AGON_GOLDEN")
	if folder == "" {
		folder = "golden"
	}
	text, err := os.ReadFile(filepath.Join(folder, game+"."+who+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// value is what a line says, whatever the order of its keys.
func value(t *testing.T, line string) any {
	var value any
	if err := json.Unmarshal([]byte(line), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// typed reads a line into a message that has to know all of its keys, and gives what that message writes.
func typed(t *testing.T, line string, message any) string {
	decoder := json.NewDecoder(strings.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(message); err != nil {
		t.Fatal(err, line)
	}
	text, err := json.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func conversation(t *testing.T) (Start, []Decide) {
	var start Start
	var questions []Decide
	for _, line := range recorded(t, "arena") {
		switch value(t, line).(map[string]any)["type"] {
		case "start":
			typed(t, line, &start)
		case "decide":
			var question Decide
			typed(t, line, &question)
			questions = append(questions, question)
		}
	}
	return start, questions
}

func TestMessagesLoseNothing(t *testing.T) {
	messages := map[string]func() any{
		"start":  func() any { return new(Start) },
		"decide": func() any { return new(Decide) },
		"end":    func() any { return new(End) },
	}
	for _, line := range recorded(t, "arena") {
		kind := value(t, line).(map[string]any)["type"].(string)
		if again := typed(t, line, messages[kind]()); !reflect.DeepEqual(value(t, line), value(t, again)) {
			t.Errorf("%s\nbecomes\n%s", line, again)
		}
	}
	for _, line := range recorded(t, "bot") {
		if again := typed(t, line, new(Answers)); !reflect.DeepEqual(value(t, line), value(t, again)) {
			t.Errorf("%s\nbecomes\n%s", line, again)
		}
	}
}

// replay answers what was recorded.
type replay struct {
	t       *testing.T
	answers []string
	outcome *Outcome
}

func (player *replay) Decide(*Observation, int) Reply { panic("it plans") }

func (player *replay) Answer([]Observation, int) []Reply {
	var answers Answers
	typed(player.t, player.answers[0], &answers)
	player.answers = player.answers[1:]
	return answers.Answers
}

func (player *replay) End(outcome *Outcome) { player.outcome = outcome }

func TestAnswersAreWrittenAsRecorded(t *testing.T) {
	player := &replay{t: t, answers: recorded(t, "bot")}
	input := strings.NewReader(strings.Join(recorded(t, "arena"), "\n") + "\n")
	var output bytes.Buffer
	if err := play(func(*Start) Player { return player }, input, &output); err != nil {
		t.Fatal(err)
	}
	written := strings.Split(strings.TrimSuffix(output.String(), "\n"), "\n")
	for index, line := range recorded(t, "bot") {
		if !reflect.DeepEqual(value(t, line), value(t, written[index])) {
			t.Errorf("%s instead of %s", written[index], line)
		}
	}
	if player.outcome == nil {
		t.Error("the outcome was not told")
	}
}

func TestUnknownKeysAndMessagesAreIgnored(t *testing.T) {
	var strange strings.Builder
	lines := recorded(t, "arena")
	// The end is missing, too: then the end of the input ends the match.
	for _, line := range lines[:len(lines)-1] {
		strange.WriteString("{\"type\":\"news\",\"step\":\"none\"}\n")
		strange.WriteString(strings.TrimSuffix(line, "}") + ",\"new_key\":[1,{\"a\":null}]}\n")
	}
	var output bytes.Buffer
	if err := play(NewBot, strings.NewReader(strange.String()), &output); err != nil {
		t.Fatal(err)
	}
	if written, want := strings.Count(output.String(), "\n"), len(recorded(t, "bot")); written != want {
		t.Errorf("%d answers instead of %d", written, want)
	}
}

func TestRepliesAreLegalAndRepeat(t *testing.T) {
	start, questions := conversation(t)
	for start.Seed = 0; start.Seed < 200; start.Seed++ {
		one, two := NewBot(&start), NewBot(&start)
		for _, question := range questions {
			replies := answer(one, &question)
			if !reflect.DeepEqual(replies, answer(two, &question)) {
				t.Fatal("the same seed gives other replies")
			}
			for index, reply := range replies {
				if problem := problem(&start, &question.Decisions[index], reply); problem != "" {
					t.Fatalf("%s: %+v", problem, reply)
				}
			}
		}
	}
}

func TestAnotherGameIsRefused(t *testing.T) {
	err := play(NewBot, strings.NewReader("{\"type\":\"start\",\"game\":\"chess\"}\n"), &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "not chess") {
		t.Error(err)
	}
}
