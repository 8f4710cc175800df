package driver

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Without -tests, go vet still compiles what the tests of the named packages import, and analyzes
// each package that has tests a second time, as the variant that is compiled for them. So with
// -tests=false the go command does not see the tests: an overlay says that their files do not
// exist. Nothing else changes, the results in the build cache included: they are those of the
// package without its tests, which a run that names a dependent uses as well.

// leaveOutTests hides the tests of the named packages from the go command, if nobody has to see them.
// What it makes for that is removed when the command is done.
func (c *checker) leaveOutTests(ctx context.Context) (done func(), err error) {
	done = func() {}
	if c.opts.tests || c.opts.needsTests() {
		return done, nil
	}
	files, err := c.testFiles(ctx)
	if err != nil || len(files) == 0 {
		return done, nil // go vet says what is wrong with the packages
	}
	overlay, err := c.readOverlay()
	if err != nil {
		return done, nil // and what with the overlay
	}
	for _, file := range files {
		overlay.Replace[file] = ""
	}
	name, err := overlay.write()
	if err != nil {
		return done, fmt.Errorf("cannot leave out the tests: %v", err)
	}
	// The last one counts.
	c.opts.vet = append(c.opts.vet, "-overlay="+name)
	c.opts.list = append(c.opts.list, "-overlay="+name)
	c.untested = true
	return func() { os.Remove(name) }, nil
}

// needsTests reports whether tests matter although no findings in them are wanted: tests are callers
// that refute, and a comment may silence what only the package with its tests has. Of files that
// are named one by one none is a test that was not asked for.
func (opts *options) needsTests() bool {
	return opts.callers || opts.unusedIgnores ||
		slices.ContainsFunc(opts.patterns, func(p string) bool { return strings.HasSuffix(p, ".go") })
}

// testFiles returns the paths of the tests of the named packages. Those that may not be replaced,
// as they are in the module cache, are left out, and so are those of a package that is named and
// consists of tests: without them it could not be loaded.
func (c *checker) testFiles(ctx context.Context) ([]string, error) {
	cache, err := c.moduleCache(ctx)
	if err != nil {
		return nil, err
	}
	lines, err := c.goList(ctx, c.opts.patterns, "{{len .GoFiles}} {{len .CgoFiles}}\t{{.Dir}}\t"+
		"{{range .TestGoFiles}}{{.}}\t{{end}}{{range .XTestGoFiles}}{{.}}\t{{end}}")
	if err != nil {
		return nil, err
	}
	var files []string
	for _, line := range lines {
		fields := strings.Split(strings.TrimSuffix(line, "\t"), "\t")
		if len(fields) < 3 || isBelow(cache, fields[1]) {
			continue
		}
		if fields[0] == "0 0" && !c.opts.onlyWildcards() {
			continue
		}
		for _, name := range fields[2:] {
			files = append(files, filepath.Join(fields[1], name))
		}
	}
	return files, nil
}

// onlyWildcards reports whether the patterns match what is there, and name no package of which the
// go command demands that it can be loaded.
func (opts *options) onlyWildcards() bool {
	return !slices.ContainsFunc(opts.patterns, func(p string) bool { return !strings.Contains(p, "...") })
}

func (c *checker) moduleCache(ctx context.Context) (string, error) {
	cmd, err := c.goCommand(ctx, "env", nil, []string{"GOMODCACHE"})
	if err != nil {
		return "", err
	}
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

// isBelow reports whether a file or directory is in a directory, however deep.
func isBelow(dir, name string) bool {
	rel, err := filepath.Rel(dir, name)
	return dir != "" && err == nil && filepath.IsLocal(rel)
}

// An overlay is what the -overlay flag of the go command names: the files that stand for others,
// and nothing for a file that is not there.
type overlay struct{ Replace map[string]string }

// readOverlay returns the overlay that the command line names, or an empty one.
func (c *checker) readOverlay() (overlay, error) {
	o := overlay{Replace: make(map[string]string)}
	name, ok := lastFlag(c.opts.list, "overlay")
	if !ok || name == "" {
		return o, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return o, err
	}
	err = json.Unmarshal(data, &o)
	if o.Replace == nil {
		o.Replace = make(map[string]string)
	}
	return o, err
}

// write writes an overlay to a new file, and returns its name.
func (o overlay) write() (name string, err error) {
	data, err := json.Marshal(o)
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp("", "atomvet-overlay-*.json")
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}
