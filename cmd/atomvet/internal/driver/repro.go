package driver

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/repro"
)

// reproduce is the command repro.
func reproduce(ctx context.Context, d *dynamic) (int, error) {
	if len(d.findings) != 1 {
		return 0, errors.New("repro needs one finding: -finding=ID, with an ID of -json")
	}
	list, err := d.static(ctx)
	if err != nil {
		return 0, err
	}
	p, err := d.program()
	if err != nil {
		return 0, err
	}
	r, err := repro.Run(ctx, p, list[0], 20*d.pause, &d.runner)
	if err != nil {
		return 0, fmt.Errorf("%s:%d: %v", list[0].File, list[0].Line, err)
	}
	if d.output != "" {
		err = os.WriteFile(d.output, r.Test, 0o666)
	} else {
		_, err = os.Stdout.Write(r.Test)
	}
	what := "the rival interferes, and no serial order has the outcome"
	if !r.Trial.Wrong {
		what = "the rival interferes, but the outcome is that of a serial order, or not repeatable"
	}
	fmt.Fprintf(os.Stderr, "atomvet: %s; %d start states tried\n", what, r.Tried)
	return exitFindings, err
}
