package reacquire

import (
	_ "embed"
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/internal/doc"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/summary"
)

//go:embed doc.go
var source string

// Analyzer reports witness locks that are taken twice while a context lock is
// held.
var Analyzer = &analysis.Analyzer{
	Name:       "reacquire",
	Doc:        doc.Extract(source, "reacquire"),
	URL:        "https://pkg.go.dev/github.com/atomvet/atomvet/passes/reacquire",
	Run:        run,
	Requires:   []*analysis.Analyzer{summary.Analyzer},
	ResultType: reflect.TypeFor[*finding.Silenced](),
}

func init() {
	ruleFlags.Register(&Analyzer.Flags, reliances.List(), allRules.List())
	confidence.Flag(&Analyzer.Flags)
	Analyzer.Flags.BoolVar(&pattern, "pattern", false, "report every lock that is taken twice while another is held, whether or not it matters")
	Analyzer.Flags.BoolVar(&variant, "variant", false, "report two different locks taken one after the other while a third is held")
	Analyzer.Flags.BoolVar(&stylistic, "stylistic", false, "report locks that are taken twice although the outer lock protects all that they do")
}

func run(pass *analysis.Pass) (any, error) {
	p := pass.ResultOf[summary.Analyzer].(*summary.Package)
	defer p.Acquire()()
	silenced := finding.Protect(pass, func() *finding.Silenced {
		var findings []finding.Finding
		rules, judge := rules(), ruleFlags.Judge(pass)
		wanted := judge.Wants(confidence)
		for _, f := range p.Funcs {
			if f.Flow == nil || len(f.Takings()) == 0 || f.Constructs() || f.Forwards() || !wanted(f.Fn.Pos()) {
				continue
			}
			d := &detector{pass: pass, pkg: p, f: f, reliances: reliances, rules: rules, judge: judge, inSection: make(map[int][]int)}
			findings = append(findings, d.detect()...)
		}
		return finding.Report(pass, confidence, finding.DoubtTests(pass, findings))
	})
	finding.Failures(pass, p.Failures())
	finding.Incomplete(pass, p.Incomplete())
	p.ReportOutside(pass)
	return silenced, nil
}
