//go:build unix

package main

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"math"
	"strings"
	"testing"
)

// TestFamilies checks that the programs compile, and have the size that was asked for.
func TestFamilies(t *testing.T) {
	for _, f := range families {
		for _, lines := range []int{100, 1000} {
			text := prologue + f.program(lines)
			if n := strings.Count(text, "\n"); n < lines*8/10 || n > lines*13/10+20 {
				t.Errorf("%s: %d lines, want about %d", f.name, n, lines)
			}
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, "p.go", text, 0)
			if err != nil {
				t.Fatalf("%s: %v", f.name, err)
			}
			conf := types.Config{Importer: importer.Default()}
			if _, err := conf.Check("p", fset, []*ast.File{file}, nil); err != nil {
				t.Errorf("%s: %v", f.name, err)
			}
		}
	}
}

func TestExponent(t *testing.T) {
	sizes := []int{10, 20, 40, 80}
	for _, want := range []float64{0, 1, 1.5, 2} {
		var seconds []float64
		for _, n := range sizes {
			seconds = append(seconds, 3*math.Pow(float64(n), want))
		}
		if got := exponent(sizes, seconds); math.Abs(got-want) > 1e-9 {
			t.Errorf("exponent %v, want %v", got, want)
		}
	}
}
