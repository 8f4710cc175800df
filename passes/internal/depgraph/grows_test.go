package depgraph_test

import (
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/depgraph"
)

func TestGrows(t *testing.T) {
	for _, test := range []struct {
		expr string
		want bool
	}{
		{"x", true},
		{"x + 1", true},
		{"1 + 2*x", true},
		{"x - y", true},
		{"y - x", false},
		{"y - (y - x)", false}, // grows, but takes more than a look at the signs
		{"-x", false},
		{"x / 2", true},
		{"y / (x + 1)", false},
		{"y", false},
		{"int(int64(x)) + y", true},
	} {
		fn := build(t, "func f(x, y int) int { return "+test.expr+" }")["f"]
		ret := fn.Blocks[0].Instrs[len(fn.Blocks[0].Instrs)-1].(*ssa.Return)
		if got := depgraph.Grows(ret.Results[0], []ssa.Value{fn.Params[0]}); got != test.want {
			t.Errorf("%s: %t, want %t", test.expr, got, test.want)
		}
	}
}
