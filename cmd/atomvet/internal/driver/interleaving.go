package driver

import (
	"strconv"
	"strings"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

// runPrefix begins the messages of the related positions that are steps of a run, which is
// how a run passes through go vet: see finding.RunPrefix.
const runPrefix = "run: "

// takeRun moves the related positions that are a run to a structure.
func takeRun(list []report.Related) ([]report.Related, *report.Interleaving) {
	var rest []report.Related
	var run *report.Interleaving
	for _, r := range list {
		text, ok := strings.CutPrefix(r.Message, runPrefix)
		if !ok {
			rest = append(rest, r)
			continue
		}
		if run == nil {
			run = new(report.Interleaving)
		}
		addStep(run, r, text)
	}
	return rest, run
}

func addStep(run *report.Interleaving, at report.Related, text string) {
	if outcome, ok := strings.CutPrefix(text, "outcome: "); ok {
		run.Outcome = outcome
		return
	}
	if outcome, ok := strings.CutPrefix(text, "serial outcome: "); ok {
		run.Serial = append(run.Serial, outcome)
		return
	}
	what, value := cutValue(text)
	words := strings.SplitN(what, " ", 4) // goroutine N does PLACE
	if len(words) < 4 {
		return
	}
	n, err := strconv.Atoi(words[1])
	if err != nil || n < 1 || n > 2 {
		return
	}
	for len(run.Goroutines) < n {
		run.Goroutines = append(run.Goroutines, "goroutine "+strconv.Itoa(len(run.Goroutines)+1))
	}
	step := report.Step{
		Goroutine: n - 1, Position: at.Position, End: at.End, Message: strings.Join(strings.SplitN(text, " ", 3)[2:], ""),
		Action: words[2], Place: words[3], Value: value,
	}
	run.Steps = append(run.Steps, step)
	run.Steps[len(run.Steps)-1].State = stateAfter(run.Steps)
}

// cutValue returns the text of a step before and after the first " = " that is not in a quoted key:
//
//	goroutine 1 reads s.m["a = b"] = nil
func cutValue(text string) (what, value string) {
	for i := 0; i < len(text); i++ {
		if quoted, err := strconv.QuotedPrefix(text[i:]); err == nil {
			i += len(quoted) - 1
		} else if value, ok := strings.CutPrefix(text[i:], " = "); ok {
			return text[:i], value
		}
	}
	return text, ""
}

// stateAfter returns what the steps have shown of shared memory: the last value of each place, in
// the order in which the places are first met.
func stateAfter(steps []report.Step) string {
	var places []string
	values := make(map[string]string)
	for _, s := range steps {
		if s.Value == "" || s.Value == s.Place {
			continue // no value, or what the place had at first
		}
		if _, known := values[s.Place]; !known {
			places = append(places, s.Place)
		}
		values[s.Place] = s.Value
	}
	for i, place := range places {
		places[i] = place + " = " + values[place]
	}
	return strings.Join(places, ", ")
}
