package lockset_test

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/lockset"
)

// preamble starts every snippet. A call of probe marks a point whose lock state
// a test asserts. The functions after it stand for callees whose effect on a
// lock is known, as summaries tell it: see effectOf.
const preamble = `package p

import ("context"; "sync")

var _ sync.Mutex
var _ context.Context

func probe(name string)
func cond() bool
func work()

func mayLock(l sync.Locker)
func mayUnlock(l sync.Locker)
func split(l sync.Locker)
func maySplit(l sync.Locker)
func lockUnless(l sync.Locker) bool // if the result is false
func lockErr(l sync.Locker) (int, error)
`

// effectOf returns the effect of a call of one of the functions of the preamble.
func effectOf(name string) (op lockset.Op, ok bool) {
	op.Guard.Mode = lockset.Exclusive
	switch name {
	case "mayLock":
		op.Kind, op.May = lockset.Acquire, true
	case "mayUnlock":
		op.Kind, op.May = lockset.Release, true
	case "split":
		op.Kind = lockset.Split
	case "maySplit":
		op.Kind, op.May = lockset.Split, true
	case "lockUnless":
		op.Kind, op.Outcome = lockset.Acquire, lockset.IfFalse
	case "lockErr":
		op.Kind, op.Outcome, op.Result = lockset.Acquire, lockset.IfNil, 1
	default:
		return op, false
	}
	return op, true
}

// exports reads the export data of the standard library, once.
var exports = sync.OnceValue(func() types.Importer { return importer.Default() })

// A snippet is the function f of some source, with its lock state.
type snippet struct {
	fn   *ssa.Function
	flow *lockset.Flow
	fset *token.FileSet
	// marks are the comments of the form //A by line.
	marks map[int]string
}

// compile builds a snippet.
func compile(t *testing.T, src string) *snippet {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", preamble+src, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	conf := &types.Config{Importer: exports()}
	pkg, _, err := ssautil.BuildPackage(conf, fset, types.NewPackage("p", "p"), []*ast.File{file}, ssa.BuilderMode(0))
	if err != nil {
		t.Fatal(err)
	}
	s := &snippet{fn: find(pkg, "f"), fset: fset, marks: make(map[int]string)}
	if s.fn == nil {
		t.Fatal("snippet has no function f")
	}
	for _, group := range file.Comments {
		s.marks[fset.Position(group.Pos()).Line] = strings.TrimSpace(group.Text())
	}
	s.analyze()
	return s
}

// find returns the function or method with the given name.
func find(pkg *ssa.Package, name string) *ssa.Function {
	if fn := pkg.Func(name); fn != nil {
		return fn
	}
	for _, m := range pkg.Members {
		if typ, ok := m.(*ssa.Type); ok {
			for m := range typ.Type().(*types.Named).Methods() {
				if m.Name() == name {
					return pkg.Prog.FuncValue(m)
				}
			}
		}
	}
	return nil
}

// analyze computes the lock state from the lock methods that the function calls
// itself, the functions of the preamble, and channels: a send takes one, a
// receive gives it back.
func (s *snippet) analyze() {
	// What RLocker returns is told by the resolver's user.
	var res *accesspath.Resolver
	res = accesspath.NewResolver(s.fn, func(c *ssa.Call, _ int) (accesspath.Path, bool) {
		if calleeName(&c.Call) == "RLocker" {
			return lockset.ReadLocker(res.Resolve(c.Call.Args[0]).Path), false
		}
		return accesspath.Unknown, false
	}, nil)
	token := func(ch ssa.Value, send bool) lockset.Op {
		op := lockset.Op{Kind: lockset.Release, Guard: lockset.Guard{Path: res.Resolve(ch).Path, Mode: lockset.Exclusive}}
		if send {
			op.Kind = lockset.Acquire
		}
		return op
	}
	ops := make(map[ssa.Instruction][]lockset.Op)
	for _, b := range s.fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case ssa.CallInstruction:
				c := instr.Common()
				if op, ok := effectOf(calleeName(c)); ok {
					op.Guard.Path = res.Resolve(c.Args[0]).Path
					ops[instr] = []lockset.Op{op}
				} else if op, ok := lockset.Primitive(c, res); ok {
					ops[instr] = []lockset.Op{op}
				}
			case *ssa.Send:
				ops[instr] = []lockset.Op{token(instr.Chan, true)}
			case *ssa.Select:
				for i, st := range instr.States {
					op := token(st.Chan, st.Dir == types.SendOnly)
					op.Outcome, op.Case = lockset.IfCase, i
					ops[instr] = append(ops[instr], op)
				}
			case *ssa.UnOp:
				if instr.Op.String() == "<-" {
					ops[instr] = []lockset.Op{token(instr.X, false)}
				}
			}
		}
	}
	s.flow = lockset.Analyze(s.fn, res, ops)
}

func calleeName(c *ssa.CallCommon) string {
	if fn := c.StaticCallee(); fn != nil {
		return fn.Name()
	}
	return ""
}

