package atomicset_test

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/atomvet/atomvet/passes/atomicset"
)

type quiet struct{}

func (quiet) Errorf(format string, args ...any) {}

func TestFirst(t *testing.T) {
	atomicset.Analyzer.Flags.Set("stats", "true")
	dirs, _ := os.ReadDir(analysistest.TestData() + "/src")
	for _, d := range dirs {
		rs := analysistest.Run(quiet{}, analysistest.TestData(), atomicset.Analyzer, d.Name())
		for _, r := range rs {
			if r.Err != nil {
				t.Log(d.Name(), r.Err)
				continue
			}
			for _, x := range r.Diagnostics {
				fmt.Printf("%s: %s [%s] %s\n", d.Name(), r.Pass.Fset.Position(x.Pos).String()[len(analysistest.TestData()):], x.Category, x.Message)
			}
		}
	}
}
