package driver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/baseline"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/since"
)

// unknown returns the findings that are new, as -new-from and -baseline define it. With
// -baseline-write it writes the baseline, and all is done.
func (c *checker) unknown(list []finding, failed bool) (_ []finding, done bool, err error) {
	if c.opts.newFrom != "" {
		if list, err = changedSince(c.opts.newFrom, list); err != nil {
			return nil, false, err
		}
	}
	if c.opts.baseline == "" {
		return list, false, nil
	}
	roots, err := c.roots()
	if err != nil {
		return nil, false, err
	}
	known, err := baseline.Read(c.opts.baseline)
	if c.opts.baselineWrite {
		if errors.Is(err, fs.ErrNotExist) {
			known, err = make(baseline.Baseline), nil
		}
		if err == nil && failed {
			err = fmt.Errorf("%s is not written, as not all packages could be checked", c.opts.baseline)
		}
		if err != nil {
			return nil, false, err
		}
		known.Update(list, roots.checked)
		c.notes = append(c.notes, "written to "+c.opts.baseline)
		if err := known.Write(c.opts.baseline); err != nil {
			return nil, false, err
		}
		c.summary(len(list))
		return nil, true, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%v; -baseline-write writes it", err)
	}
	if err != nil {
		return nil, false, err
	}
	found, n, gone := known.Split(list, roots.checked)
	c.notes = append(c.notes, fmt.Sprintf("%d known", n))
	c.what = "new finding"
	if len(gone) > 0 && !failed {
		for _, key := range gone {
			fmt.Fprintf(os.Stderr, "atomvet: gone from %s: [%s] %s: %s\n", key.Package, key.Rule, key.Function, key.Content)
		}
		c.notes = append(c.notes, fmt.Sprintf("%d gone", len(gone)))
	}
	return found, false, nil
}

// changedSince returns the findings that concern code that differs from a revision.
func changedSince(revision string, list []finding) ([]finding, error) {
	rev, err := since.Open(revision)
	if err != nil {
		return nil, err
	}
	var out []finding
	for i := range list {
		concerns, err := rev.Concerns(&list[i])
		if err != nil {
			return nil, err
		}
		if concerns {
			out = append(out, list[i])
		}
	}
	return out, nil
}
