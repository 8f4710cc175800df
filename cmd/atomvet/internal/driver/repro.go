package driver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/repro"
)

// reproduced is what repro prints with -json.
type reproduced struct {
	Finding string `json:"finding"`
	Verdict string `json:"verdict"` // shown, interferes or not shown
	Missing string `json:"missing,omitempty"`
	Trials  int    `json:"trials"`
	Outcome string `json:"outcome,omitempty"`
	// Serial are the outcomes of the serial orders: unit first, rival first.
	Serial []string `json:"serial_outcomes,omitempty"`
	Test   string   `json:"test,omitempty"`
}

// reproduce is the command repro.
func reproduce(ctx context.Context, d *dynamic) (int, error) {
	if len(d.findings) != 1 {
		return 0, errors.New("repro needs one finding: -finding=ID, with an ID of -json")
	}
	var test []byte
	if d.test != "" {
		var err error
		if test, err = os.ReadFile(d.test); err != nil {
			return 0, err
		}
	}
	list, err := d.static(ctx)
	if err != nil {
		return 0, err
	}
	p, err := d.program()
	if err != nil {
		return 0, err
	}
	f := list[0]
	if d.at != "" {
		if err := repro.SwitchAt(p, f, d.at); err != nil {
			return 0, err
		}
	}
	var r *repro.Result
	if test != nil {
		r, err = repro.Kept(ctx, p, f, test, 20*d.pause, &d.runner)
	} else {
		r, err = repro.Run(ctx, p, f, 20*d.pause, &d.runner)
	}
	if err != nil {
		return 0, fmt.Errorf("%s:%d: %v", f.File, f.Line, err)
	}
	out := &reproduced{Finding: f.ID, Verdict: "not shown", Missing: r.Missing, Trials: r.Tried, Test: string(r.Test)}
	if r.Trial.Seen || r.Trial.Wrong {
		out.Verdict, out.Outcome, out.Serial = "interferes", r.Trial.Outcome, r.Trial.Serial[:]
	}
	if r.Trial.Wrong {
		out.Verdict = "shown"
	}
	if err := d.printReproduced(out); err != nil {
		return 0, err
	}
	if out.Verdict == "not shown" {
		fmt.Fprintf(os.Stderr, "atomvet: %s:%d: not shown: %s\n", f.File, f.Line, r.Missing)
		return exitClean, nil
	}
	what := "the rival interferes, and no serial order has the outcome"
	switch {
	case out.Verdict == "interferes":
		what = r.Missing
	case !r.Trial.Seen:
		what = "no serial order has the outcome, though the rival does not change what was checked"
	}
	fmt.Fprintf(os.Stderr, "atomvet: %s:%d: %s; %d trials\n", f.File, f.Line, what, r.Tried)
	return exitFindings, nil
}

// printReproduced prints the test, or all that is known with -json. Of a test that was given only the
// outcome is printed.
func (d *dynamic) printReproduced(r *reproduced) error {
	if d.output != "" && r.Test != "" {
		if err := os.WriteFile(d.output, []byte(r.Test), 0o666); err != nil {
			return err
		}
	}
	switch {
	case d.json:
		enc := json.NewEncoder(os.Stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "\t")
		return enc.Encode(r)
	case d.test != "" && r.Outcome != "":
		fmt.Printf("interleaved:\n%s\nunit first:\n%s\nrival first:\n%s\n", r.Outcome, r.Serial[0], r.Serial[1])
	case d.test == "" && d.output == "":
		fmt.Print(r.Test)
	}
	return nil
}
