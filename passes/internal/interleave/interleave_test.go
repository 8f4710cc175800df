package interleave

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
)

var (
	fset = token.NewFileSet()
	std  = importer.ForCompiler(fset, "source", nil)
)

// A program is a package that was built from source.
type program struct {
	engine *Engine
	pkg    *ssa.Package
}

func build(t testing.TB, src string) *program {
	t.Helper()
	file, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	pkg, _, err := ssautil.BuildPackage(&types.Config{Importer: std}, fset, types.NewPackage("p", "p"), []*ast.File{file}, ssa.BuilderMode(0))
	if err != nil {
		t.Fatal(err)
	}
	prog := &buildssa.SSA{Pkg: pkg}
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		prog.SrcFuncs = append(prog.SrcFuncs, fn)
		for _, a := range fn.AnonFuncs {
			add(a)
		}
	}
	for _, d := range file.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok {
			if fn := pkg.Prog.FuncValue(objectOf(pkg, fd)); fn != nil {
				add(fn)
			}
		}
	}
	foreign := fact.NewForeign(pkg.Pkg, func(*types.Package, analysis.Fact) bool { return false }, false)
	return &program{New(callgraph.NewGraph(pkg.Pkg, fset, prog, foreign)), pkg}
}

func objectOf(pkg *ssa.Package, fd *ast.FuncDecl) *types.Func {
	if fd.Recv == nil {
		return pkg.Pkg.Scope().Lookup(fd.Name.Name).(*types.Func)
	}
	star := fd.Recv.List[0].Type.(*ast.StarExpr)
	typ := pkg.Pkg.Scope().Lookup(star.X.(*ast.Ident).Name).Type()
	obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(typ), true, pkg.Pkg, fd.Name.Name)
	return obj.(*types.Func)
}

// fn finds a function by its name, T.M for a method.
func (p *program) fn(t testing.TB, name string) *ssa.Function {
	t.Helper()
	for _, f := range p.engine.graph.Funcs {
		got := callgraph.Name(f.Fn)
		if got == name || got == "(*"+strings.Replace(name, ".", ").", 1) {
			return f.Fn
		}
	}
	t.Fatalf("there is no function %s", name)
	return nil
}

// marked returns the instructions of a function on the lines with a comment "check" and "act".
func (p *program) marked(t testing.TB, src string, fn *ssa.Function) (check, act ssa.Instruction) {
	t.Helper()
	lines := strings.Split(src, "\n")
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if !accesses(instr) {
				continue
			}
			line := lines[fset.Position(instr.Pos()).Line-1]
			if check == nil && strings.HasSuffix(line, "// check") {
				check = instr
			}
			if act == nil && strings.HasSuffix(line, "// act") {
				act = instr
			}
		}
	}
	if check == nil || act == nil {
		t.Fatalf("%s: check %v, act %v", fn, check, act)
	}
	return check, act
}

func accesses(instr ssa.Instruction) bool {
	if !instr.Pos().IsValid() {
		return false
	}
	switch instr := instr.(type) {
	case *ssa.UnOp:
		return instr.Op == token.MUL
	case *ssa.Store, *ssa.Lookup, *ssa.MapUpdate, *ssa.Send:
		return true
	case *ssa.Call:
		return true
	}
	return false
}

