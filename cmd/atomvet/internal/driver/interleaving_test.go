package driver

import (
	"reflect"
	"testing"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

func TestTakeRun(t *testing.T) {
	at := report.Position{File: "a.go", Line: 3, Column: 4}
	related := func(text string) report.Related { return report.Related{Position: at, End: at, Message: text} }
	rest, run := takeRun([]report.Related{
		related("s.n is read here"),
		related("run: goroutine 1 reads s.n = s.n"),
		related("run: goroutine 2 writes s.m[k] = a = b"),
		related("run: goroutine 1 writes s.n = 1"),
		related("run: goroutine 2 releases s.mu"),
		related("run: goroutine 3 releases s.mu"),
		related(`run: goroutine 2 writes s.m["a = b"] = c`),
		related("run: outcome: s.n is 1"),
		related("run: serial outcome: s.n is 2"),
		related("run: serial outcome: s.n is 3"),
	})
	if len(rest) != 1 || rest[0].Message != "s.n is read here" {
		t.Errorf("rest %v", rest)
	}
	step := func(goroutine int, message, action, place, value, state string) report.Step {
		return report.Step{Goroutine: goroutine, Position: at, End: at, Message: message, Action: action, Place: place, Value: value, State: state}
	}
	want := &report.Interleaving{
		Goroutines: []string{"goroutine 1", "goroutine 2"},
		Steps: []report.Step{
			step(0, "reads s.n = s.n", "reads", "s.n", "s.n", ""),
			step(1, "writes s.m[k] = a = b", "writes", "s.m[k]", "a = b", "s.m[k] = a = b"),
			step(0, "writes s.n = 1", "writes", "s.n", "1", "s.m[k] = a = b, s.n = 1"),
			step(1, "releases s.mu", "releases", "s.mu", "", "s.m[k] = a = b, s.n = 1"),
			step(1, `writes s.m["a = b"] = c`, "writes", `s.m["a = b"]`, "c", `s.m[k] = a = b, s.n = 1, s.m["a = b"] = c`),
		},
		Outcome: "s.n is 1",
		Serial:  []string{"s.n is 2", "s.n is 3"},
	}
	if !reflect.DeepEqual(run, want) {
		t.Errorf("run %+v, want %+v", run, want)
	}
	if _, run := takeRun(nil); run != nil {
		t.Errorf("no related positions are the run %v", run)
	}
}
