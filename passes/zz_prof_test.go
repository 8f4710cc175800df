package passes_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/atomvet/atomvet/passes"
)

func TestZZ(t *testing.T) {
	for _, dir := range strings.Fields(os.Getenv("ZZ")) {
		pkgs, err := packages.Load(&packages.Config{Dir: dir, Mode: packages.LoadAllSyntax}, ".")
		if err != nil || packages.PrintErrors(pkgs) > 0 {
			t.Fatal(err)
		}
		var a, b runtime.MemStats
		runtime.ReadMemStats(&a)
		start := time.Now()
		graph, err := checker.Analyze(passes.All(), pkgs, nil)
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&b)
		fmt.Printf("%s %v %dMB:", dir, time.Since(start).Round(time.Millisecond), (b.TotalAlloc-a.TotalAlloc)>>20)
		for act := range graph.All() {
			if act.Package == pkgs[0] {
				fmt.Printf(" %s=%v/%d", act.Analyzer.Name, act.Duration.Round(time.Millisecond), len(act.Diagnostics))
			}
		}
		fmt.Println()
	}
}
