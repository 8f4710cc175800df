package driver

import (
	"strconv"
	"strings"
)

// An interleaving is a run of two goroutines that goes wrong. The analyzers have it in their
// related positions.
type interleaving struct {
	Steps   []runStep `json:"steps"`
	Outcome string    `json:"outcome"`
	Serial  []string  `json:"serial_outcomes"`
}

// A runStep is what a goroutine does to shared memory, or to a lock.
type runStep struct {
	Goroutine int `json:"goroutine"`
	position
	Action string `json:"action"` // reads, writes or releases
	Place  string `json:"place"`
	Value  string `json:"value,omitempty"`
}

// runPrefix begins the messages that are steps of a run: see finding.RunPrefix.
const runPrefix = "run: "

// takeRun moves the related positions that are a run to a structure.
func takeRun(list []related) ([]related, *interleaving) {
	var rest []related
	var run *interleaving
	for _, r := range list {
		text, ok := strings.CutPrefix(r.Message, runPrefix)
		if !ok {
			rest = append(rest, r)
			continue
		}
		if run == nil {
			run = new(interleaving)
		}
		run.add(r.position, text)
	}
	return rest, run
}

func (run *interleaving) add(at position, text string) {
	if outcome, ok := strings.CutPrefix(text, "outcome: "); ok {
		run.Outcome = outcome
		return
	}
	if outcome, ok := strings.CutPrefix(text, "serial outcome: "); ok {
		run.Serial = append(run.Serial, outcome)
		return
	}
	what, value, _ := strings.Cut(text, " = ")
	words := strings.SplitN(what, " ", 4) // goroutine N does PLACE
	if len(words) < 4 {
		return
	}
	n, _ := strconv.Atoi(words[1])
	run.Steps = append(run.Steps, runStep{n, at, words[2], words[3], value})
}
