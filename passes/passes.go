// Package passes lists the detectors of atomvet.
package passes

import (
	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/atomicset"
	"github.com/atomvet/atomvet/passes/ignores"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/reacquire"
	"github.com/atomvet/atomvet/passes/stalevalue"
	"github.com/atomvet/atomvet/passes/viewconsistency"
)

var detectors = []ignores.Detector{
	{Analyzer: stalevalue.Analyzer, Kinds: stalevalue.Kinds()},
	{Analyzer: viewconsistency.Analyzer, Kinds: viewconsistency.Kinds()},
	{Analyzer: reacquire.Analyzer, Kinds: reacquire.Kinds()},
	{Analyzer: atomicset.Analyzer, Kinds: atomicset.Kinds()},
}

// Ignores reports the comments that should silence a finding of a detector and do not.
var Ignores = ignores.New(detectors)

// All returns the detectors in the order in which drivers run and list them.
func All() []*analysis.Analyzer {
	var out []*analysis.Analyzer
	for _, d := range detectors {
		out = append(out, d.Analyzer)
	}
	return out
}

// Suite returns what drivers run: the detectors, and the check of the comments that silence
// them. Every driver takes its analyzers from here.
func Suite() []*analysis.Analyzer { return append(All(), Ignores) }

// Categories returns the categories of the findings of an analyzer of the suite.
func Categories(analyzer *analysis.Analyzer) []string {
	var kinds []finding.Kind
	if analyzer == Ignores {
		kinds = ignores.Kinds()
	}
	for _, d := range detectors {
		if d.Analyzer == analyzer {
			kinds = d.Kinds
		}
	}
	out := make([]string, 0, len(kinds))
	for _, k := range kinds {
		out = append(out, k.Name)
	}
	return out
}
