// Package golangci makes linters of golangci-lint of the detectors of atomvet: a plugin of the
// module kind, with one linter for each detector, under its name. A settings key of a linter is
// the name of a flag of the detector; an unknown key, or a wrong value, is an error.
//
// golangci-lint makes an issue of each related position, and then drops all but one issue of a
// line. So diagnostics have none here: their messages stand alone, in one line.
//
// The check of the comments that silence findings is left to the linter nolintlint.
package golangci

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes"
)

func init() {
	for _, a := range passes.All() {
		register.Plugin(a.Name, newPlugin(a))
	}
}

// newPlugin returns the constructor of the linter of a detector.
func newPlugin(a *analysis.Analyzer) register.NewPlugin {
	return func(settings any) (register.LinterPlugin, error) {
		if err := configure(a, settings); err != nil {
			return nil, fmt.Errorf("settings of %s: %v", a.Name, err)
		}
		return linter{a}, nil
	}
}

// A linter runs one detector.
type linter struct{ detector *analysis.Analyzer }

// BuildAnalyzers implements register.LinterPlugin.
func (l linter) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return []*analysis.Analyzer{plain(l.detector)}, nil
}

// GetLoadMode implements register.LinterPlugin.
func (l linter) GetLoadMode() string { return register.LoadModeTypesInfo }

// plain returns an analyzer whose diagnostics are one line each.
func plain(a *analysis.Analyzer) *analysis.Analyzer {
	b := *a
	b.Run = func(pass *analysis.Pass) (any, error) {
		p := *pass
		p.Report = func(d analysis.Diagnostic) {
			d.Message, _, _ = strings.Cut(d.Message, "\n")
			d.Related = nil
			pass.Report(d)
		}
		return a.Run(&p)
	}
	return &b
}

// configure sets the flags of a detector. Those that the settings do not have get their defaults.
func configure(a *analysis.Analyzer, settings any) error {
	values, err := register.DecodeSettings[map[string]any](settings)
	if err != nil {
		return err
	}
	a.Flags.VisitAll(func(f *flag.Flag) {
		if e := f.Value.Set(f.DefValue); e != nil && err == nil {
			err = e
		}
	})
	for _, name := range slices.Sorted(maps.Keys(values)) {
		f := a.Flags.Lookup(name)
		if f == nil {
			return fmt.Errorf("there is no %q; there are %s", name, strings.Join(names(&a.Flags), ", "))
		}
		text, e := textOf(values[name])
		if e == nil {
			e = f.Value.Set(text)
		}
		if e != nil {
			return fmt.Errorf("%s: %v", name, e)
		}
	}
	return err
}

// names lists flags.
func names(flags *flag.FlagSet) []string {
	var out []string
	flags.VisitAll(func(f *flag.Flag) { out = append(out, f.Name) })
	return out
}

// textOf returns a value of the settings as a flag takes it. A list becomes one with commas.
func textOf(value any) (string, error) {
	switch value := value.(type) {
	case string:
		return value, nil
	case bool, float64, json.Number:
		return fmt.Sprint(value), nil
	case []any:
		var list []string
		for _, v := range value {
			s, err := textOf(v)
			if err != nil {
				return "", err
			}
			list = append(list, s)
		}
		return strings.Join(list, ","), nil
	}
	return "", fmt.Errorf("a %T is no value of a flag", value)
}