const header = `package p

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

var ErrClosed = errors.New("closed")

var _ = fmt.Sprint

type Elem struct { n int; dead bool; mu sync.Mutex }

type S struct {
	mu, other sync.Mutex
	n, limit  int
	m         map[string]*Elem
	names     map[string]string
	list      []string
	closed    bool
	done      chan struct{}
	state     int
	hits      atomic.Int64
	flag      atomic.Bool
	cache     sync.Map
	file      *os.File
}

func New() *S { return &S{m: make(map[string]*Elem), names: make(map[string]string), done: make(chan struct{})} }

func compute(string) string
func (s *S) Set(n int) { s.mu.Lock(); s.n = n; s.mu.Unlock() }
func (s *S) Inc() { s.mu.Lock(); s.n++; s.mu.Unlock() }
func (s *S) Get() int { s.mu.Lock(); defer s.mu.Unlock(); return s.n }
func (s *S) Put(k string, e *Elem) { s.mu.Lock(); defer s.mu.Unlock(); s.m[k] = e }
func (s *S) Del(k string) { s.mu.Lock(); defer s.mu.Unlock(); delete(s.m, k) }
func (s *S) Close() { s.mu.Lock(); defer s.mu.Unlock(); s.closed = true; s.m = nil; close(s.done) }
func (s *S) Mark() { s.mu.Lock(); s.closed = true; s.mu.Unlock() }
`

