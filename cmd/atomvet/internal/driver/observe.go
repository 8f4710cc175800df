package driver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/observe"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/text"
)

// observeTests is the command observe.
func observeTests(ctx context.Context, d *dynamic) (int, error) {
	p, err := d.program()
	if err != nil {
		return 0, err
	}
	s, err := observe.Run(ctx, p, &d.runner)
	if err != nil {
		return 0, err
	}
	short := newShortener()
	for i := range s.Reports {
		short.position(&s.Reports[i].Position)
		for j := range s.Reports[i].Related {
			short.position(&s.Reports[i].Related[j].Position)
		}
	}
	if d.json {
		enc := json.NewEncoder(os.Stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "\t")
		err = enc.Encode(s)
	} else {
		printObserved(os.Stdout, s)
	}
	c := s.Counts
	fmt.Fprintf(os.Stderr, "atomvet: %s; %s, %d accesses to %s, %s of %s in %s, %.1f seconds\n",
		text.Count(len(s.Reports), "report"), text.Count(c.Tests, "test"), c.Accesses, text.Count(c.Objects, "variable"),
		text.Count(c.Sections, "critical section"), text.Count(c.Locks, "lock"), text.Count(c.Goroutines, "goroutine"), s.Seconds)
	if s.Note != "" {
		fmt.Fprintf(os.Stderr, "atomvet: %s\n", s.Note)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Failed)) {
		fmt.Fprintf(os.Stderr, "atomvet: failed: %s\n", name)
	}
	switch {
	case err != nil:
		return 0, err
	case len(s.Reports) > 0:
		return exitFindings, nil
	}
	return exitClean, nil
}

// printObserved prints what was seen: a line for each report, and one for each other place.
func printObserved(w io.Writer, s *observe.Summary) {
	for _, r := range s.Reports {
		fmt.Fprintf(w, "%s:%d:%d: [%s] %s\n", r.File, r.Line, r.Column, r.Rule(), r.Message)
		for _, x := range r.Related {
			fmt.Fprintf(w, "%s:%d:%d: \t%s\n", x.File, x.Line, x.Column, x.Message)
		}
		if len(r.Rival) > 0 {
			printStack(w, "this goroutine", r.Stack)
			if len(r.Later) > 0 {
				printStack(w, "this goroutine, later", r.Later)
			}
			printStack(w, "the other one", r.Rival)
		}
	}
}
