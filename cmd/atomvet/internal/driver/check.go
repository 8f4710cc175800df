package driver

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/tools/go/analysis"
)

// check runs go vet on packages with this binary as the vettool.
func check(analyzers []*analysis.Analyzer, args []string) int {
	opts, err := parse(analyzers, args)
	if errors.Is(err, flag.ErrHelp) {
		return help(os.Stdout, analyzers, nil)
	}
	if err != nil {
		failure(err)
		fmt.Fprintln(os.Stderr, "Run 'atomvet help' for the flags.")
		return exitFailure
	}
	self, err := os.Executable()
	if err != nil {
		return failure(err)
	}

	c := &checker{opts: opts, self: self, progress: newProgress(os.Stderr), start: time.Now(), what: "finding"}
	ctx, stop := catchSignals(context.Background())
	defer stop()
	// An interrupted run needs the roots for what it has found.
	c.roots = sync.OnceValues(func() (roots, error) { return c.listRoots(context.WithoutCancel(ctx)) })

	code, err := c.run(ctx, analyzers)
	c.progress.clear()
	if code, ok := interrupted(ctx); ok {
		fmt.Fprintln(os.Stderr, "atomvet: interrupted: not all packages were checked")
		return code
	}
	if err != nil {
		return failure(err)
	}
	return code
}

// A checker runs the go command for one command line.
type checker struct {
	opts     *options
	untested bool // the go command does not see the tests
	self     string
	progress *progress
	roots    func() (roots, error)
	start    time.Time
	what     string   // that the summary counts
	notes    []string // of the summary
}