var tests = []struct {
	name, second, body string
	want               Verdict
	kind               Kind
}{
	{"lost update", "S.Inc", `func (s *S) F() {
		n := s.Get() // check
		s.Set(n + 1) // act
	}`, Harmful, State},
	{"names that double", "S.Inc", `func (s *S) F() {
		v := fmt.Sprint(s.Get()) // check
		v = fmt.Sprint(v, v)
		v = fmt.Sprint(v, v)
		v = fmt.Sprint(v, v)
		v = fmt.Sprint(v, v)
		v = fmt.Sprint(v, v)
		v = fmt.Sprint(v, v)
		v = fmt.Sprint(v, v)
		v = fmt.Sprint(v, v)
		v = fmt.Sprint(v, v)
		v = fmt.Sprint(v, v)
		v = fmt.Sprint(v, v)
		v = fmt.Sprint(v, v)
		v = fmt.Sprint(v, v)
		v = fmt.Sprint(v, v)
		v = fmt.Sprint(v, v)
		v = fmt.Sprint(v, v)
		v = fmt.Sprint(v, v)
		v = fmt.Sprint(v, v)
		v = fmt.Sprint(v, v)
		v = fmt.Sprint(v, v)
		v = fmt.Sprint(v, v)
		v = fmt.Sprint(v, v)
		v = fmt.Sprint(v, v)
		v = fmt.Sprint(v, v)
		s.mu.Lock()
		s.names[v] = v // act
		s.mu.Unlock()
	}`, Unknown, none},
	{"lost update by itself", "S.F", `func (s *S) F() {
		n := s.Get() // check
		s.Set(n + 1) // act
	}`, Harmful, State},
	{"relative update without a limit", "S.Inc", `func (s *S) F() {
		if s.Get() < 10 { // check
			s.Inc() // act
		}
	}`, Serializable, none},
	{"relative update", "S.F", `func (s *S) F() {
		if s.Get() < 10 { // check
			s.Inc() // act
		}
	}`, Harmful, State},
	{"relative update without a check", "S.Inc", `func (s *S) F() {
		s.hits.Add(int64(s.Get())) // check
		s.Inc() // act
	}`, Serializable, none},
	{"insert if absent", "S.F", `func (s *S) F(k string) *Elem {
		s.mu.Lock()
		e, ok := s.m[k] // check
		s.mu.Unlock()
		if ok { return e }
		e = &Elem{}
		s.mu.Lock()
		s.m[k] = e // act
		s.mu.Unlock()
		e.mu.Lock(); e.n++; e.mu.Unlock()
		return e
	}`, Harmful, Result},
	{"look again", "S.F", `func (s *S) F(k string) *Elem {
		s.mu.Lock()
		e, ok := s.m[k] // check
		s.mu.Unlock()
		if ok { return e }
		s.mu.Lock()
		defer s.mu.Unlock()
		if e, ok := s.m[k]; ok { return e }
		e = &Elem{}
		s.m[k] = e // act
		return e
	}`, Serializable, none},
	{"memo", "S.F", `func (s *S) F(k string) string {
		s.mu.Lock()
		e, ok := s.names[k] // check
		s.mu.Unlock()
		if ok { return e }
		e = compute(k)
		s.mu.Lock()
		s.names[k] = e // act
		s.mu.Unlock()
		return e
	}`, Serializable, none},
	{"latch", "S.Mark", `func (s *S) F(k string) {
		s.mu.Lock()
		closed := s.closed // check
		s.mu.Unlock()
		if !closed { 
			s.mu.Lock()
			s.names[k] = k // act
			s.mu.Unlock()
		}
	}`, Serializable, none},
	{"insert after close", "S.Close", `func (s *S) F(k string) {
		s.mu.Lock()
		closed := s.closed // check
		s.mu.Unlock()
		if !closed { 
			s.mu.Lock()
			s.m[k] = nil // act
			s.mu.Unlock()
		}
	}`, Harmful, Crash},
	{"close twice", "S.F", `func (s *S) F(k string) {
		s.mu.Lock()
		closed := s.closed // check
		s.mu.Unlock()
		if !closed { 
			s.mu.Lock()
			s.closed = true // act
			s.mu.Unlock()
			close(s.done)
		}
	}`, Harmful, Crash},
	{"outer lock", "S.F", `func (s *S) F() {
		s.other.Lock()
		defer s.other.Unlock()
		n := s.Get() // check
		s.Set(n + 1) // act
	}`, Serializable, none},
	{"compare and swap", "S.F", `func (s *S) F() {
		for {
			n := s.hits.Load() // check
			if s.hits.CompareAndSwap(n, n+1) { // act
				return
			}
		}
	}`, Serializable, none},
	{"load and store", "S.F", `func (s *S) F() {
		n := s.hits.Load() // check
		s.hits.Store(n+1) // act
	}`, Harmful, State},
	{"claim", "S.F", `func (s *S) F() bool {
		if s.flag.Load() { // check
			return false
		}
		s.flag.Store(true) // act
		return true
	}`, Harmful, Result},
	{"found, then deleted", "S.Del", `func (s *S) F(k string) int {
		s.mu.Lock()
		_, ok := s.m[k] // check
		s.mu.Unlock()
		if !ok { return 0 }
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.m[k].n // act
	}`, Harmful, Crash},
	{"sync.Map", "S.F", `func (s *S) F(k string) any {
		if v, ok := s.cache.Load(k); ok { // check
			return v
		}
		e := new(Elem)
		s.cache.Store(k, e) // act
		e.mu.Lock(); e.n = 1; e.mu.Unlock()
		return e
	}`, Harmful, Result},
	{"sync.Map, in one step", "S.F", `func (s *S) F(k string) any {
		if v, ok := s.cache.Load(k); ok { // check
			return v
		}
		v, _ := s.cache.LoadOrStore(k, new(Elem)) // act
		return v
	}`, Serializable, none},
	{"an object of another package", "S.G", `func (s *S) F(b []byte) {
		s.mu.Lock()
		st, err := s.file.Stat() // check
		s.mu.Unlock()
		if err != nil { return }
		s.mu.Lock()
		s.file.WriteAt(b, st.Size()) // act
		s.mu.Unlock()
	}
	func (s *S) G(b []byte) { s.mu.Lock(); s.file.Write(b); s.mu.Unlock() }`, Unknown, none},
}

func TestAsk(t *testing.T) {
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			src := header + test.body + "\n"
			p := build(t, src)
			first := p.fn(t, "S.F")
			check, act := p.marked(t, src, first)
			a := p.engine.Ask(Question{First: Unit{Fn: first}, Second: Unit{Fn: p.fn(t, test.second)}, Check: check, Act: act})
			if a.Verdict != test.want || a.Verdict == Harmful && a.Kind != test.kind {
				t.Errorf("%v, want %v %v", a, test.want, test.kind)
			}
			for _, s := range a.Run {
				t.Log(s)
			}
		})
	}
}
