package driver

import (
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

const testsUsage = "report findings in _test.go files"

// options is the command line of a check.
type options struct {
	json    bool
	fix     bool
	diff    bool
	tests   bool
	verbose bool   // name the functions that were not analyzed in full
	context int    // lines of context round a finding, or -1
	why     string // the line to explain, or empty

	vet      []string // flags for go vet: build flags and those of the analyzers
	list     []string // the build flags among them that choose files and packages
	patterns []string
}

// A buildFlag is a flag of the go command that go vet accepts.
type buildFlag struct {
	bool   bool // takes no value
	choose bool // matters to what a package pattern means
}

var buildFlags = map[string]buildFlag{
	"a":             {bool: true},
	"asan":          {bool: true, choose: true},
	"asmflags":      {},
	"buildmode":     {},
	"buildvcs":      {bool: true},
	"compiler":      {choose: true},
	"gccgoflags":    {},
	"gcflags":       {},
	"installsuffix": {choose: true},
	"ldflags":       {},
	"linkshared":    {bool: true},
	"mod":           {choose: true},
	"modcacherw":    {bool: true},
	"modfile":       {choose: true},
	"msan":          {bool: true, choose: true},
	"n":             {bool: true},
	"overlay":       {choose: true},
	"p":             {},
	"pgo":           {},
	"pkgdir":        {},
	"race":          {bool: true, choose: true},
	"tags":          {choose: true},
	"toolexec":      {},
	"trimpath":      {bool: true},
	"v":             {bool: true},
	"work":          {bool: true},
	"x":             {bool: true},
}

// parse reads the command line of a check. The directory of -C becomes the
// current one, as in the go command.
func parse(analyzers []*analysis.Analyzer, args []string) (*options, error) {
	opts := &options{tests: true, context: -1}
	fs := flag.NewFlagSet("atomvet", flag.ContinueOnError)
	fs.SetOutput(io.Discard)

	fs.BoolVar(&opts.json, "json", false, "")
	fs.BoolVar(&opts.fix, "fix", false, "")
	fs.BoolVar(&opts.diff, "diff", false, "")
	fs.BoolVar(&opts.tests, "tests", true, "")
	fs.IntVar(&opts.context, "c", -1, "")
	fs.Func("C", "", chdir)
	for name, f := range buildFlags {
		fs.Var(&passed{bool: f.bool, to: func(value string) error {
			if name == "v" {
				opts.verbose, _ = strconv.ParseBool(value)
			}
			arg := "-" + name + "=" + value
			opts.vet = append(opts.vet, arg)
			if f.choose {
				opts.list = append(opts.list, arg)
			}
			return nil
		}}, name, "")
	}
	fs.Func("confidence", "", func(value string) error { return opts.setAll(analyzers, "confidence", value) })
	fs.Func("why", "", func(value string) error {
		opts.why = value
		// Detectors compare the end of the path.
		if strings.HasPrefix(value, "..") {
			var err error
			if value, err = filepath.Abs(value); err != nil {
				return err
			}
		}
		return opts.setAll(analyzers, "why", value)
	})
	for _, a := range analyzers {
		fs.Var(&passed{bool: true, to: func(value string) error {
			if _, err := strconv.ParseBool(value); err != nil {
				return errors.New("want true or false")
			}
			opts.vet = append(opts.vet, "-"+a.Name+"="+value)
			return nil
		}}, a.Name, "")
		a.Flags.VisitAll(func(f *flag.Flag) {
			b, ok := f.Value.(interface{ IsBoolFlag() bool })
			fs.Var(&passed{bool: ok && b.IsBoolFlag(), to: func(value string) error {
				// Better one error here than one from each package.
				if err := f.Value.Set(value); err != nil {
					return err
				}
				opts.vet = append(opts.vet, "-"+a.Name+"."+f.Name+"="+value)
				return nil
			}}, a.Name+"."+f.Name, "")
		})
	}

	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case opts.diff && !opts.fix:
		return nil, errors.New("-diff needs -fix")
	case opts.fix && opts.json:
		return nil, errors.New("-fix and -json cannot be used together")
	case opts.fix && opts.why != "":
		return nil, errors.New("-fix and -why cannot be used together")
	case opts.fix && opts.context >= 0:
		return nil, errors.New("-fix and -c cannot be used together")
	}
	opts.patterns = fs.Args()
	if len(opts.patterns) == 0 {
		opts.patterns = []string{"."}
	}
	return opts, nil
}

// setAll sets a flag of all analyzers that have it.
func (opts *options) setAll(analyzers []*analysis.Analyzer, name, value string) error {
	for _, a := range analyzers {
		if f := a.Flags.Lookup(name); f != nil {
			if err := f.Value.Set(value); err != nil {
				return err
			}
			opts.vet = append(opts.vet, "-"+a.Name+"."+name+"="+value)
		}
	}
	return nil
}

// passed is the value of a flag that is handed on.
type passed struct {
	bool bool
	to   func(value string) error
}

func (p *passed) IsBoolFlag() bool       { return p.bool }
func (p *passed) Set(value string) error { return p.to(value) }
func (p *passed) String() string         { return "" }

func chdir(dir string) error {
	if err := os.Chdir(dir); err != nil {
		return err
	}
	// The go command believes $PWD, if it can, when it prints paths.
	if filepath.IsAbs(dir) {
		return os.Setenv("PWD", dir)
	}
	return os.Unsetenv("PWD")
}
