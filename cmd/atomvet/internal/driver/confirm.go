package driver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/confirm"
)

// confirmFindings is the command confirm.
func confirmFindings(ctx context.Context, d *dynamic) (int, error) {
	list, err := d.static(ctx)
	if err != nil {
		return 0, err
	}
	if len(list) == 0 {
		fmt.Fprintln(os.Stderr, "atomvet: no findings")
		return exitClean, nil
	}
	p, err := d.program()
	if err != nil {
		return 0, err
	}
	s, err := confirm.Run(ctx, p, list, confirm.Options{Pause: d.pause, Budget: d.budget, Cost: d.runner.Measure != ""}, &d.runner)
	if err != nil {
		return 0, err
	}
	if d.json {
		enc := json.NewEncoder(os.Stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "\t")
		err = enc.Encode(map[string]any{"findings": s.Findings})
	} else {
		printConfirmed(os.Stdout, s)
	}
	for _, n := range s.Notes {
		fmt.Fprintf(os.Stderr, "atomvet: %s\n", n)
	}
	for _, f := range s.Findings {
		if f.Dynamic.Seen() {
			return exitFindings, err
		}
	}
	return exitClean, err
}

// printConfirmed prints what was seen of each finding, with the stacks of one intrusion.
func printConfirmed(w io.Writer, s *confirm.Summary) {
	for _, f := range s.Findings {
		fmt.Fprintf(w, "%s:%d:%d: [%s] %s %s\n", f.File, f.Line, f.Column, f.Rule(), f.ID, f.Dynamic)
		if x := f.Dynamic.Example; x != nil {
			if len(x.Tests) > 0 {
				fmt.Fprintf(w, "\tin %s\n", strings.Join(x.Tests, ", "))
			}
			printStack(w, "check", x.Check)
			printStack(w, "another goroutine", x.Rival)
			printStack(w, "act", x.Act)
		}
		for _, test := range slices.Sorted(maps.Keys(f.Dynamic.Failure)) {
			output := strings.ReplaceAll(strings.TrimSpace(f.Dynamic.Failure[test]), "\n", "\n\t\t")
			fmt.Fprintf(w, "\tfails with the pauses of this finding alone: %s\n\t\t%s\n", test, output)
		}
	}
}

func printStack(w io.Writer, what string, stack []string) {
	fmt.Fprintf(w, "\t%s:\n", what)
	for _, frame := range stack {
		fmt.Fprintf(w, "\t\t%s\n", frame)
	}
}
