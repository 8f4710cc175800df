package driver

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/gopls"
)

const goplsText = `Usage: atomvet gopls [flags]

Builds a gopls with the analyzers of atomvet in it, for editors. It needs the Go
module proxy, or a module cache with gopls and what it requires.

	-version vX           the version of gopls, by default %s
	-o FILE               the file to write, by default gopls-atomvet in the directory
	                      where 'go install' puts programs
	-source DIR           compile the analyzers of the checkout of atomvet in DIR, and
	                      not those of this binary
	-confidence=LEVEL     as for a check
	-NAME.FLAG=value      set a flag of a detector
`

// buildGopls builds gopls.
func buildGopls(analyzers []*analysis.Analyzer, args []string) int {
	opts := gopls.Options{Log: os.Stderr}
	fs := goplsFlags(analyzers, &opts)
	err := fs.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Printf(goplsText, gopls.Version)
		return exitClean
	}
	if err == nil && fs.NArg() > 0 {
		err = fmt.Errorf("%q is not a flag; run 'atomvet gopls -h'", fs.Arg(0))
	}
	if err != nil {
		return failure(err)
	}
	ctx, stop := catchSignals(context.Background())
	defer stop()
	if opts.Output == "" {
		if opts.Output, err = goplsName(ctx); err != nil {
			return failure(err)
		}
	}
	if err := gopls.Build(ctx, opts); err != nil {
		if code, ok := interrupted(ctx); ok {
			return code
		}
		return failure(err)
	}
	fmt.Println(opts.Output)
	return exitClean
}

// goplsFlags returns the flags of the command. Each value of a flag of an analyzer is tried here,
// so that a wrong one is an error of the command and not of the gopls that it builds.
func goplsFlags(analyzers []*analysis.Analyzer, opts *gopls.Options) *flag.FlagSet {
	fs := flag.NewFlagSet("atomvet gopls", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&opts.Version, "version", gopls.Version, "")
	fs.StringVar(&opts.Output, "o", "", "")
	fs.StringVar(&opts.Source, "source", "", "")
	set := func(a *analysis.Analyzer, f *flag.Flag, value string) error {
		err := f.Value.Set(value)
		if err == nil {
			opts.Settings = append(opts.Settings, gopls.Setting{Analyzer: a.Name, Flag: f.Name, Value: value})
		}
		return err
	}
	for _, a := range analyzers {
		a.Flags.VisitAll(func(f *flag.Flag) {
			b, ok := f.Value.(interface{ IsBoolFlag() bool })
			fs.Var(&passed{bool: ok && b.IsBoolFlag(), to: func(value string) error { return set(a, f, value) }}, a.Name+"."+f.Name, "")
		})
	}
	fs.Func("confidence", "", func(value string) error {
		for _, a := range analyzers {
			if f := a.Flags.Lookup("confidence"); f != nil {
				if err := set(a, f, value); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return fs
}

// goplsName returns the default name of the file to write.
func goplsName(ctx context.Context) (string, error) {
	dir, err := gopls.InstallDir(ctx)
	if err != nil {
		return "", err
	}
	name := "gopls-atomvet"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(dir, name), os.MkdirAll(dir, 0o777)
}
