package stalevalue

import (
	_ "embed"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/internal/doc"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/summary"
)

//go:embed doc.go
var source string

// Analyzer reports acts on stale values.
var Analyzer = &analysis.Analyzer{
	Name:     "stalevalue",
	Doc:      doc.Extract(source, "stalevalue"),
	URL:      "https://pkg.go.dev/github.com/atomvet/atomvet/passes/stalevalue",
	Run:      run,
	Requires: []*analysis.Analyzer{summary.Analyzer},
}

var (
	strict     bool
	confidence finding.Confidence
)

func init() {
	confidence.Flag(&Analyzer.Flags)
	Analyzer.Flags.BoolVar(&strict, "strict", false,
		"report every use of a value after the critical section it was read in (block-local atomicity)")
}

func run(pass *analysis.Pass) (any, error) {
	p := pass.ResultOf[summary.Analyzer].(*summary.Package)
	defer p.Acquire()()
	finding.Protect(pass, func() {
		var findings []finding.Finding
		for _, f := range p.Funcs {
			if f.Flow == nil || len(f.Events) == 0 || f.Constructs() {
				continue
			}
			d := &detector{pass: pass, pkg: p, f: f}
			d.detect()
			d.escapedRefs()
			d.reloads()
			d.registers()
			d.subscribes()
			if strict {
				d.escapes()
			}
			findings = append(findings, d.findings...)
		}
		finding.Report(pass, confidence, findings)
	})
	finding.Failures(pass, p.Failures())
	return nil, nil
}
