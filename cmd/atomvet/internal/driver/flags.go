package driver

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

const (
	testsUsage     = "report findings in _test.go files"
	generatedUsage = "report findings in generated files"
)

// options is the command line of a check.
type options struct {
	json  bool
	fix   bool
	diff  bool
	tests bool
	sarif string // the file to write, or empty
	html  string // the same

	baseline      string // the file with the findings that are known, or empty
	baselineWrite bool   // write that file
	newFrom       string // a revision, or empty

	unusedIgnores bool // asked for, and not only by default

	callers bool   // refute findings by the callers in other packages
	closed  bool   // the main packages are the whole program: implies callers
	verbose bool   // name the functions that were not analyzed in full
	context *int   // lines of source round a finding, if the flag is set
	why     string // the line to explain, or empty

	vet      []string // flags for go vet: build flags and those of the analyzers
	list     []string // the build flags among them that choose files and packages
	patterns []string
	named    bool // the patterns are from the command line
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
	opts := &options{tests: true}
	fs := opts.flags(analyzers)
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	if err := opts.compatible(); err != nil {
		return nil, err
	}
	opts.callers = opts.callers || opts.closed
	opts.patterns, opts.named = fs.Args(), fs.NArg() > 0
	if len(opts.patterns) == 0 {
		opts.patterns = []string{"."}
	}
	return opts, nil
}

// flags returns the flags of a check, which set the options.
func (opts *options) flags(analyzers []*analysis.Analyzer) *flag.FlagSet {
	fs := flag.NewFlagSet("atomvet", flag.ContinueOnError)
	fs.SetOutput(io.Discard)

	fs.BoolVar(&opts.json, "json", false, "")
	fs.BoolVar(&opts.fix, "fix", false, "")
	fs.BoolVar(&opts.diff, "diff", false, "")
	fs.BoolVar(&opts.callers, "callers", false, "")
	fs.BoolVar(&opts.closed, "closed", false, "")
	fs.BoolVar(&opts.tests, "tests", true, "")
	fs.StringVar(&opts.sarif, "sarif", "", "")
	fs.StringVar(&opts.html, "html", "", "")
	fs.StringVar(&opts.baseline, "baseline", "", "")
	fs.BoolVar(&opts.baselineWrite, "baseline-write", false, "")
	fs.StringVar(&opts.newFrom, "new-from", "", "")
	fs.Func("c", "", func(value string) error {
		n, err := strconv.Atoi(value)
		opts.context = &n
		return err
	})
	fs.Func("C", "", chdir)
	opts.addBuildFlags(fs)
	fs.Func("confidence", "", func(value string) error { return opts.setAll(analyzers, "confidence", value) })
	fs.Func("why", "", func(value string) error { return opts.setWhy(analyzers, value) })
	fs.Var(&passed{bool: true, to: opts.setBool("generated")}, "generated", "")
	if slices.ContainsFunc(analyzers, func(a *analysis.Analyzer) bool { return a.Name == ignoresName }) {
		fs.BoolFunc("unused-ignores", "", opts.setUnusedIgnores)
	}
	for _, a := range analyzers {
		opts.addAnalyzerFlags(fs, a)
	}
	return fs
}

// addBuildFlags adds the flags that the go command takes.
func (opts *options) addBuildFlags(fs *flag.FlagSet) {
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
}

// addAnalyzerFlags adds the flags of an analyzer, and the one that chooses it.
func (opts *options) addAnalyzerFlags(fs *flag.FlagSet, a *analysis.Analyzer) {
	fs.Var(&passed{bool: true, to: opts.setBool(a.Name)}, a.Name, "")
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

func (opts *options) setWhy(analyzers []*analysis.Analyzer, value string) error {
	opts.why = value
	// Detectors compare the end of the path.
	if strings.HasPrefix(value, "..") {
		var err error
		if value, err = filepath.Abs(value); err != nil {
			return err
		}
	}
	return opts.setAll(analyzers, "why", value)
}

func (opts *options) setUnusedIgnores(value string) error {
	on, err := strconv.ParseBool(value)
	if opts.unusedIgnores = on; on || err != nil {
		return err // to name an analyzer would turn off the others
	}
	return opts.setBool(ignoresName)(value)
}

// compatible returns an error if flags cannot be used together.
func (opts *options) compatible() error {
	if opts.diff && !opts.fix {
		return errors.New("-diff needs -fix")
	}
	for _, output := range []struct{ flag, file string }{{"-sarif", opts.sarif}, {"-html", opts.html}, {"-baseline", opts.baseline}} {
		if output.file == "-" {
			return fmt.Errorf("%s needs the name of a file: findings are on standard output", output.flag)
		}
	}
	if opts.baselineWrite && opts.baseline == "" {
		return errors.New("-baseline-write needs -baseline, which names the file")
	}
	for _, group := range [][]struct {
		flag string
		set  bool
	}{
		{{"-fix", opts.fix}, {"-json", opts.json}, {"-why", opts.why != ""}, {"-c", opts.context != nil}, {"-sarif", opts.sarif != ""},
			{"-html", opts.html != ""}, {"-baseline", opts.baseline != ""}, {"-new-from", opts.newFrom != ""}},
		{{"-callers", opts.callers}, {"-fix", opts.fix}, {"-why", opts.why != ""}},
		{{"-closed", opts.closed}, {"-fix", opts.fix}, {"-why", opts.why != ""}},
		{{"-why", opts.why != ""}, {"-sarif", opts.sarif != ""}, {"-html", opts.html != ""}, {"-baseline", opts.baseline != ""}, {"-new-from", opts.newFrom != ""}},
		{{"-baseline-write", opts.baselineWrite}, {"-new-from", opts.newFrom != ""}, {"-json", opts.json}, {"-sarif", opts.sarif != ""},
			{"-html", opts.html != ""}},
	} {
		for _, other := range group[1:] {
			if group[0].set && other.set {
				return fmt.Errorf("%s and %s cannot be used together", group[0].flag, other.flag)
			}
		}
	}
	return nil
}

// setBool returns a function that hands a flag with no value, or with true or false, on to go vet.
func (opts *options) setBool(name string) func(value string) error {
	return func(value string) error {
		if _, err := strconv.ParseBool(value); err != nil {
			return errors.New("want true or false")
		}
		opts.vet = append(opts.vet, "-"+name+"="+value)
		return nil
	}
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
