package driver

import (
	"context"
	"slices"
	"strings"
)

// roots is the set of packages that the command line names, by import path.
type roots map[string]bool

func (c *checker) listRoots(ctx context.Context) (roots, error) {
	lines, err := c.goList(ctx, c.opts.patterns, "{{.ImportPath}}")
	if err != nil {
		return nil, err
	}
	r := make(roots)
	for _, path := range lines {
		r[path] = true
	}
	return r, nil
}

// goList returns a line in a format of go list for each package that matches the patterns. What go
// list says of packages with mistakes is left out: go vet has more to say.
func (c *checker) goList(ctx context.Context, patterns []string, format string) ([]string, error) {
	cmd, err := c.goCommand(ctx, "list", c.opts.list, patterns, "-e", "-find", "-f", format)
	if err != nil {
		return nil, err
	}
	cmd.Stderr = nil
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' }), nil
}

// include reports whether the finding is in a package of the set or in its
// external tests.
func (r roots) include(f finding) bool {
	if r[f.Package] {
		return true
	}
	path, ok := strings.CutSuffix(f.Package, "_test")
	return ok && f.InTest && r[path]
}

// includeRemark is include for a remark.
func (r roots) includeRemark(m remark) bool {
	return r[m.Package] || r[strings.TrimSuffix(m.Package, "_test")]
}

// checked reports whether a package, or external tests, were to be checked.
func (r roots) checked(pkg string) bool {
	return r[pkg] || r[strings.TrimSuffix(pkg, "_test")]
}

// String lists the set in a fixed order.
func (r roots) String() string {
	paths := make([]string, 0, len(r))
	for path := range r {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return strings.Join(paths, "\n")
}
