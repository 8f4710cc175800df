package reshape_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/passes/internal/reshape"
)

// program is rewritten by each shape. The comments say what must not be.
const program = `// Package p is small.
package p

import (
	"fmt"
	"sync"
)

type store struct {
	mu sync.Mutex
	m  map[string]int
}

// get returns an element.
func (s *store) get(k string) (int, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, ok := s.m[k]
	return n, ok
}

func (s *store) put(k string, n int) {
	s.mu.Lock()
	s.m[k] = n
	s.mu.Unlock()
}

// Add has a section in line.
func (s *store) Add(k string) int {
	s.mu.Lock()
	n, ok := s.m[k]
	if ok {
		n++
	}
	s.m[k] = n
	s.mu.Unlock()
	return n
}

// Early leaves its section by a return, which stays in the function.
func (s *store) Early(k string) int {
	s.mu.Lock()
	if n := s.m[k]; n > 0 {
		s.mu.Unlock()
		return n
	}
	s.m[k] = 1
	s.mu.Unlock()
	return 1
}

// Copy calls in all the forms that are replaced.
func (s *store) Copy(from, to string) string {
	if n, ok := s.get(from); ok {
		s.put(to, n)
	}
	n, ok := s.get(to)
	return fmt.Sprint(n, ok)
}

// Fill starts goroutines.
func (s *store) Fill(keys []string) {
	for _, k := range keys {
		go s.put(k, 0)
	}
	go func() { s.m = nil }()
}
`

// check type-checks files, and returns them as the input of a shape.
func check(t *testing.T, texts map[string]string) *reshape.Package {
	t.Helper()
	p := &reshape.Package{
		Fset:   token.NewFileSet(),
		Info:   &types.Info{Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object), Implicits: make(map[ast.Node]types.Object), Selections: make(map[*ast.SelectorExpr]*types.Selection), Types: make(map[ast.Expr]types.TypeAndValue)},
		Source: func(name string) ([]byte, error) { return []byte(texts[name]), nil },
	}
	for name, text := range texts {
		f, err := parser.ParseFile(p.Fset, name, text, parser.ParseComments)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		p.Files = append(p.Files, f)
	}
	var err error
	if p.Types, err = (&types.Config{Importer: importer.ForCompiler(p.Fset, "source", nil)}).Check("p", p.Fset, p.Files, p.Info); err != nil {
		t.Fatalf("%v\n%v", err, texts)
	}
	return p
}

func TestShapes(t *testing.T) {
	want := map[string]struct {
		places int
		has    []string
		hasNot []string
	}{
		"reversed":  {6, []string{"// Package p is small.", "return fmt.Sprint(n, ok)\n}\n\n// Early leaves"}, nil},
		"split":     {3, []string{"package p\n\nimport \"fmt\"\n", "func (s *store) put"}, nil},
		"renamed":   {99, []string{"type re0store struct", "re0mu sync.Mutex", "func (re0s *re0store) Add(re0k string) int", "re0s.re0mu.Lock()"}, []string{" s.mu"}},
		"wrapped":   {9, []string{"s.re0muLock()", "defer s.re0muUnlock()", "func (r *store) re0muLock() { r.mu.Lock() }"}, []string{"s.mu.Lock()"}},
		"literals":  {2, []string{"var n int\nfunc() {\ns.mu.Lock()\n\tvar ok bool\nn, ok = s.m[k]"}, nil},
		"helpers":   {2, []string{"n = re0v2(s, k)", "func re0v1(s *store, k string, n int)", "return n"}, nil},
		"inlined":   {3, []string{"re0v3, re0v4 = n, ok\ns.mu.Unlock()\n}", "if ok {"}, []string{"func (s *store) get"}},
		"grouped":   {2, []string{"var re0v1 string = k\nvar re0v2 int = 0\nnew(sync.WaitGroup).Go(func() { s.put(re0v1, re0v2) })", "new(sync.WaitGroup).Go(func() { s.m = nil })"}, []string{"go "}},
		"embedded":  {1, []string{"type store struct {\n\tsync.Mutex\n", "s.Lock()"}, []string{"s.mu"}},
		"closures":  {1, []string{"defer func() { s.mu.Unlock() }()"}, nil},
		"forwarded": {6, []string{"func (s *store) re0Add(k string) int", "func (re0r *store) Add(p0 string) (int) { return re0r.re0Add(p0) }"}, nil},
	}
	for _, s := range reshape.Shapes {
		files, places, err := s.Rewrite(check(t, map[string]string{"p.go": program}))
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		texts := map[string]string{"p.go": program}
		var all strings.Builder
		for name, text := range files {
			texts[name] = string(text)
			all.Write(text)
		}
		check(t, texts)
		w := want[s.Name]
		if places != w.places {
			t.Errorf("%s: %d places, want %d", s.Name, places, w.places)
		}
		for _, part := range w.has {
			if !strings.Contains(all.String(), part) {
				t.Errorf("%s: there is no %q in\n%s", s.Name, part, all.String())
			}
		}
		for _, part := range w.hasNot {
			if strings.Contains(all.String(), part) {
				t.Errorf("%s: there is %q in\n%s", s.Name, part, all.String())
			}
		}
		if !strings.Contains(all.String(), "n := s.m[k]; n > 0") && !strings.Contains(all.String(), "re0n := re0s.re0m[re0k]; re0n > 0") && s.Name != "split" {
			t.Errorf("%s: a section with a return is rewritten:\n%s", s.Name, all.String())
		}
	}
}

// TestUntouched: what cannot keep its meaning stays as it is.
func TestUntouched(t *testing.T) {
	const src = `package p

import "sync"

type T[K comparable] struct {
	mu sync.Mutex
	m  map[K]int
}

func (t *T[K]) Put(k K) {
	t.mu.Lock()
	t.m[k]++
	t.mu.Unlock()
}

type S struct{ mu sync.Mutex; n int }

func (s *S) jump(k int) int {
again:
	s.mu.Lock()
	if s.n < k {
		s.n++
		s.mu.Unlock()
		goto again
	}
	s.mu.Unlock()
	return s.many(k)
}

func (s *S) many(list ...int) int { return len(list) }

// S shadows the type of what many returns.
func (s *S) shadow() int {
	S := s.many(1)
	return S
}
`
	for _, s := range reshape.Shapes {
		switch s.Name {
		case "literals", "helpers", "inlined":
			if _, places, err := s.Rewrite(check(t, map[string]string{"p.go": src})); err != nil || places != 0 {
				t.Errorf("%s: %d places, error %v", s.Name, places, err)
			}
		}
	}
}

func TestOriginal(t *testing.T) {
	if got := reshape.Original("(*re0store).re0Add"); got != "(*store).Add" {
		t.Errorf("got %s", got)
	}
	p := check(t, map[string]string{"p.go": program})
	p.Source = func(string) ([]byte, error) { return nil, os.ErrNotExist }
	if _, _, err := reshape.Shapes[0].Rewrite(p); err == nil {
		t.Error("a file that cannot be read is rewritten")
	}
}