// run finds, or fixes what it finds.
func (c *checker) run(ctx context.Context, analyzers []*analysis.Analyzer) (int, error) {
	done, err := c.leaveOutTests(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	if c.opts.fix {
		return c.fix(ctx)
	}
	return c.report(ctx, analyzers)
}

// report finds, and prints what it finds. A run that is interrupted prints what it has found
// until then.
func (c *checker) report(ctx context.Context, analyzers []*analysis.Analyzer) (int, error) {
	if err := c.checkVersion(ctx); err != nil {
		return 0, err
	}
	found := new(findings)
	failed, err := c.find(ctx, found)
	if err != nil {
		return 0, err
	}
	list, remarks, ok := c.wanted(found)
	failed = failed || !ok
	list, refuted, err := c.refute(ctx, list, found)
	if err != nil {
		failed = true
		failure(err)
	}
	list = tidy(list, analyzers)
	if c.opts.why == "" {
		var done bool
		if list, done, err = c.unknown(list, failed); done || err != nil {
			return exitClean, err
		}
	}
	if !c.tellsAll() {
		refuted = nil
	}
	if err := c.write(list, remarks, refuted); err != nil {
		return 0, err
	}
	if c.opts.why == "" && found.units > 0 {
		c.summary(len(list))
	}
	if c.opts.verbose {
		printRemarks(os.Stderr, remarks)
		printRefuted(os.Stderr, refuted)
	}
	return c.exitCode(failed, len(list)), nil
}

// tellsAll reports whether remarks are printed, and what the callers refute.
func (c *checker) tellsAll() bool { return c.opts.json || c.opts.verbose }

// find adds to found what the detectors report. It reports whether something could not be checked, and has said what.
func (c *checker) find(ctx context.Context, found *findings) (failed bool, err error) {
	failed, err = c.vet(ctx, c.opts.patterns, found)
	if failed && err == nil && found.units == 0 && ctx.Err() == nil {
		// The go command starts no work if it cannot load one of the packages.
		if rest := c.loadable(ctx); len(rest) > 0 {
			_, err = c.vet(ctx, rest, found)
		}
		if found.units == 0 {
			c.suggest(ctx)
		}
	}
	c.progress.clear()
	if err != nil && ctx.Err() == nil {
		if !errors.Is(err, errCutOff) {
			return true, err
		}
		failed = true
		failure(err)
	}
	for _, msg := range found.failures() {
		failed = true
		fmt.Fprintf(os.Stderr, "atomvet: %s\n", msg)
	}
	return failed, nil
}

// wanted returns the findings and remarks that the options and the packages of the run ask for. If it is not known which
// packages these are, it says so, and returns all, and false.
func (c *checker) wanted(found *findings) (list []finding, remarks []remark, ok bool) {
	list, remarks, ok = found.list, found.remarks(), true
	if !c.tellsAll() {
		remarks = nil
	}
	if len(list)+len(remarks) > 0 {
		roots, err := c.roots()
		if err != nil {
			ok = false // and show too much rather than nothing
			failure(err)
		} else {
			list = slices.DeleteFunc(list, func(f finding) bool { return !roots.include(f) })
			remarks = slices.DeleteFunc(remarks, func(r remark) bool { return !roots.includeRemark(r) })
		}
	}
	list = slices.DeleteFunc(list, func(f finding) bool {
		return f.InTest && !c.opts.tests || c.opts.why != "" && f.Category != whyCategory
	})
	return list, remarks, ok
}

// exitCode returns the exit code of a run that has printed n findings.
func (c *checker) exitCode(failed bool, n int) int {
	switch {
	case failed:
		return exitFailure
	case c.opts.why != "" && n > 0:
		return exitExplained
	case c.opts.why != "":
		fmt.Fprintf(os.Stderr, "atomvet: no detector relates an access at %s to another one\n", c.opts.why)
		return exitUnexplained
	case n > 0:
		return exitFindings
	}
	return exitClean
}

// vet adds the findings of go vet to found. It reports whether something could
// not be checked, of which the go command has then printed the cause.
func (c *checker) vet(ctx context.Context, patterns []string, found *findings) (failed bool, err error) {
	mode := reportAll
	switch {
	case c.opts.callers:
		mode = reportCalls
	case c.untested:
		mode = reportUntested
	}
	cmd, err := c.goCommand(ctx, "vet", c.opts.vet, patterns, "-vettool="+c.self, "-json", "-"+standaloneFlag+"="+mode)
	if err != nil {
		return false, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return false, err
	}
	defer tie(cmd)()
	if err := cmd.Start(); err != nil {
		return false, err
	}
	listing := false
	readErr := found.read(stdout, func() {
		c.progress.step()
		if !listing {
			listing = true
			go c.count() // the packages will be needed, so list them meanwhile
		}
	})
	failed, err = exitError(cmd.Wait())
	return failed || readErr != nil, cmp.Or(readErr, err)
}

// count sets how many packages the progress line counts to: those that were named.
func (c *checker) count() {
	if roots, err := c.roots(); err == nil {
		c.progress.setNamed(len(roots))
	}
}

// loadable returns the packages that can be loaded, if there are others.
func (c *checker) loadable(ctx context.Context) []string {
	cmd, err := c.goCommand(ctx, "list", c.opts.list, c.opts.patterns,
		"-e", "-f", "{{.Incomplete}} {{.ImportPath}}")
	if err != nil {
		return nil
	}
	cmd.Stderr = nil // go vet said it already
	out, err := cmd.Output()
	if err != nil {
		return nil
	}
	var rest []string
	others := false
	for line := range strings.Lines(string(out)) {
		path, ok := strings.CutPrefix(strings.TrimSpace(line), "false ")
		if ok {
			rest = append(rest, path)
		} else {
			others = true
		}
	}
	if !others {
		return nil
	}
	return rest
}

// fix lets go vet apply fixes, or print them as a diff.
func (c *checker) fix(ctx context.Context) (int, error) {
	flags := []string{"-vettool=" + c.self, "-fix"}
	if !c.opts.tests {
		flags = append(flags, "-tests=false")
	}
	if !c.opts.diff {
		cmd, err := c.goCommand(ctx, "vet", c.opts.vet, c.opts.patterns, flags...)
		if err != nil {
			return 0, err
		}
		cmd.Stdout = os.Stdout
		failed, err := exitError(cmd.Run())
		if failed {
			return exitFailure, err
		}
		return exitClean, err
	}

	// A diff is kept in the build cache like findings, and can be lost like
	// findings, but units do not make diffs for dependencies. So do not share
	// results between runs for different packages.
	roots, err := c.roots()
	if err != nil {
		return 0, err
	}
	flags = append(flags, "-diff", fmt.Sprintf("-%s=%x", standaloneFlag, sha256.Sum256([]byte(roots.String()))))
	cmd, err := c.goCommand(ctx, "vet", c.opts.vet, c.opts.patterns, flags...)
	if err != nil {
		return 0, err
	}
	// The go command has one exit code for a diff and for a failure.
	said := &complaints{to: cmd.Stderr}
	cmd.Stderr = said
	out, err := cmd.Output()
	failed, err := exitError(err)
	if err != nil {
		return 0, err
	}
	if _, err := os.Stdout.Write(sortDiff(out)); err != nil {
		return 0, err
	}
	switch {
	case failed && (len(out) == 0 || said.any):
		return exitFailure, nil
	case len(out) > 0:
		return exitFindings, nil
	}
	return exitClean, nil
}
