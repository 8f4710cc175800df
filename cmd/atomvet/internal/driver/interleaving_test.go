package driver

import (
	"reflect"
	"testing"
)

func TestTakeRun(t *testing.T) {
	at := position{"a.go", 3, 4}
	rest, run := takeRun([]related{
		{position: at, Message: "s.n is read here"},
		{position: at, Message: "run: goroutine 1 reads s.n = s.n"},
		{position: at, Message: "run: goroutine 2 writes s.m[k] = a = b"},
		{position: at, Message: "run: goroutine 2 releases s.mu"},
		{position: at, Message: "run: outcome: s.n is 1"},
		{position: at, Message: "run: serial outcome: s.n is 2"},
		{position: at, Message: "run: serial outcome: s.n is 3"},
	})
	if len(rest) != 1 || rest[0].Message != "s.n is read here" {
		t.Errorf("rest %v", rest)
	}
	want := &interleaving{
		Steps: []runStep{
			{1, at, "reads", "s.n", "s.n"},
			{2, at, "writes", "s.m[k]", "a = b"},
			{2, at, "releases", "s.mu", ""},
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
