package repro

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/instrument"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/instrument/atomvetrt"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/program"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/testrun"
)

// An experiment runs the trials of a test.
type experiment struct {
	program *program.Program
	finding *report.Finding
	file    string
	text    []byte
	pause   time.Duration
	runner  *testrun.Runner
}

// maxRestarts bounds the processes: a trial may end its own.
const maxRestarts = 4

// run runs the test, and again from the next trial on if one ends the process.
func (e *experiment) run(ctx context.Context) (*tally, error) {
	if e.finding.Anchors == nil {
		return nil, errors.New("findings of this category have no check and act")
	}
	overlay, placements, err := instrument.Findings(e.program, []*report.Finding{e.finding}, map[string][]byte{e.file: e.text}, e.runner.Dir)
	if err != nil {
		return nil, err
	}
	if m := placements[0].Missing; m != "" {
		return nil, errors.New(m)
	}
	config := overlay.Config
	config.Force, config.Pause, config.Budget = []int{0}, e.pause, time.Hour
	testrun.SetOffsets(&config, e.runner.Flags)
	e.runner.Overlay, e.runner.Run = overlay.File, "^TestAtomvet$"
	e.runner.Packages = []string{e.path()}
	t := new(tally)
	for range maxRestarts {
		var log bytes.Buffer
		e.runner.Log = &log
		o, err := e.runner.Do(ctx, config)
		if err != nil {
			return nil, err
		}
		if o.BuildFailed != "" {
			return nil, fmt.Errorf("the test does not compile:\n%s", o.BuildFailed)
		}
		ended := t.read(log.String(), config.From)
		if len(o.Results) > 0 {
			t.checks += o.Results[0].Checks
		}
		if ctx.Err() != nil && t.ran == 0 {
			return nil, errors.New("no trial has ended within the time (-limit)")
		}
		if ended < 0 || ctx.Err() != nil {
			break
		}
		t.crashed(log.String())
		config.From = ended + 1
	}
	return t, nil
}

// path returns the import path of the package with the test.
func (e *experiment) path() string {
	for _, f := range e.program.Files {
		if f.Name == absolute(e.finding.Anchors.Check.File) {
			return f.Path
		}
	}
	return "."
}

// A tally counts what the trials have brought.
type tally struct {
	ran, paused, checks int
	best                *trial
	// unit and rival count how the functions have ended, other than by returning, and blocked the
	// rivals that have.
	unit, rival map[string]int
	crashes     int
	crash       string // what the last one has printed
}

type trial struct {
	atomvetrt.Trial
	number int
}

// read reads the output of a process. It returns the number of the trial that has ended the process,
// or -1 if none has. The first trial with an outcome that no serial order has is the best, above all if
// the rival has changed what was checked, or else the first in which it has.
func (t *tally) read(log string, from int) (ended int) {
	number, running := from-1, false
	for line := range strings.Lines(log) {
		if strings.HasPrefix(line, atomvetrt.BeginMark) {
			number, running = number+1, true
		}
		rest, ok := strings.CutPrefix(line, atomvetrt.TrialMark)
		if !ok {
			continue
		}
		x := &trial{number: number}
		_, data, _ := strings.Cut(rest, " ")
		if json.Unmarshal([]byte(data), &x.Trial) == nil {
			running = false
			t.add(x)
		}
	}
	if running {
		return number
	}
	return -1
}

func (t *tally) add(x *trial) {
	t.ran++
	if x.Paused {
		t.paused++
	}
	count := func(m *map[string]int, how string) {
		if how == "returns " || how == "" {
			return
		}
		if *m == nil {
			*m = make(map[string]int)
		}
		(*m)[how]++
	}
	count(&t.unit, x.Unit)
	count(&t.rival, x.Rival)
	if t.best == nil && rank(x) > 0 || t.best != nil && rank(x) > rank(t.best) {
		t.best = x
	}
}

// rank orders trials by what they show.
func rank(x *trial) int {
	switch {
	case x.Wrong && x.Seen:
		return 3
	case x.Wrong:
		return 2
	case x.Seen:
		return 1
	}
	return 0
}

// crashed keeps what a process has printed at its end.
func (t *tally) crashed(log string) {
	t.crashes++
	for _, mark := range []string{"panic: ", "fatal error: "} {
		if i := strings.Index(log, "\n"+mark); i >= 0 {
			t.crash, _, _ = strings.Cut(log[i+1:], "\n")
			return
		}
	}
	t.crash = "the process ends"
}
