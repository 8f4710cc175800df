package report_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

func at(line, column int) report.Position {
	return report.Position{File: "d/a.go", Line: line, Column: column}
}

// outlined returns a finding with anchors.
func outlined() *report.Finding {
	release, later, inner := at(3, 6), at(7, 6), at(20, 2)
	return &report.Finding{
		Position: at(8, 2), End: at(8, 20), Message: "check-then-act: s.m[k] was checked (S.m is also written by (*S).Set, a.go:12)",
		Related: []report.Related{
			{Position: at(2, 7), End: at(2, 13), Message: "s.m[k] is read here"},
			{Position: at(3, 2), End: at(3, 15), Message: "s.mu is released here"},
		},
		Anchors: &report.Anchors{
			Unit:    "(*S).Get",
			Object:  report.Object{Package: "q/p", Type: "S", Field: "m", Key: true},
			Check:   report.Access{Position: at(2, 10), Op: "read"},
			Release: &release,
			Later:   &later,
			Act:     report.Access{Position: at(8, 5), Op: "write", Calls: []report.Position{at(8, 5)}, Access: &inner},
			Rivals: []report.Rival{
				{Func: "(*S).Get", Kind: "write", Access: at(20, 2)},
				{Func: "(*S).Drop", Kind: "write", Access: at(11, 2)},
				{Func: "(*S).Set", Kind: "write", Access: at(12, 2)},
			},
			Interference: "write",
		},
	}
}

func steps(run *report.Interleaving) []string {
	var out []string
	for _, s := range run.Steps {
		out = append(out, fmt.Sprintf("%d %d:%d-%d %s; %s", s.Goroutine, s.Line, s.Column, s.End.Column, s.Message, s.State))
	}
	return out
}

// TestOutline: the run of a finding with anchors has the rival that the message names, and the
// extents of the places that are known.
func TestOutline(t *testing.T) {
	run := outlined().Run()
	if want := []string{"goroutine 1: (*S).Get", "goroutine 2: (*S).Set"}; !slices.Equal(run.Goroutines, want) {
		t.Errorf("goroutines %q, want %q", run.Goroutines, want)
	}
	want := []string{
		"0 2:7-13 reads S.m[…]; S.m[…] is as goroutine 1 knows it",
		"0 3:2-15 releases s.mu; ",
		"1 12:2-2 writes S.m[…]; S.m[…] has changed",
		"0 7:6-6 takes the lock again; ",
		"0 8:2-20 writes S.m[…], in a callee (a.go:20); goroutine 1 went by the old S.m[…]",
	}
	if got := steps(run); !slices.Equal(got, want) {
		t.Errorf("steps\n%q, want\n%q", got, want)
	}
}

// TestOutlineOfTwo: with two objects the states name both, for writers and for readers.
func TestOutlineOfTwo(t *testing.T) {
	f := outlined()
	f.Message = "split-read"
	f.Anchors.ActObject = &report.Object{Package: "q/p", Field: "total"}
	f.Anchors.Act = report.Access{Position: at(8, 5), Op: "read"}
	run := f.Run()
	if last := run.Steps[len(run.Steps)-1]; last.State != "goroutine 1 has an old S.m[…] and a new total" {
		t.Errorf("state %q", last.State)
	}
	if run.Goroutines[1] != "goroutine 2: (*S).Drop" {
		t.Errorf("the rival is %s, want the first that is another function", run.Goroutines[1])
	}
	f.Anchors.Interference, f.Anchors.Rivals = "read", []report.Rival{{Func: "(*S).Sum", Kind: "read", Access: at(30, 2)}}
	run = f.Run()
	if got := run.Steps[2]; got.Message != "reads S.m[…]" || got.State != "goroutine 2 sees the one new and the other old" {
		t.Errorf("step %+v", got)
	}
}

// TestRun: the run is the executed one where there is one, and nil without anchors or rivals.
func TestRun(t *testing.T) {
	f := outlined()
	f.Interleaving = &report.Interleaving{Steps: []report.Step{{Message: "executed"}}}
	if f.Run() != f.Interleaving {
		t.Error("the run is not the one that was executed")
	}
	f.Interleaving, f.Anchors.Rivals = nil, nil
	if run := f.Run(); run != nil {
		t.Errorf("without rivals the run is %v", run)
	}
	f.Anchors = nil
	if run := f.Run(); run != nil {
		t.Errorf("without anchors the run is %v", run)
	}
}
