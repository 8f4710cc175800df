package atomicset_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/atomvet/atomvet/passes/atomicset"
)

type quiet struct{}

func (quiet) Errorf(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	if !strings.Contains(s, "diagnostic") {
		fmt.Println(s)
	}
}

func TestDump(t *testing.T) {
	if os.Getenv("FLAGS") != "" {
		for _, f := range strings.Split(os.Getenv("FLAGS"), ",") {
			atomicset.Analyzer.Flags.Set(f, "true")
		}
	}
	for _, r := range analysistest.Run(quiet{}, analysistest.TestData(), atomicset.Analyzer, strings.Fields(os.Getenv("PKGS"))...) {
		if r.Err != nil {
			fmt.Println(r.Err)
			continue
		}
		for _, x := range r.Diagnostics {
			m := x.Message
			if os.Getenv("FULL") == "" && x.Category != "failure" && x.Category != "model" {
				m, _, _ = strings.Cut(m, "\n")
			}
			fmt.Printf("%s: %s\n", r.Pass.Fset.Position(x.Pos).String()[len(analysistest.TestData())+5:], m)
		}
	}
}