// states returns what text says of the lock state at every probe and, as
// "return", at the return statements, after the deferred calls.
func (s *snippet) states(text func(*lockset.State) string) map[string]string {
	seen := make(map[string][]string)
	s.flow.Walk(func(instr ssa.Instruction, _ int, st *lockset.State) {
		name := ""
		switch instr := instr.(type) {
		case *ssa.Return:
			name = "return"
		case *ssa.Call:
			if calleeName(&instr.Call) == "probe" {
				name = constant.StringVal(instr.Call.Args[0].(*ssa.Const).Value)
			}
		}
		if name == "" {
			return
		}
		seen[name] = append(seen[name], text(st))
	})
	out := make(map[string]string)
	for name, list := range seen {
		slices.Sort(list)
		out[name] = strings.Join(slices.Compact(list), " | ")
	}
	return out
}

// held returns a function that lists the locks held: W for exclusive and R for
// shared ones, with a question mark for those that are held on some paths only.
// Local values are numbered as they appear, to be independent of SSA.
func held() func(*lockset.State) string {
	numbers := make(map[string]string)
	local := regexp.MustCompile(`\b[vn][0-9]+`)
	return func(st *lockset.State) string {
		var list []string
		for _, h := range st.Held {
			text := map[lockset.Mode]string{lockset.Shared: "R ", lockset.Exclusive: "W "}[h.Mode] + string(h.Path)
			if !h.Must {
				text += "?"
			}
			text = local.ReplaceAllStringFunc(text, func(v string) string {
				if numbers[v] == "" {
					numbers[v] = v[:1] + strconv.Itoa(len(numbers))
				}
				return numbers[v]
			})
			list = append(list, text)
		}
		if len(list) == 0 {
			return "-"
		}
		return strings.Join(list, ", ")
	}
}

// declarations that most snippets share.
const types1 = `
type S struct {
	mu  sync.Mutex
	mu2 sync.Mutex
	rw  sync.RWMutex
	n   int
}
`

// knownBugs lists the tests that fail for a reason that is known and not yet
// done away with.
var knownBugs = map[string]string{
	"results of calls, one of two":                     "a release that may be of either of two locks is taken for that of a caller's",
	"callee may give up the lock":                      "a release on some paths takes the lock out of the may-part",
	"hand over hand with two variables":                "a lock reached through two variables is renamed twice, and stays held under one name",
	"the object outlives its place":                    "a lock whose path is reassigned is forgotten, and its release taken for that of a caller's lock",
	"captured variable reassigned":                     "stores to variables in the heap do not reassign",
	"element reassigned":                               "stores to elements do not reassign",
	"the lock itself reassigned":                       "a store to a pointer to a lock does not reassign",
	"TryLock in a variable that is looked at twice":    "failure does not take the lock out of the may-part",
	"TryLock in a variable that is looked at too late": "each test of the result takes the lock anew",
	"unlock deferred under a condition":                "a conditional deferred unlock of a lock held in any case is ignored",
	"either of two deferred unlocks":                   "a conditional deferred unlock of a lock held in any case is ignored",
	"given up and retaken by defer under a branch":     "a conditional deferred lock is not matched with the unlock beside it",
}

