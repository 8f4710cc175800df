package driver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
	"github.com/atomvet/atomvet/passes/closedworld"
)

// The last step of a check: what a unit finds may rest on callers in other packages that do not
// exist. When all units are known, and only then, this is decided: see package closedworld.

// A refutation is a finding that the callers in other packages refute, in the form in which -json
// prints it.
type refutation struct {
	report.Position
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
}

func (r refutation) String() string {
	return fmt.Sprintf("%s:%d:%d: [%s] is not shown: %s", r.File, r.Line, r.Column, r.Rule, r.Reason)
}

func printRefuted(w io.Writer, list []refutation) {
	for _, r := range list {
		fmt.Fprintf(w, "atomvet: %v\n", r)
	}
}

// errNoProgram is the error for -closed without a main package.
var errNoProgram = errors.New("-closed: no main package was named")

// refute returns the findings of a list that are not refuted, and the others.
func (c *checker) refute(ctx context.Context, list []finding, found *findings) ([]finding, []refutation, error) {
	if !c.opts.callers || ctx.Err() != nil {
		return list, nil, nil
	}
	roots, err := c.roots()
	if err != nil {
		return list, nil, nil // which was said before
	}
	var worlds []*closedworld.World
	if c.opts.closed {
		mains := found.programs(roots)
		if len(mains) == 0 {
			return list, nil, errNoProgram
		}
		worlds = append(worlds, closedworld.New(found.calls, nil, mains))
	}
	if !slices.ContainsFunc(list, func(f finding) bool { return len(rests(&f)) > 0 }) {
		return list, nil, nil
	}
	complete := c.importers(ctx, found)
	worlds = append(worlds, closedworld.New(found.calls, complete, nil))

	type key struct {
		report.Position
		analyzer, message string
	}
	keyOf := func(f *finding) key { return key{f.Position, f.Analyzer, f.Message} }
	reasons, kept := make(map[key]string), make(map[key]bool)
	for i := range list {
		f := &list[i]
		i := slices.IndexFunc(worlds, func(w *closedworld.World) bool { return w.Has(f.Package) })
		if i < 0 {
			kept[keyOf(f)] = true
			continue
		}
		reason, ok := worlds[i].Refutes(rests(f))
		if !ok {
			// A package and its variant with tests have the same findings.
			kept[keyOf(f)] = true
		}
		reasons[keyOf(f)] = reason
	}
	short := newShortener()
	var refuted []refutation
	list = slices.DeleteFunc(list, func(f finding) bool {
		k := keyOf(&f)
		if kept[k] {
			return false
		}
		r := refutation{f.Position, f.Rule(), reasons[k]}
		short.position(&r.Position)
		if !slices.Contains(refuted, r) {
			refuted = append(refuted, r)
		}
		return true
	})
	slices.SortFunc(refuted, func(a, b refutation) int { return report.ComparePositions(a.Position, b.Position) })
	if n := len(refuted); n > 0 {
		c.notes = append(c.notes, fmt.Sprintf("%d refuted by their callers", n))
	}
	return list, refuted, nil
}

// rests returns the assumptions of a finding and of those that are gathered into it, nil if
// nothing can refute it.
func rests(f *finding) []closedworld.Pair {
	if f.Anchors == nil {
		return nil
	}
	out := f.Anchors.Rests
	for _, r := range f.Related {
		switch {
		case !report.IsFurther(r.Message):
		case r.Anchors == nil:
			return nil
		default:
			out = closedworld.Both(out, r.Anchors.Rests)
		}
	}
	return out
}

// programs returns the main packages among those that were named.
func (fs *findings) programs(named roots) []string {
	var out []string
	for _, u := range fs.calls {
		if u.Program && named[u.Package] && !slices.Contains(out, u.Package) {
			out = append(out, u.Package)
		}
	}
	slices.Sort(out)
	return out
}
