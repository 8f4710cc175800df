package viewconsistency_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/atomvet/atomvet/passes/viewconsistency"
)

func TestReports(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), viewconsistency.Analyzer, "inline", "point", "client", "objects", "atomics", "joins", "writes", "papers","idiom","program","nearmiss","directive","messages","related")
}
func TestTables(t *testing.T) {
	viewconsistency.Analyzer.Flags.Set("rw","false")
	viewconsistency.Analyzer.Flags.Set("correlation","false")
	analysistest.Run(t, analysistest.TestData(), viewconsistency.Analyzer, "tables")
	viewconsistency.Analyzer.Flags.Set("rw","true")
	analysistest.Run(t, analysistest.TestData(), viewconsistency.Analyzer, "uncorrelated")
	viewconsistency.Analyzer.Flags.Set("correlation","true")
}
