package atomicset

import (
	_ "embed"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/internal/doc"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/summary"
)

//go:embed doc.go
var source string

// Analyzer reports interleavings of units of work that break an atomic set.
var Analyzer = &analysis.Analyzer{
	Name:       "atomicset",
	Doc:        doc.Extract(source, "atomicset"),
	URL:        "https://pkg.go.dev/github.com/atomvet/atomvet/passes/atomicset",
	Run:        run,
	Requires:   []*analysis.Analyzer{summary.Analyzer, directivesAnalyzer},
	ResultType: reflect.TypeFor[*finding.Silenced](),
}

func init() {
	ruleFlags.Register(&Analyzer.Flags, rules.List())
	Analyzer.Flags.BoolVar(&infer, "infer", false,
		"check also the sets that nobody has declared: what one lock guards and is written together")
	Analyzer.Flags.BoolVar(&stats, "stats", false,
		"report, for each set, how large its model is, before and after it is reduced")
	Analyzer.Flags.BoolVar(&models, "model", false,
		"report the model of each set, in its text form")
}

func run(pass *analysis.Pass) (any, error) {
	p := pass.ResultOf[summary.Analyzer].(*summary.Package)
	defer p.Acquire()()
	silenced := finding.Protect(pass, func() *finding.Silenced {
		dir := pass.ResultOf[directivesAnalyzer].(*directives)
		findings := dir.errors
		for _, s := range setsToCheck(pass, p, dir) {
			findings = append(findings, checkSet(pass, p, s, dir)...)
		}
		return finding.Report(pass, finding.Low, findings)
	})
	finding.Failures(pass, p.Failures())
	finding.Incomplete(pass, p.Incomplete())
	p.ReportOutside(pass)
	return silenced, nil
}

// setsToCheck returns the sets that are declared here, the sets of imported packages if
// this package may have units of work on them, and the inferred sets.
func setsToCheck(pass *analysis.Pass, p *summary.Package, dir *directives) []*atomicSet {
	sets := dir.sets
	if len(dir.units) > 0 {
		sets = append(slices.Clip(sets), dir.imported...)
	}
	if infer {
		sets = append(slices.Clip(sets), inferSets(pass, p)...)
	}
	return sets
}

func checkSet(pass *analysis.Pass, p *summary.Package, s *atomicSet, dir *directives) []finding.Finding {
	a := analyze(pass, p, s, dir)
	if a == nil {
		return nil
	}
	var out []finding.Finding
	for _, v := range a.violations() {
		out = append(out, a.finding(v))
	}
	if !s.inferred && (a.full || a.bounded > 0) {
		out = append(out, a.incomplete())
	}
	if stats {
		out = append(out, a.statistics())
	}
	if models {
		out = append(out, finding.Finding{Pos: a.at(), Category: modelCategory, Message: s.String() + "\n" + a.model.String()})
	}
	return out
}