func TestFlow(t *testing.T) {
	type point = map[string]string
	for _, test := range []struct {
		name string
		src  string
		want point
	}{
		// Plain sections.
		{"lock and unlock", types1 + `func (s *S) f() {
			probe("before")
			s.mu.Lock()
			probe("in")
			s.mu.Unlock()
			probe("after")
		}`, point{"before": "-", "in": "W p0.mu", "after": "-", "return": "-"}},
		{"two locks", types1 + `func (s *S) f() {
			s.mu2.Lock()
			s.mu.Lock()
			probe("both")
			s.mu2.Unlock()
			probe("one")
			s.mu.Unlock()
		}`, point{"both": "W p0.mu, W p0.mu2", "one": "W p0.mu", "return": "-"}},
		{"same field of two objects", types1 + `func f(a, b *S) {
			a.mu.Lock()
			b.mu.Lock()
			a.mu.Unlock()
			probe("b")
			b.mu.Unlock()
		}`, point{"b": "W p1.mu", "return": "-"}},
		{"early unlock and return", types1 + `func (s *S) f() {
			s.mu.Lock()
			if cond() {
				s.mu.Unlock()
				probe("early")
				return
			}
			probe("late")
			s.mu.Unlock()
		}`, point{"early": "-", "late": "W p0.mu", "return": "-"}},
		{"unlocked on one path", types1 + `func (s *S) f() {
			s.mu.Lock()
			if cond() {
				s.mu.Unlock()
			}
			probe("joined")
		}`, point{"joined": "W p0.mu?", "return": "W p0.mu?"}},
		{"locked on one path", types1 + `func (s *S) f() {
			if cond() {
				s.mu.Lock()
			}
			probe("joined")
		}`, point{"joined": "W p0.mu?", "return": "W p0.mu?"}},
		{"locked on both paths", types1 + `func (s *S) f() {
			if cond() {
				s.mu.Lock()
			} else {
				s.mu.Lock()
				work()
			}
			probe("joined")
		}`, point{"joined": "W p0.mu", "return": "W p0.mu"}},
		{"switch", types1 + `func (s *S) f(k int) {
			s.mu.Lock()
			switch k {
			case 0:
				s.mu.Unlock()
				return
			case 1:
				s.mu.Unlock()
				work()
				s.mu.Lock()
			}
			probe("after")
			s.mu.Unlock()
		}`, point{"after": "W p0.mu", "return": "-"}},
		{"panic leaves", types1 + `func (s *S) f() {
			s.mu.Lock()
			if cond() {
				s.mu.Unlock()
				panic("gone")
			}
			probe("in")
		}`, point{"in": "W p0.mu", "return": "W p0.mu"}},
		{"panic that is recovered", types1 + `func (s *S) f() {
			defer func() { recover() }()
			s.mu.Lock()
			defer s.mu.Unlock()
			if cond() {
				panic("caught")
			}
			probe("in")
		}`, point{"in": "W p0.mu", "return": "-"}},
		{"unreachable code is not visited", types1 + `func (s *S) f() {
			s.mu.Lock()
			for {
				probe("loop")
			}
			probe("dead")
		}`, point{"loop": "W p0.mu"}},
		{"go statement", types1 + `func (s *S) f() {
			go s.mu.Lock()
			probe("after")
		}`, point{"after": "-", "return": "-"}},

		// Loops.
		{"lock kept through a loop", types1 + `func (s *S) f() {
			s.mu.Lock()
			for cond() {
				probe("loop")
			}
			probe("after")
			s.mu.Unlock()
		}`, point{"loop": "W p0.mu", "after": "W p0.mu", "return": "-"}},
		{"section per iteration", types1 + `func (s *S) f() {
			for cond() {
				probe("top")
				s.mu.Lock()
				probe("in")
				s.mu.Unlock()
			}
		}`, point{"top": "-", "in": "W p0.mu", "return": "-"}},
		{"relocked in the loop", types1 + `func (s *S) f() {
			s.mu.Lock()
			for cond() {
				s.mu.Unlock()
				probe("out")
				s.mu.Lock()
			}
			probe("after")
			s.mu.Unlock()
		}`, point{"out": "-", "after": "W p0.mu", "return": "-"}},
		{"left by break and continue", types1 + `func (s *S) f() {
			for cond() {
				s.mu.Lock()
				if cond() {
					s.mu.Unlock()
					continue
				}
				if cond() {
					break
				}
				s.mu.Unlock()
			}
			probe("after")
		}`, point{"after": "W p0.mu?", "return": "W p0.mu?"}},

		// defer.
		{"deferred unlock", types1 + `func (s *S) f() {
			s.mu.Lock()
			defer s.mu.Unlock()
			probe("in")
			if cond() {
				probe("early")
				return
			}
			probe("late")
		}`, point{"in": "W p0.mu", "early": "W p0.mu", "late": "W p0.mu", "return": "-"}},
		{"lock and unlock under a condition", types1 + `func (s *S) f(locked bool) {
			if !locked {
				s.mu.Lock()
				defer s.mu.Unlock()
			}
			probe("joined")
		}`, point{"joined": "W p0.mu?", "return": "-"}},
		{"lock deferred under a condition", types1 + `func (s *S) f() {
			if cond() {
				defer s.mu.Lock()
			}
			probe("in")
		}`, point{"in": "-", "return": "W p0.mu?"}},
		{"either of two deferred unlocks", types1 + `func (s *S) f() {
			s.mu.Lock()
			if cond() {
				defer s.mu.Unlock()
			} else {
				defer s.mu.Unlock()
			}
			probe("in")
		}`, point{"in": "W p0.mu", "return": "W p0.mu?"}},
		{"unlock deferred under a condition", types1 + `func (s *S) f(keep bool) {
			s.mu.Lock()
			if !keep {
				defer s.mu.Unlock()
			}
			probe("in")
		}`, point{"in": "W p0.mu", "return": "W p0.mu?"}},
		{"one defer, several locks", types1 + `func (s *S) f() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.mu.Unlock()
			probe("gap")
			s.mu.Lock()
			probe("again")
		}`, point{"gap": "-", "again": "W p0.mu", "return": "-"}},
		{"defers run last to first", types1 + `func (s *S) f() {
			s.mu.Lock()
			defer s.mu.Lock()
			defer s.mu.Unlock()
			probe("in")
		}`, point{"in": "W p0.mu", "return": "W p0.mu"}},
		{"defer in a loop", types1 + `func f(list []*S) {
			for i := range list {
				s := list[i]
				s.mu.Lock()
				defer s.mu.Unlock()
				probe("loop")
			}
		}`, point{"loop": "W p0[v0.+0:+[=1]].mu", "return": "-"}},
		{"defer of one lock in a loop that runs once", types1 + `func (s *S) f() {
			for cond() {
				s.mu.Lock()
				defer s.mu.Unlock()
				probe("in")
				return
			}
			probe("none")
		}`, point{"in": "W p0.mu", "none": "-", "return": "-"}},
		{"defer after an early return", types1 + `func (s *S) f() {
			if cond() {
				return
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			probe("in")
		}`, point{"in": "W p0.mu", "return": "-"}},

		// TryLock.
		{"TryLock in a condition", types1 + `func (s *S) f() {
			if s.mu.TryLock() {
				probe("got")
				s.mu.Unlock()
			} else {
				probe("not")
			}
		}`, point{"got": "W p0.mu", "not": "-", "return": "-"}},
		{"TryLock negated", types1 + `func (s *S) f() {
			if !s.mu.TryLock() {
				probe("not")
				return
			}
			probe("got")
			s.mu.Unlock()
		}`, point{"got": "W p0.mu", "not": "-", "return": "-"}},
		{"TryLock in a variable", types1 + `func (s *S) f() {
			ok := s.mu.TryLock()
			if ok {
				probe("got")
				s.mu.Unlock()
			} else {
				probe("not")
			}
		}`, point{"got": "W p0.mu", "not": "-", "return": "-"}},
		{"TryLock compared", types1 + `func (s *S) f() {
			if s.mu.TryLock() == false {
				probe("not")
				return
			}
			probe("got")
		}`, point{"got": "W p0.mu", "not": "-", "return": "- | W p0.mu"}},
		{"TryLock after and", types1 + `func (s *S) f() {
			if cond() && s.mu.TryLock() {
				probe("got")
				s.mu.Unlock()
				return
			}
			probe("not")
		}`, point{"got": "W p0.mu", "not": "-", "return": "-"}},
		{"TryLock in a loop", types1 + `func (s *S) f() {
			for !s.mu.TryLock() {
				probe("spin")
			}
			probe("got")
		}`, point{"spin": "-", "got": "W p0.mu", "return": "W p0.mu"}},
		{"TryLock with defer", types1 + `func (s *S) f() bool {
			if !s.mu.TryLock() {
				return false
			}
			defer s.mu.Unlock()
			probe("got")
			return true
		}`, point{"got": "W p0.mu", "return": "-"}},
		{"TryLock, then Lock", types1 + `func (s *S) f() {
			if !s.mu.TryLock() {
				work()
				s.mu.Lock()
			}
			probe("got")
			s.mu.Unlock()
		}`, point{"got": "W p0.mu", "return": "-"}},
		{"TryRLock", types1 + `func (s *S) f() {
			if s.rw.TryRLock() {
				probe("got")
				s.rw.RUnlock()
			}
		}`, point{"got": "R p0.rw", "return": "-"}},
		{"TryLock negated in a variable", types1 + `func (s *S) f() {
			busy := !s.mu.TryLock()
			if busy {
				probe("not")
				return
			}
			probe("got")
			s.mu.Unlock()
		}`, point{"got": "W p0.mu", "not": "-", "return": "-"}},
		{"TryLock in a variable that is looked at twice", types1 + `func (s *S) f() {
			ok := s.mu.TryLock()
			if ok {
				probe("first")
			}
			work()
			if ok {
				probe("second")
				s.mu.Unlock()
			}
		}`, point{"first": "W p0.mu", "second": "W p0.mu", "return": "-"}},
		{"TryLock in a variable that is looked at too late", types1 + `func (s *S) f() {
			ok := s.mu.TryLock()
			if ok {
				s.mu.Unlock()
			}
			if ok {
				probe("late")
			}
		}`, point{"late": "-", "return": "-"}},
		{"an error tells", types1 + `func (s *S) f() error {
			n, err := lockErr(&s.mu)
			if err != nil {
				probe("not")
				return err
			}
			_ = n
			probe("got")
			s.mu.Unlock()
			return nil
		}`, point{"not": "-", "got": "W p0.mu", "return": "-"}},
		{"an error compared the other way", types1 + `func (s *S) f() {
			if _, err := lockErr(&s.mu); nil == err {
				probe("got")
				s.mu.Unlock()
			}
			probe("after")
		}`, point{"got": "W p0.mu", "after": "-", "return": "-"}},
		{"false tells", types1 + `func (s *S) f() {
			if lockUnless(&s.mu) {
				probe("not")
				return
			}
			probe("got")
			s.mu.Unlock()
		}`, point{"not": "-", "got": "W p0.mu", "return": "-"}},

		// Read-write locks.
		{"read lock", types1 + `func (s *S) f() {
			s.rw.RLock()
			defer s.rw.RUnlock()
			probe("in")
		}`, point{"in": "R p0.rw", "return": "-"}},
		{"upgrade", types1 + `func (s *S) f() {
			s.rw.RLock()
			probe("read")
			s.rw.RUnlock()
			probe("gap")
			s.rw.Lock()
			probe("write")
			s.rw.Unlock()
		}`, point{"read": "R p0.rw", "gap": "-", "write": "W p0.rw", "return": "-"}},
		{"either mode is only good for reading", types1 + `func (s *S) f(write bool) {
			if write {
				s.rw.Lock()
			} else {
				s.rw.RLock()
			}
			probe("joined")
		}`, point{"joined": "R p0.rw", "return": "R p0.rw"}},
		{"RLocker", types1 + `func (s *S) f() {
			l := s.rw.RLocker()
			l.Lock()
			probe("read")
			l.Unlock()
			probe("after")
			s.rw.RLocker().Lock()
			probe("again")
			s.rw.RUnlock()
		}`, point{"read": "R p0.rw", "after": "-", "again": "R p0.rw", "return": "-"}},

		// Where a lock can be.
		{"embedded", `
		type S struct { sync.Mutex }
		func (s *S) f() {
			s.Lock()
			probe("in")
			s.Mutex.Unlock()
		}`, point{"in": "W p0.Mutex", "return": "-"}},
		{"embedded by pointer, two levels down", `
		type inner struct { *sync.RWMutex }
		type mid struct { inner }
		type S struct { mid }
		func (s *S) f() {
			s.RLock()
			probe("in")
			s.mid.inner.RWMutex.RUnlock()
		}`, point{"in": "R p0.mid.inner.RWMutex", "return": "-"}},
		{"held by pointer", `
		type S struct { mu *sync.Mutex }
		func (s *S) f() {
			s.mu.Lock()
			probe("in")
			mu := s.mu
			mu.Unlock()
		}`, point{"in": "W p0.mu", "return": "-"}},
		{"package variable", `
		var mu sync.Mutex
		func f() {
			mu.Lock()
			probe("in")
			mu.Unlock()
		}`, point{"in": "W @p#mu", "return": "-"}},
		{"parameter", `func f(mu *sync.Mutex, l sync.Locker) {
			mu.Lock()
			l.Lock()
			probe("in")
			mu.Unlock()
			probe("one")
			l.Unlock()
		}`, point{"in": "W p0, W p1", "one": "W p1", "return": "-"}},
		{"made locally", `func f() {
			var mu sync.Mutex
			mu.Lock()
			probe("in")
			mu.Unlock()
		}`, point{"in": "W n0", "return": "-"}},
		{"in a map, by key", types1 + `func f(m map[string]*S, k, j string) {
			m[k].mu.Lock()
			probe("one")
			m[j].mu.Lock()
			probe("two")
			m[k].mu.Unlock()
			probe("other")
			m[j].mu.Unlock()
		}`, point{"one": "W p0[p1].mu", "two": "W p0[p1].mu, W p0[p2].mu", "other": "W p0[p2].mu", "return": "-"}},
		{"in a map, by constant key", types1 + `func f(m map[string]*S) {
			m["a"].mu.Lock()
			m["b"].mu.Lock()
			m["a"].mu.Unlock()
			probe("b")
		}`, point{"b": `W p0[="b"].mu`, "return": `W p0[="b"].mu`}},
		{"in a slice, by index", types1 + `func f(shards []S, i int) {
			shards[i].mu.Lock()
			probe("i")
			shards[i].mu.Unlock()
			probe("none")
			shards[0].mu.Lock()
			shards[1].mu.Lock()
			shards[0].mu.Unlock()
			probe("1")
		}`, point{"i": "W p0[p1].mu", "none": "-", "1": "W p0[=1].mu", "return": "W p0[=1].mu"}},
		{"in an array, by a computed index", types1 + `
		type T struct { shards [16]S }
		func (t *T) f(h uint) {
			i := h % 16
			t.shards[i].mu.Lock()
			probe("in")
			t.shards[i].mu.Unlock()
		}`, point{"in": "W p0.shards[p1.+0:%[=16]].mu", "return": "-"}},
		{"result of a call, called again", types1 + `
		func shard(k string) *S
		func f(k string) {
			shard(k).mu.Lock()
			probe("in")
			shard(k).mu.Unlock()
			probe("after")
		}`, point{"in": "W v0.mu", "after": "-", "return": "-"}},
		{"results of calls, one of two", types1 + `
		func shard(k string) *S
		func f(j, k string) {
			shard(j).mu.Lock()
			shard(k).mu.Lock()
			probe("in")
			shard(j).mu.Unlock()
			probe("which")
		}`, point{"in": "W v0.mu, W v1.mu", "which": "W v0.mu?, W v1.mu?", "return": "W v0.mu?, W v1.mu?"}},
		{"element in a variable", types1 + `func f(m map[string]*S, k string) {
			s, ok := m[k]
			if !ok {
				return
			}
			s.mu.Lock()
			probe("in")
			m[k].mu.Unlock()
		}`, point{"in": "W p0[p1].mu", "return": "-"}},
		{"range over a map", types1 + `func f(m map[string]*S) {
			for _, s := range m {
				s.mu.Lock()
				probe("in")
				s.mu.Unlock()
			}
			probe("after")
		}`, point{"in": "W p0[v0].mu", "after": "-", "return": "-"}},
		{"generic type", `
		type S[K comparable, V any] struct { mu sync.Mutex; m map[K]V }
		func (s *S[K, V]) f(k K) V {
			s.mu.Lock()
			defer s.mu.Unlock()
			probe("in")
			return s.m[k]
		}`, point{"in": "W p0.mu", "return": "-"}},
		{"type parameter", `func f[L sync.Locker](l L) {
			l.Lock()
			probe("in")
			l.Unlock()
		}`, point{"in": "W p0", "return": "-"}},
		{"pointer to a type parameter", `
		type locker[T any] interface { *T; Lock(); Unlock() }
		func f[T any, P locker[T]](l P) {
			l.Lock()
			probe("in")
			l.Unlock()
		}`, point{"in": "W p0", "return": "-"}},
		{"condition variable", `
		type Q struct { cond *sync.Cond }
		func (q *Q) f() {
			q.cond.L.Lock()
			for cond() {
				q.cond.Wait()
				probe("woken")
			}
			probe("in")
			q.cond.L.Unlock()
		}`, point{"woken": "W p0.cond.L", "in": "W p0.cond.L", "return": "-"}},

		// Locks of other types.
		{"own type with the methods of a lock", `
		type spin struct{ state int32 }
		func (s *spin) Lock()
		func (s *spin) Unlock()
		func (s *spin) TryLock() bool
		func f(s *spin) {
			s.Lock()
			probe("in")
			s.Unlock()
			if s.TryLock() {
				probe("got")
				s.Unlock()
			}
		}`, point{"in": "W p0", "got": "W p0", "return": "-"}},
		{"own generic type with the methods of a lock", `
		type box[T any] struct{ v T }
		func (b *box[T]) Lock() {}
		func (b *box[T]) Unlock() {}
		func f(b *box[int]) {
			b.Lock()
			probe("in")
			b.Unlock()
		}`, point{"in": "W p0", "return": "-"}},
		{"own interface", `
		type rw interface { RLock(); RUnlock() }
		func f(l rw) {
			l.RLock()
			probe("in")
			l.RUnlock()
		}`, point{"in": "R p0", "return": "-"}},
		{"Lock without Unlock", `
		type door struct{}
		func (d *door) Lock()
		func f(d *door) {
			d.Lock()
			probe("in")
		}`, point{"in": "-", "return": "-"}},
		{"other signatures", `
		type account struct{}
		func (a *account) Lock() string
		func (a *account) Unlock() string
		type file struct{}
		func (f *file) Lock() error
		func (f *file) Unlock() error
		func f(a *account, l *file) {
			a.Lock()
			if l.Lock() == nil {
				probe("in")
			}
		}`, point{"in": "-", "return": "-"}},
		{"functions named Lock", `
		func Lock()
		func Unlock()
		func f() {
			Lock()
			probe("in")
		}`, point{"in": "-", "return": "-"}},
		{"a lock per key", `
		type keyed struct{}
		func (k *keyed) Lock(key string)
		func (k *keyed) Unlock(key string)
		func f(l *keyed, a, b string) {
			l.Lock(a)
			l.Lock(b)
			probe("both")
			l.Unlock(a)
			probe("b")
			l.Unlock(b)
		}`, point{"both": "W p0[p1], W p0[p2]", "b": "W p0[p2]", "return": "-"}},
		{"a lock per key that can fail", `
		type keyed struct{}
		func (k *keyed) Lock(ctx context.Context, key string) error
		func (k *keyed) Unlock(key string)
		func f(ctx context.Context, l *keyed, key string) error {
			if err := l.Lock(ctx, key); err != nil {
				probe("failed")
				return err
			}
			defer l.Unlock(key)
			probe("in")
			return nil
		}`, point{"failed": "-", "in": "W p1[p2]", "return": "-"}},

		// Paths that change their meaning.
		{"reassigned under the lock", types1 + `
		type L struct { head *S }
		func (l *L) f(next *S) {
			l.head.mu.Lock()
			probe("old")
			l.head = next
			probe("new")
		}`, point{"old": "W p0.head.mu", "new": "-", "return": "-"}},
		{"another field reassigned", types1 + `
		type L struct { head, tail *S }
		func (l *L) f(next *S) {
			l.head.mu.Lock()
			l.tail = next
			probe("in")
		}`, point{"in": "W p0.head.mu", "return": "W p0.head.mu"}},
		{"the lock itself reassigned", `
		type L struct { mu *sync.Mutex }
		func (l *L) f(mu *sync.Mutex) {
			l.mu.Lock()
			l.mu = mu
			probe("new")
		}`, point{"new": "-", "return": "-"}},
		{"package variable reassigned", types1 + `
		var current *S
		func f(s *S) {
			current.mu.Lock()
			current = s
			probe("new")
		}`, point{"new": "-", "return": "-"}},
		{"element reassigned", types1 + `func f(m map[string]*S, k, j string, s *S) {
			m[k].mu.Lock()
			m[j] = s
			probe("other")
			m[k] = s
			probe("same")
		}`, point{"other": "W p0[p1].mu", "same": "-", "return": "-"}},
		{"captured variable reassigned", types1 + `func f(a, b *S) {
			s := a
			g := func() *S { return s }
			s.mu.Lock()
			probe("old")
			s = b
			probe("new")
			g()
		}`, point{"old": "W v0.mu", "new": "-", "return": "-"}},
		{"the object outlives its place", types1 + `
		type L struct { head *N }
		type N struct { mu sync.Mutex; next *N }
		func (l *L) f() {
			h := l.head
			h.mu.Lock()
			l.head = h.next
			h.mu.Unlock()
			probe("after")
		}`, point{"after": "-", "return": "-"}},
		{"variable reassigned in a loop", types1 + `
		type N struct { mu sync.Mutex; next *N }
		func f(n *N) {
			for n != nil {
				n.mu.Lock()
				probe("in")
				n.mu.Unlock()
				probe("out")
				n = n.next
			}
			probe("after")
		}`, point{"in": "W v0.mu", "out": "-", "after": "-", "return": "-"}},
		{"forgotten when the variable moves on", types1 + `
		type N struct { mu sync.Mutex; next *N }
		func f(n *N) {
			for n != nil {
				probe("top")
				n.mu.Lock()
				n = n.next
			}
		}`, point{"top": "-", "return": "-"}},
		{"hand over hand", `
		type N struct { mu sync.Mutex; next *N }
		type L struct { head *N }
		func (l *L) f() {
			n := l.head
			n.mu.Lock()
			for n.next != nil {
				probe("one")
				next := n.next
				next.mu.Lock()
				probe("two")
				n.mu.Unlock()
				probe("handed")
				n = next
			}
			probe("last")
			n.mu.Unlock()
			probe("after")
		}`, point{"one": "W v0.mu", "two": "W v0.mu, W v0.next.mu", "handed": "W v0.next.mu", "last": "W v0.mu", "after": "-", "return": "-"}},
		{"hand over hand with two variables", `
		type N struct { mu sync.Mutex; next *N }
		type L struct { head *N }
		func (l *L) f() {
			prev := l.head
			prev.mu.Lock()
			n := prev.next
			n.mu.Lock()
			for n.next != nil {
				probe("two")
				prev.mu.Unlock()
				probe("one")
				prev = n
				n = n.next
				n.mu.Lock()
			}
			prev.mu.Unlock()
			n.mu.Unlock()
			probe("after")
		}`, point{"two": "W v0.mu, W v1.mu", "one": "W v1.mu", "after": "-", "return": "-"}},
		{"either of two locks", types1 + `func (s *S) f() {
			mu := &s.mu
			if cond() {
				mu = &s.mu2
			}
			mu.Lock()
			probe("in")
			mu.Unlock()
		}`, point{"in": "W v0", "return": "-"}},

		// Locks of the caller.
		{"given up", types1 + `func (s *S) f() {
			probe("in")
			s.mu.Unlock()
			probe("out")
		}`, point{"in": "W p0.mu", "out": "-", "return": "-", "given": "p0.mu"}},
		{"given up and retaken", types1 + `func (s *S) f() {
			s.mu.Unlock()
			defer s.mu.Lock()
			probe("out")
		}`, point{"out": "-", "return": "W p0.mu", "given": "p0.mu"}},
		{"given up and retaken under a branch", types1 + `func (s *S) f() {
			if cond() {
				s.mu.Unlock()
				probe("out")
				s.mu.Lock()
			}
			probe("joined")
		}`, point{"out": "-", "joined": "W p0.mu", "return": "W p0.mu", "given": "p0.mu"}},
		{"given up and retaken by defer under a branch", types1 + `func (s *S) f() {
			if cond() {
				s.mu.Unlock()
				defer s.mu.Lock()
				probe("out")
			}
			probe("joined")
		}`, point{"out": "-", "joined": "W p0.mu?", "return": "W p0.mu", "given": "p0.mu"}},
		{"two locks of the caller", types1 + `func (s *S) f() {
			s.mu.Unlock()
			probe("one")
			s.rw.RUnlock()
		}`, point{"one": "R p0.rw", "return": "-", "given": "p0.mu p0.rw"}},
		{"own lock after the caller's", types1 + `func (s *S) f() {
			s.mu2.Lock()
			s.mu.Unlock()
			probe("in")
			s.mu2.Unlock()
		}`, point{"in": "W p0.mu2", "return": "-", "given": "p0.mu"}},

		// Effects of callees.
		{"callee may take the lock", types1 + `func (s *S) f() {
			mayLock(&s.mu)
			probe("may")
			s.mu.Lock()
			probe("must")
			mayLock(&s.mu)
			probe("still")
			s.mu.Unlock()
		}`, point{"may": "W p0.mu?", "must": "W p0.mu", "still": "W p0.mu", "return": "-"}},
		{"callee may give up the lock", types1 + `func (s *S) f() {
			s.mu.Lock()
			mayUnlock(&s.mu)
			probe("may")
			s.mu.Unlock()
		}`, point{"may": "W p0.mu?", "return": "-"}},
		{"callee may give up a lock that is not held", types1 + `func (s *S) f() {
			mayUnlock(&s.mu)
			probe("none")
		}`, point{"none": "-", "return": "-"}},
		{"callee gives up and retakes", types1 + `func (s *S) f() {
			s.mu.Lock()
			split(&s.mu)
			probe("in")
			s.mu.Unlock()
		}`, point{"in": "W p0.mu", "return": "-"}},
		{"callee gives up and retakes the caller's", types1 + `func (s *S) f() {
			split(&s.mu)
			probe("in")
		}`, point{"in": "W p0.mu", "return": "W p0.mu", "given": "p0.mu"}},

		// Channels.
		{"channel as lock", `
		type T struct { sem chan struct{} }
		func (t *T) f() {
			t.sem <- struct{}{}
			probe("in")
			<-t.sem
			probe("after")
		}`, point{"in": "W p0.sem", "after": "-", "return": "-"}},
		{"channel as lock, in select", `
		type T struct { sem chan struct{} }
		func (t *T) f(done chan int) {
			select {
			case t.sem <- struct{}{}:
				probe("in")
			case <-done:
				probe("done")
				return
			}
			probe("after")
			<-t.sem
		}`, point{"in": "W p0.sem", "done": "-", "after": "W p0.sem", "return": "-"}},
		{"channel as lock, in select with default", `
		type T struct { sem chan struct{} }
		func (t *T) f() {
			select {
			case t.sem <- struct{}{}:
			default:
				probe("busy")
				return
			}
			probe("in")
			<-t.sem
		}`, point{"busy": "-", "in": "W p0.sem", "return": "-"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := compile(t, test.src)
			got := s.states(held())
			for _, g := range s.flow.Given() {
				got["given"] = strings.TrimSpace(got["given"] + " " + string(g.Path))
			}
			var wrong []string
			for name, want := range test.want {
				if got[name] != want {
					wrong = append(wrong, fmt.Sprintf("%s: got %q, want %q", name, got[name], want))
				}
				delete(got, name)
			}
			for name, text := range got {
				wrong = append(wrong, fmt.Sprintf("unexpected %s: %q", name, text))
			}
			report(t, knownBugs[test.name], wrong)
		})
	}
}

