package viewconsistency_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/atomvet/atomvet/passes/viewconsistency"
)

func TestReports(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), viewconsistency.Analyzer, "inline", "point", "client", "objects", "atomics", "joins", "writes")
}
