package passes_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/atomvet/atomvet/passes/stalevalue"
)

// Functions that grow by critical sections, as generated code has them.
var shapes = []struct {
	name             string
	before, one, end string // of the body
}{
	{"switch", "\ts.mu.Lock()\n\tv := s.n\n\ts.mu.Unlock()\n\tswitch k {\n",
		"\tcase %d:\n\t\ts.mu.Lock()\n\t\ts.n = v + %[1]d\n\t\ts.mu.Unlock()\n", "\t}\n"},
	{"straight", "\tvar v int\n",
		"\ts.mu.Lock()\n\tv = s.n\n\ts.mu.Unlock()\n\ts.mu.Lock()\n\ts.n = v + %d\n\ts.mu.Unlock()\n", ""},
	{"chain", "\tvar v int\n",
		"\ts.mu.Lock()\n\tv = s.n\n\ts.mu.Unlock()\n\tif k > %d {\n\t\ts.mu.Lock()\n\t\ts.n = v + %[1]d\n\t\ts.mu.Unlock()\n\t}\n", ""},
}

// loadShape returns a package with a function of n critical sections.
func loadShape(b *testing.B, shape, n int) []*packages.Package {
	b.Helper()
	s := shapes[shape]
	var src strings.Builder
	src.WriteString("package p\n\nimport \"sync\"\n\ntype S struct {\n\tmu sync.Mutex\n\tn  int\n}\n\n" +
		"func (s *S) Set(v int) { s.mu.Lock(); s.n = v; s.mu.Unlock() }\n\nfunc (s *S) F(k int) {\n" + s.before)
	for i := range n {
		fmt.Fprintf(&src, s.one, i)
	}
	src.WriteString(s.end + "}\n")
	dir := b.TempDir()
	for name, text := range map[string]string{"p.go": src.String(), "go.mod": "module p\n\ngo 1.25\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	pkgs, err := packages.Load(&packages.Config{Dir: dir, Mode: packages.LoadAllSyntax}, ".")
	if err != nil || packages.PrintErrors(pkgs) > 0 {
		b.Fatal("cannot load the package", err)
	}
	return pkgs
}

// BenchmarkScale measures how the time of stalevalue, with all that it requires, grows
// with the critical sections of a function: the metric is the exponent between the
// smallest and the largest, the least of three runs each.
func BenchmarkScale(b *testing.B) {
	sizes := []int{250, 500, 1000, 2000}
	for shape, s := range shapes {
		b.Run(s.name, func(b *testing.B) {
			var took []float64
			for _, n := range sizes {
				pkgs := loadShape(b, shape, n)
				best := math.Inf(1)
				for range 3 {
					best = min(best, analyze(b, pkgs).Seconds())
				}
				took = append(took, best)
				b.ReportMetric(best*1e3, fmt.Sprintf("ms/%d", n))
			}
			b.ReportMetric(slope(sizes, took), "exponent")
		})
	}
}

// analyze returns the time for the package alone, without those that it imports.
func analyze(b *testing.B, pkgs []*packages.Package) time.Duration {
	b.Helper()
	graph, err := checker.Analyze([]*analysis.Analyzer{stalevalue.Analyzer}, pkgs, nil)
	if err != nil {
		b.Fatal(err)
	}
	var took time.Duration
	for act := range graph.All() {
		if act.Err != nil {
			b.Fatal(act.Err)
		}
		if act.Package == pkgs[0] {
			took += act.Duration
		}
	}
	return took
}

// slope fits the exponent of a power law by least squares.
func slope(sizes []int, took []float64) float64 {
	var sx, sy, sxx, sxy float64
	for i, n := range sizes {
		x, y := math.Log(float64(n)), math.Log(took[i])
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	n := float64(len(sizes))
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}