// report fails the test unless what is wrong is known.
func report(t *testing.T, known string, wrong []string) {
	if len(wrong) > 0 && known != "" {
		t.Skip("known: " + known)
	}
	for _, w := range wrong {
		t.Error(w)
	}
}

// TestSites asserts which instructions may have taken a lock: two points with
// different sites are in different passages through it, and what was read at
// one may be stale at the other.
func TestSites(t *testing.T) {
	for _, test := range []struct {
		name string
		src  string
		want map[string]string
	}{
		{"one section", types1 + `func (s *S) f() {
			s.mu.Lock() //A
			probe("a")
			work()
			probe("b")
			s.mu.Unlock()
		}`, map[string]string{"a": "A", "b": "A"}},
		{"two sections", types1 + `func (s *S) f() {
			s.mu.Lock() //A
			probe("a")
			s.mu.Unlock()
			s.mu.Lock() //B
			probe("b")
			s.mu.Unlock()
		}`, map[string]string{"a": "A", "b": "B"}},
		{"relocked in a loop", types1 + `func (s *S) f() {
			s.mu.Lock() //A
			for cond() {
				probe("top")
				s.mu.Unlock()
				s.mu.Lock() //B
				probe("bottom")
			}
			probe("after")
			s.mu.Unlock()
		}`, map[string]string{"top": "A B", "bottom": "B", "after": "A B"}},
		{"relocked on one path", types1 + `func (s *S) f() {
			s.mu.Lock() //A
			if cond() {
				s.mu.Unlock()
				s.mu.Lock() //B
			}
			probe("joined")
			s.mu.Unlock()
		}`, map[string]string{"joined": "A B"}},
		{"upgraded", types1 + `func (s *S) f() {
			s.rw.RLock() //A
			probe("a")
			s.rw.RUnlock()
			s.rw.Lock() //B
			probe("b")
			s.rw.Unlock()
		}`, map[string]string{"a": "A", "b": "B"}},
		{"Cond.Wait", `
		type Q struct { cond *sync.Cond }
		func (q *Q) f() {
			q.cond.L.Lock() //A
			probe("a")
			q.cond.Wait() //B
			probe("b")
			q.cond.L.Unlock()
		}`, map[string]string{"a": "A", "b": "B"}},
		{"Cond.Wait in a loop", `
		type Q struct { cond *sync.Cond }
		func (q *Q) f() {
			q.cond.L.Lock() //A
			for cond() {
				q.cond.Wait() //B
			}
			probe("after")
			q.cond.L.Unlock()
		}`, map[string]string{"after": "A B"}},
		{"split by a callee", types1 + `func (s *S) f() {
			s.mu.Lock() //A
			split(&s.mu) //B
			probe("after")
			s.mu.Unlock()
		}`, map[string]string{"after": "B"}},
		{"perhaps split by a callee", types1 + `func (s *S) f() {
			s.mu.Lock() //A
			maySplit(&s.mu) //B
			probe("after")
			s.mu.Unlock()
		}`, map[string]string{"after": "A B"}},
		{"the caller's lock", types1 + `func (s *S) f() {
			probe("caller")
			s.mu.Unlock()
			s.mu.Lock() //A
			probe("own")
		}`, map[string]string{"caller": "caller", "own": "A"}},
		{"the caller's lock on one path", types1 + `func (s *S) f() {
			if cond() {
				s.mu.Unlock()
				s.mu.Lock() //A
			}
			probe("joined")
		}`, map[string]string{"joined": "caller A"}},
		{"TryLock or Lock", types1 + `func (s *S) f() {
			if !s.mu.TryLock() { //A
				s.mu.Lock() //B
			}
			probe("in")
			s.mu.Unlock()
		}`, map[string]string{"in": "A B"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := compile(t, test.src)
			got := s.states(s.sites)
			for name, want := range test.want {
				if got[name] != want {
					t.Errorf("%s: got %q, want %q", name, got[name], want)
				}
			}
		})
	}
}

