//go:build unix

package main

import (
	"fmt"
	"math"
	"strings"
)

// A family is a set of programs that grow in one dimension.
type family struct {
	name string
	// program returns a program of about the given number of lines, without its first ones.
	program func(lines int) string
}

// prologue has the first lines of each program.
const prologue = "package p\n\nimport \"sync\"\n\ntype S struct {\n\tmu sync.Mutex\n\tn  int\n\tm  map[int]int\n}\n\n" +
	"func (s *S) Set(v int) { s.mu.Lock(); s.n = v; s.mu.Unlock() }\n\n"

// repeat returns n copies of a format with the numbers from 0 as arguments.
func repeat(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i, i+1, (i*7+3)%n, (i*13+5)%n)
	}
	return b.String()
}

var families = []family{
	{"functions", func(n int) string {
		return repeat(n/11+1, "func (s *S) F%[1]d(k int) {\n\ts.mu.Lock()\n\tv := s.m[k]\n\ts.mu.Unlock()\n\tif v > %[1]d {\n\t\ts.mu.Lock()\n\t\ts.m[k] = v + 1\n\t\ts.mu.Unlock()\n\t}\n}\n")
	}},
	{"function", func(n int) string {
		return "func (s *S) F(k int) {\n\ts.mu.Lock()\n\tv := s.n\n\ts.mu.Unlock()\n\tswitch k {\n" +
			repeat(n/4+1, "\tcase %[1]d:\n\t\ts.mu.Lock()\n\t\ts.n = v + %[1]d\n\t\ts.mu.Unlock()\n") + "\t}\n}\n"
	}},
	{"chain", func(n int) string {
		n = n/3 + 1
		return repeat(n, "func (s *S) f%[1]d() {\n\ts.f%[2]d()\n}\n") + fmt.Sprintf("func (s *S) f%d() { s.Set(1) }\n", n)
	}},
	{"recursion", func(n int) string {
		return repeat(n/8+1, "func (s *S) r%[1]d(k int) {\n\tif k > 0 {\n\t\ts.mu.Lock()\n\t\ts.n++\n\t\ts.mu.Unlock()\n\t\ts.r%[3]d(k - 1)\n\t\ts.r%[4]d(k - 1)\n\t}\n}\n")
	}},
	{"locals", func(n int) string {
		return "func (s *S) L(k int) int {\n\tv0 := k\n" + repeat(n/4+1, "\tv%[2]d := k + v%[1]d\n\tif v%[2]d > 3 {\n\t\tv%[2]d = k\n\t}\n") +
			fmt.Sprintf("\ts.mu.Lock()\n\ts.n = v%d\n\ts.mu.Unlock()\n\treturn k\n}\n", n/4+1)
	}},
	{"fields", func(n int) string {
		n = n/7 + 2
		return "type B struct {\n\tmu sync.Mutex\n" + repeat(n, "\tx%[1]d int\n") + "}\n" +
			repeat(n, "func (b *B) g%[1]d(k int) {\n\tb.mu.Lock()\n\tb.x%[1]d = k\n\tb.x%[3]d = k\n\tb.mu.Unlock()\n}\n")
	}},
	{"views", func(n int) string {
		n = int(math.Sqrt(float64(n)+30)-5.5) + 1 // n*n + 11*n lines
		return "type V struct {\n\tmu sync.Mutex\n\tdone bool\n" + repeat(n, "\tx%[1]d int\n") + "}\n" +
			"func (v *V) End() { v.mu.Lock(); v.done = true; v.mu.Unlock() }\n" +
			repeat(n, "func (v *V) g%[1]d() int { v.mu.Lock(); defer v.mu.Unlock(); return v.x%[1]d }\n") +
			repeat(n, "func (v *V) h%[1]d() {\n\tv.mu.Lock()\n\tdefer v.mu.Unlock()\n\tif v.done {\n\t\treturn\n\t}\n"+
				repeat(n, "\tv.x%[1]d++\n")+"}\n") +
			"func (v *V) Sum() (sum int) {\n" + repeat(n, "\tsum += v.g%[1]d()\n") + "\treturn sum\n}\n"
	}},
	{"goroutines", func(n int) string {
		return "func (s *S) G() {\n" + repeat(n/5+1, "\tgo func() {\n\t\ts.mu.Lock()\n\t\ts.n += %[1]d\n\t\ts.mu.Unlock()\n\t}()\n") + "}\n"
	}},
	{"interfaces", func(n int) string {
		n = n/3 + 1
		return "type I interface {\n" + repeat(n, "\tM%[1]d()\n") + "}\n" + repeat(n, "func (s *S) M%[1]d() { s.Set(%[1]d) }\n") +
			"func Use(i I) {\n" + repeat(n, "\ti.M%[1]d()\n") + "}\n\nfunc New() I { return new(S) }\n"
	}},
}
