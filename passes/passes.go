// Package passes lists the detectors of atomvet.
package passes

import (
	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/atomicset"
	"github.com/atomvet/atomvet/passes/reacquire"
	"github.com/atomvet/atomvet/passes/stalevalue"
	"github.com/atomvet/atomvet/passes/viewconsistency"
)

// All returns the detectors in the order in which drivers run and list them.
// Every driver takes its analyzers from here.
func All() []*analysis.Analyzer {
	return []*analysis.Analyzer{
		stalevalue.Analyzer,
		viewconsistency.Analyzer,
		reacquire.Analyzer,
		atomicset.Analyzer,
	}
}
