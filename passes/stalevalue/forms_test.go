package stalevalue

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/passes/internal/rule"
)

// TestForms: the documentation lists each kind of candidate by the name that -why gives: the word in front of the
// colon in what its method String returns, or its first argument.
func TestForms(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	kinds := 0
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Name.Name != "String" {
				continue
			}
			id := firstWord(fn)
			if id == "" || strings.HasPrefix(id, "%") {
				continue // a link names itself
			}
			kinds++
			if !strings.Contains(Analyzer.Doc, "\n  - "+id+": ") {
				t.Errorf("%s: %q is not documented", name, id)
			}
		}
	}
	if kinds != len(otherForms) {
		t.Errorf("%d kinds of candidates, %d are documented", kinds, len(otherForms))
	}
	for _, set := range []rule.Set[*pair]{dependences, effectLinks, skews, drained, resets, drops, discards, fills, counts, lookups, indices} {
		for _, r := range set.List() {
			if r.Kind == rule.Reports && linkOf(r.ID) == nil {
				t.Errorf("rule %s makes candidates without a link", r.ID)
			}
		}
	}
	for _, l := range links {
		if l.id == "" || l.means == "" || linkOf(l.id) != l {
			t.Errorf("link %q, which means %q", l.id, l.means)
		}
	}
}

// firstWord returns the beginning of the first string in a function, up to a colon.
func firstWord(fn *ast.FuncDecl) (word string) {
	ast.Inspect(fn, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && word == "" {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				word, _, _ = strings.Cut(text, ":")
			}
		}
		return word == ""
	})
	return word
}
