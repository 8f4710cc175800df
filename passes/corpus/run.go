package corpus

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
)

// A Config determines which detectors run, with which flags.
type Config struct {
	Detectors []*analysis.Analyzer // the detectors to run
	// Flags are the settings that differ from the defaults, by "detector.flag".
	Flags map[string]string
}

// At returns the configuration with a level of confidence, for the detectors that have
// one.
func (cfg Config) At(confidence string) Config {
	for _, d := range cfg.Detectors {
		if d.Flags.Lookup("confidence") != nil {
			cfg = cfg.With(d.Name+".confidence", confidence)
		}
	}
	return cfg
}

// With returns the configuration with one setting more.
func (cfg Config) With(name, value string) Config {
	flags := maps.Clone(cfg.Flags)
	if flags == nil {
		flags = make(map[string]string)
	}
	flags[name] = value
	cfg.Flags = flags
	return cfg
}

// String returns the configuration as arguments of a command.
func (cfg Config) String() string {
	var words []string
	for _, d := range cfg.Detectors {
		words = append(words, "-"+d.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Flags)) {
		words = append(words, fmt.Sprintf("-%s=%s", name, cfg.Flags[name]))
	}
	return strings.Join(words, " ")
}

// A Report is one diagnostic.
type Report struct {
	Analyzer, Category string // name of the detector, and kind of defect
	Package            string // import path
	File               string // relative to the directory of the corpus, with slashes
	Line, Column       int    // from 1 on
	// Function is the enclosing declaration, as f, (T).f or (*T).f, or "no function".
	Function string
	Message  string // without the position
	// Confidence is high if the message does not mention it.
	Confidence string
}

// A Finding is a report with the messages of its related positions.
type Finding struct {
	Report
	Related []string
}

func compareReports(a, b Report) int {
	return cmp.Or(
		cmp.Compare(a.Package, b.Package),
		cmp.Compare(a.File, b.File),
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.Column, b.Column),
		cmp.Compare(a.Analyzer, b.Analyzer),
		cmp.Compare(a.Category, b.Category),
		cmp.Compare(a.Message, b.Message),
	)
}

// running is held while detectors run: their flags are variables of packages.
var running sync.Mutex

// Run runs detectors over the corpus and returns their reports, in the order of the
// source. A failure inside a detector is an error.
func (c *Corpus) Run(cfg Config) ([]Report, error) {
	findings, err := c.Findings(cfg)
	var reports []Report
	for _, f := range findings {
		reports = append(reports, f.Report)
	}
	return slices.Compact(reports), err
}

// Findings is like Run, but returns each report as often as it is made, and its related positions.
func (c *Corpus) Findings(cfg Config) ([]Finding, error) {
	running.Lock()
	defer running.Unlock()
	restore, err := cfg.set()
	defer restore()
	if err != nil {
		return nil, err
	}
	found := make([][]Finding, len(c.packages)) // of each package
	errs := make([]error, len(c.packages))
	tokens := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i, u := range c.packages {
		if !u.reported {
			continue
		}
		tokens <- struct{}{}
		all.Go(func() {
			found[i], errs[i] = c.detect(u, cfg.Detectors)
			<-tokens
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("corpus %s: %w", c.Name, err)
		}
	}
	findings := slices.Concat(found...)
	slices.SortFunc(findings, func(a, b Finding) int { return compareReports(a.Report, b.Report) })
	return findings, nil
}

// set sets the flags of the detectors; those that the configuration does not mention get
// their defaults. The function that it returns restores the previous values.
func (cfg Config) set() (restore func(), err error) {
	var undo []func()
	restore = func() {
		for _, f := range undo {
			f()
		}
	}
	left := maps.Clone(cfg.Flags)
	for _, d := range cfg.Detectors {
		d.Flags.VisitAll(func(f *flag.Flag) {
			name := d.Name + "." + f.Name
			value, ok := left[name]
			if delete(left, name); !ok {
				value = f.DefValue
			}
			before := f.Value.String()
			undo = append(undo, func() { f.Value.Set(before) })
			if e := f.Value.Set(value); e != nil && err == nil {
				err = fmt.Errorf("-%s=%s: %v", name, value, e)
			}
		})
	}
	for name := range left {
		err = fmt.Errorf("no detector has a flag %s", name)
	}
	return restore, err
}

// detect runs detectors over a package.
func (c *Corpus) detect(u *unit, detectors []*analysis.Analyzer) ([]Finding, error) {
	var out []Finding
	var failure error
	for _, d := range detectors {
		pass := u.pass(d)
		pass.Report = func(diag analysis.Diagnostic) {
			if diag.Category == "failure" {
				failure = fmt.Errorf("package %s: %s", u.pkg.ID, diag.Message)
			}
			f := Finding{Report: c.report(u, d.Name, diag)}
			for _, r := range diag.Related {
				f.Related = append(f.Related, r.Message)
			}
			out = append(out, f)
		}
		if _, err := d.Run(pass); err != nil {
			return nil, fmt.Errorf("package %s: %s: %w", u.pkg.ID, d.Name, err)
		}
	}
	return out, failure
}

var doubtful = regexp.MustCompile(`\[(medium|low) confidence: [^]]*\]$`)

func (c *Corpus) report(u *unit, detector string, d analysis.Diagnostic) Report {
	pos := u.pkg.Fset.Position(d.Pos)
	r := Report{
		Analyzer:   detector,
		Category:   d.Category,
		Package:    u.pkg.PkgPath,
		File:       c.file(pos.Filename),
		Line:       pos.Line,
		Column:     pos.Column,
		Function:   u.enclosing(d.Pos),
		Message:    d.Message,
		Confidence: "high",
	}
	if m := doubtful.FindStringSubmatch(d.Message); m != nil {
		r.Confidence = m[1]
	}
	return r
}

// enclosing returns the name of the declaration that encloses a position.
func (u *unit) enclosing(pos token.Pos) string {
	for _, file := range u.pkg.Syntax {
		if pos < file.FileStart || file.FileEnd < pos {
			continue
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Pos() <= pos && pos <= f.End() {
				return functionName(f)
			}
		}
	}
	return "no function"
}
