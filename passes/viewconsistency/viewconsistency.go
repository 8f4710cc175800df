package viewconsistency

import (
	_ "embed"
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/doc"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/summary"
	"github.com/atomvet/atomvet/passes/viewconsistency/internal/announce"
)

//go:embed doc.go
var source string

// Analyzer reports high-level data races.
var Analyzer = &analysis.Analyzer{
	Name:       "viewconsistency",
	Doc:        doc.Extract(source, "viewconsistency"),
	URL:        "https://pkg.go.dev/github.com/atomvet/atomvet/passes/viewconsistency",
	Run:        run,
	Requires:   []*analysis.Analyzer{summary.Analyzer},
	ResultType: reflect.TypeFor[*finding.Silenced](),
}

var (
	confidence finding.Confidence
	ruleFlags  rule.Flags
)

func init() {
	ruleFlags.Register(&Analyzer.Flags, viewRules.List(), orderRules.List(), correlationRules.List(), signalRules.List(), startRules.List(), unfinishedRules.List(), overtakenRules.List(), gapRules.List(), windowRules.List(), revokedRules.List(), totalRules.List())
	confidence.Flag(&Analyzer.Flags)
	Analyzer.Flags.BoolVar(&runs, "runs", false, "execute what the rules leave, and show the harmful runs")
	Analyzer.Flags.BoolVar(&readWrite, "rw", true,
		"tell reads from writes; without it, any two views count (Artho, Havelund, Biere)")
	Analyzer.Flags.BoolVar(&correlation, "correlation", true,
		"report only what is used together and comes together; without it, any split view counts")
}

func run(pass *analysis.Pass) (any, error) {
	p := pass.ResultOf[summary.Analyzer].(*summary.Package)
	defer p.Acquire()()
	silenced := finding.Protect(pass, func() *finding.Silenced {
		var findings []finding.Finding
		rules, judge := rules(), ruleFlags.Judge(pass)
		wanted := judge.Wants(confidence)
		shapes := make(map[*summary.View]*shape)
		viewsOf := make(map[[2]accesspath.Location][]*summary.View)
		writersOf := make(map[accesspath.Location]map[string]bool)
		changed, moved := make(map[accesspath.Location][]change), make(map[accesspath.Location][]move)
		signals, lookers, revokers, sums := announce.New(p.Guards()), findLookers(p), findRevokers(p), findSums(p)
		makers, loads := &makers{pkg: p}, &lockedLoads{pkg: p}
		for _, f := range p.Funcs {
			if f.Flow == nil || f.Constructs() || f.Forwards() || !wanted(f.Fn.Pos()) {
				continue
			}
			d := &detector{
				pass: pass, pkg: p, f: f, rules: rules, judge: judge, shapes: shapes, viewsOf: viewsOf, writersOf: writersOf, changed: changed, moved: moved,
				joins:      make(map[[2]*summary.Event]summary.Join),
				objects:    make(map[[2]*summary.Event]summary.Join),
				selections: make(map[[2]*summary.Event]summary.Selection),
				signals:    signals,
				lookers:    lookers,
				revokers:   revokers,
				makers:     makers,
				sums:       sums,
				loads:      loads,
			}
			findings = append(findings, d.detect()...)
			if readWrite && correlation {
				findings = append(findings, d.earlySignals(signalRules)...)
				findings = append(findings, d.lateStarts(startRules)...)
				findings = append(findings, d.unfinishedObjects(unfinishedRules)...)
				findings = append(findings, d.overtakenMessages(overtakenRules)...)
				findings = append(findings, d.gaps(gapRules)...)
				findings = append(findings, d.windows(windowRules)...)
				findings = d.revokedReferences(revokedRules, findings)
				findings = append(findings, d.totals(totalRules)...)
			}
		}
		return finding.Report(pass, confidence, finding.DoubtTests(pass, findings))
	})
	finding.Failures(pass, p.Failures())
	finding.Incomplete(pass, p.Incomplete())
	p.ReportOutside(pass)
	return silenced, nil
}