// sites lists the marks of the lines at which the held lock may have been taken.
func (s *snippet) sites(st *lockset.State) string {
	var list []string
	for _, h := range st.Held {
		for _, site := range h.Sites {
			if site == lockset.Entry {
				list = append(list, "caller")
				continue
			}
			for _, b := range s.fn.Blocks {
				if first := s.flow.Ordinal(b, 0); first <= site && site < first+len(b.Instrs) {
					list = append(list, s.marks[s.fset.Position(b.Instrs[site-first].Pos()).Line])
				}
			}
		}
	}
	return strings.Join(list, " ")
}

// TestBounds: work is bounded by counts. What exceeds them is given up, not
// guessed.
func TestBounds(t *testing.T) {
	// A function that gives up ever more locks of its caller.
	var src strings.Builder
	src.WriteString(types1 + "func f(list []*S) {\n")
	for i := range 20 {
		fmt.Fprintf(&src, "list[%d].mu.Unlock()\n", i)
	}
	src.WriteString("}\n")
	if n := len(compile(t, src.String()).flow.Given()); n == 0 || n > 8 {
		t.Errorf("%d locks of the caller are followed, want a few", n)
	}

	// Many branches: linear time is not asserted, but anything exponential
	// would not end.
	src.Reset()
	src.WriteString(types1 + "func (s *S) f() {\n")
	for i := range 300 {
		fmt.Fprintf(&src, "if cond() { s.mu.Lock(); if cond() { s.mu.Unlock(); return }; defer s.mu.Unlock(); s.n = %d }\n", i)
	}
	src.WriteString("}\n")
	compile(t, src.String())
}
