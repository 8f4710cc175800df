package corpus

import (
	"cmp"
	"fmt"
	"go/format"
	"os"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// A Fixed is a report with its suggested fix.
type Fixed struct {
	Report
	Fix string // its message
}

// Fix applies the first fix of each report, as drivers do: one that overlaps with an earlier fix is
// left out. It returns the reports that are fixed, and the files as they are then, by absolute name,
// for Source.Overlay.
func (c *Corpus) Fix(cfg Config) ([]Fixed, map[string][]byte, error) {
	running.Lock()
	defer running.Unlock()
	restore, err := cfg.set()
	defer restore()
	if err != nil {
		return nil, nil, err
	}
	var fixed []Fixed
	edits := make(map[string][]edit)
	for _, u := range c.packages {
		if !u.reported {
			continue
		}
		for _, d := range cfg.Detectors {
			pass := u.pass(d)
			pass.Report = func(diag analysis.Diagnostic) {
				if len(diag.SuggestedFixes) == 0 || !u.add(edits, diag.SuggestedFixes[0]) {
					return
				}
				fixed = append(fixed, Fixed{c.report(u, d.Name, diag), diag.SuggestedFixes[0].Message})
			}
			if _, err := d.Run(pass); err != nil {
				return nil, nil, err
			}
		}
	}
	slices.SortFunc(fixed, func(a, b Fixed) int { return compareReports(a.Report, b.Report) })
	files := make(map[string][]byte)
	for name, list := range edits {
		if files[name], err = apply(name, list); err != nil {
			return nil, nil, err
		}
	}
	return fixed, files, nil
}

// An edit replaces the bytes between two offsets.
type edit struct {
	start, end int
	text       []byte
}

// add adds the edits of a fix, unless one overlaps with another.
func (u *unit) add(to map[string][]edit, fix analysis.SuggestedFix) bool {
	type in struct {
		file string
		edit
	}
	var list []in
	for _, e := range fix.TextEdits {
		file := u.pkg.Fset.File(e.Pos)
		n := in{file.Name(), edit{file.Offset(e.Pos), file.Offset(e.Pos), e.NewText}}
		if e.End.IsValid() {
			n.end = file.Offset(e.End)
		}
		if slices.ContainsFunc(to[n.file], func(o edit) bool { return o.start <= n.end && n.start <= o.end }) {
			return false
		}
		list = append(list, n)
	}
	for _, n := range list {
		to[n.file] = append(to[n.file], n.edit)
	}
	return true
}

// apply returns a file after edits, formatted.
func apply(name string, edits []edit) ([]byte, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, text[at:e.start]...), e.text...)
		at = e.end
	}
	out, err = format.Source(append(out, text[at:]...))
	if err != nil {
		return nil, fmt.Errorf("%s, with fixes: %v", name, err)
	}
	return out, nil
}
