package golangci_test

import (
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/atomvet/atomvet/passes"
	_ "github.com/atomvet/atomvet/passes/golangci"
)

// linter returns the linter of a detector with some settings.
func linter(t *testing.T, name string, settings any) (register.LinterPlugin, error) {
	t.Helper()
	create, err := register.GetPlugin(name)
	if err != nil {
		t.Fatal(err)
	}
	return create(settings)
}

// TestNames: there is a linter for each detector.
func TestNames(t *testing.T) {
	for _, a := range passes.All() {
		l, err := linter(t, a.Name, nil)
		if err != nil {
			t.Fatalf("%s: %v", a.Name, err)
		}
		analyzers, err := l.BuildAnalyzers()
		if err != nil || len(analyzers) != 1 || analyzers[0].Name != a.Name || l.GetLoadMode() != register.LoadModeTypesInfo {
			t.Errorf("%s: analyzers %v, mode %s, error %v", a.Name, analyzers, l.GetLoadMode(), err)
		}
		if err := analysis.Validate(analyzers); err != nil {
			t.Error(err)
		}
	}
}

// TestSettings: settings set flags, those of one linter do not stay for the next, and what is
// unknown is an error.
func TestSettings(t *testing.T) {
	flags := &passes.All()[0].Flags
	value := func(name string) string { return flags.Lookup(name).Value.String() }
	defer linter(t, "stalevalue", nil)
	if _, err := linter(t, "stalevalue", map[string]any{"strict": true, "confidence": "low"}); err != nil {
		t.Fatal(err)
	}
	if value("strict") != "true" || value("confidence") != "low" {
		t.Errorf("strict %s, confidence %s", value("strict"), value("confidence"))
	}
	if _, err := linter(t, "stalevalue", map[string]any{}); err != nil {
		t.Fatal(err)
	}
	if value("strict") != "false" || value("confidence") != "high" {
		t.Errorf("after a linter without settings: strict %s, confidence %s", value("strict"), value("confidence"))
	}
	for _, test := range []struct {
		settings any
		want     string
	}{
		{map[string]any{"strickt": true}, `settings of stalevalue: there is no "strickt"; there are confidence, runs, strict`},
		{map[string]any{"strict": "perhaps"}, "strict: "},
		{map[string]any{"confidence": "some"}, "must be high, medium or low"},
		{map[string]any{"confidence": map[string]any{}}, "no value of a flag"},
		{map[string]any{"without": []any{"no-such-rule"}}, "there is no rule"},
		{"strict", "decoding settings"},
	} {
		if _, err := linter(t, "stalevalue", test.settings); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: error %v, want %q", test.settings, err, test.want)
		}
	}
}

// TestMessages: an issue is one line that stands alone.
func TestMessages(t *testing.T) {
	l, err := linter(t, "stalevalue", nil)
	if err != nil {
		t.Fatal(err)
	}
	analyzers, _ := l.BuildAnalyzers()
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.LoadAllSyntax, Dir: "../../testdata/example",
	}, ".")
	if err != nil {
		t.Fatal(err)
	}
	graph, err := checker.Analyze(analyzers, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []analysis.Diagnostic
	for _, root := range graph.Roots {
		if root.Err != nil {
			t.Fatal(root.Err)
		}
		got = append(got, root.Diagnostics...)
	}
	if len(got) != 1 {
		t.Fatalf("%d issues, want 1", len(got))
	}
	d := got[0]
	if len(d.Related) != 0 || strings.Contains(d.Message, "\n") || !strings.HasPrefix(d.Message, "check-then-act: r.rates[currency] was checked") {
		t.Errorf("issue %q with %d related positions", d.Message, len(d.Related))
	}
}
