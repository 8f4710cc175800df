package process

import (
	"go/ast"
	"go/token"
	"iter"
	"slices"
	"strings"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"golang.org/x/tools/go/ssa"
)

// A Func is a function of the package that is being analyzed, with the locks that its
// callers hold.
type Func struct {
	*funcsum.Body
	// Entry are the locks that all callers hold at the call.
	Entry []lockset.Guard
	// constructs says that the function runs only on objects before their publication.
	constructs bool
	contexts   []Context
	// times says how often the function runs, and own for which of its operands, if that is once
	// per object: see multiplicities.
	times multiplicity
	own   owned
	// ends says that the function runs at most once per object, as it ends that: see endsObject.
	ends bool
	// plain is the resolver of a function that has no summary: see resolver.
	plain *accesspath.Resolver
	// roles are the roles of the goroutines that run the function: see findRoles.
	roles []role
	// joined are the groups that have been waited for when the function starts, and waits
	// its own waits: see findJoined.
	joined []accesspath.Location
	waits  []wait
}

// Resolver returns a resolver of f. In a function without a summary it does not follow
// the results of calls.
func (f *Func) Resolver() *accesspath.Resolver {
	if f.Res != nil {
		return f.Res
	}
	if f.plain == nil {
		f.plain = accesspath.NewResolver(f.Fn, nil, nil)
	}
	return f.plain
}

// FoundIn reports whether the object at a path is an element of a container, or a part of one.
func (f *Func) FoundIn(object accesspath.Path, container accesspath.Location) bool {
	for ; object != accesspath.Unknown && object != object.Root(); object = object.Parent() {
		in := object.Parent()
		if object.IsElement() && (f.Resolver().Locate(in) == container || in.IsGlobal() && accesspath.Location(in) == container) {
			return true
		}
	}
	return false
}

// Constructs reports whether f runs only on objects before their publication.
func (f *Func) Constructs() bool { return f.constructs }

// RunsOnce reports whether f runs in the function of a sync.Once.
func (f *Func) RunsOnce() bool {
	return slices.ContainsFunc(f.Entry, isOnce)
}

func isOnce(g lockset.Guard) bool { return g.Mode == lockset.Once }

// A beginning is the start of a goroutine once per object, as seen from a function on the way from the one that makes the object.
type beginning struct {
	f   *Func
	at  ssa.Instruction // the start, or the call that leads to it
	own owned           // the object in f
}

// An earlier is what happens before a goroutine that is started once per object.
type earlier struct {
	way []beginning   // from the start to the function that makes the object
	in  map[int]owned // the functions on the way and those that only run before the start, with the object in them
}

// Processes says which functions of a package may run concurrently, and which locks their
// callers hold.
type Processes struct {
	*funcsum.Summaries
	// Funcs are the functions by number, in the order of the call graph.
	Funcs []*Func
	// Procs says which functions run concurrently, by number.
	Procs *Graph
	// sitesOf are the uses of each function, and isOpen says whether there are others, by
	// number.
	sitesOf   [][]site
	isOpen    []bool
	spawns    []bool     // see findSpawns
	receives  []bool     // see receivesInLoop
	calls     *Graph     // see allCalls
	exclusive *exclusive // see exclusives
	// docs are the doc comments of functions, by the position of the name.
	docs map[token.Pos]*ast.CommentGroup
	// fields are the locks that annotations name for fields.
	fields                  map[accesspath.Location][]accesspath.Location
	rolesKnown, joinedKnown bool
	// instances are the results of instanceOf by root, and shared are the locations that are no
	// owner's: see isExclusive.
	instances map[int]map[int]owned
	shared    map[accesspath.Location]bool
	earlier   map[int]earlier              // see earlierThan
	handing   map[accesspath.Location]bool // see handsOver
	latches   map[accesspath.Location]bool // see isLatch
	waits     map[waitsTo][]wait           // see waitsOf
}

// Sharing returns the functions that may run on published objects, tests and forwarders excepted.
func (p *Processes) Sharing() iter.Seq[*Func] {
	return func(yield func(*Func) bool) {
		for _, f := range p.Funcs {
			if f.State == funcsum.Built && !f.constructs && !f.Test && !f.Forwards() && !yield(f) {
				return
			}
		}
	}
}

// Of returns the Func of a node of the call graph.
func (p *Processes) Of(f *callgraph.Node) *Func { return p.Funcs[f.ID] }

// Alone reports whether only main, tests and initializers reach f.
func (p *Processes) Alone(f *Func) bool { return p.Procs.Alone(f.ID) }

// MayRunTogether reports whether f and g can run concurrently, on an object that is their own if
// there is one goroutine for each object.
func (p *Processes) MayRunTogether(f, g *Func) bool { return p.Procs.Concurrent(f.ID, g.ID) }

// IsRoot reports whether a process starts at f, or at a function that only calls f.
func (p *Processes) IsRoot(f *Func) bool { return p.Procs.IsRoot(f.ID) || p.Entered(f.Node) && !f.Test }

// HeldThrough returns the classes of the locks that are held on every path from access a
// to access b without a release.
func (f *Func) HeldThrough(a, b *funcsum.Event) []accesspath.Location { return classes(f.Held(a, b)) }

// KeepsOut reports whether a lock that g must hold at an access is held from a to b, so that the access does not come
// between them.
func (f *Func) KeepsOut(a, b *funcsum.Event, g *Func, access *funcsum.Event) bool {
	needed := g.guardsAt(access)
	return slices.ContainsFunc(f.Held(a, b), func(held lockset.Guard) bool {
		return slices.ContainsFunc(needed, func(l lockset.Guard) bool {
			return l.Class == held.Class && (l.Mode != lockset.Shared || held.Mode != lockset.Shared) // readers let each other in
		})
	})
}

// HeldForward is like HeldThrough, for the paths that take no back edge of a loop.
func (f *Func) HeldForward(a, b *funcsum.Event) []accesspath.Location {
	return classes(f.held(a, b, true))
}

// GuardsForward returns the guards whose classes HeldForward returns.
func (f *Func) GuardsForward(a, b *funcsum.Event) []lockset.Guard { return f.held(a, b, true) }

func classes(guards []lockset.Guard) []accesspath.Location {
	var out []accesspath.Location
	for _, g := range guards {
		out = append(out, g.Class)
	}
	return out
}

// Held returns the locks that are held on every path from access a to access b without a
// release, those of all callers included.
func (f *Func) Held(a, b *funcsum.Event) []lockset.Guard { return f.held(a, b, false) }

func (f *Func) held(a, b *funcsum.Event, forward bool) []lockset.Guard {
	out := f.Order().Held(a, b, forward)
	for _, g := range f.Entry {
		if !f.Flow.Gives(g.Path) {
			out = append(out, g)
		}
	}
	return out
}

// Locks returns the classes of the locks that are held at access e of f, those that all
// callers hold included.
func (f *Func) Locks(e *funcsum.Event) []accesspath.Location {
	out := classes(f.guardsAt(e))
	slices.Sort(out)
	return slices.Compact(out)
}

// guardsAt returns the locks that are held at access e of f, those that all callers hold included.
func (f *Func) guardsAt(e *funcsum.Event) []lockset.Guard {
	var out []lockset.Guard
	for _, h := range e.Holds {
		if h.Class != "" && !h.IsAtomic() {
			out = append(out, h.Guard)
		}
	}
	for _, g := range f.Entry {
		if g.Class != "" && !f.Flow.InState(g.Path) {
			out = append(out, g)
		}
	}
	return out
}

// A site is a call, or another use, of a function of the package.
type site struct {
	caller *Func
	call   callgraph.Call
	held   []lockset.Guard // in the terms of the caller
	// fresh says that the receiver is an object that has not been published.
	fresh bool
}

// OnlyCalled reports whether all uses of f are calls by functions of the package, and has
// reports true for those that may be on published objects outside of tests.
func (p *Processes) OnlyCalled(f *Func, has func(caller *Func, at ssa.Instruction) bool) bool {
	return !p.isOpen[f.ID] && !slices.ContainsFunc(p.sitesOf[f.ID], func(s site) bool {
		return s.call.Instr == nil || !s.caller.Test && !p.beforePublication(s) && !has(s.caller, s.call.Instr)
	})
}

// Callers yields the functions that call f outside of tests, with the calls.
func (p *Processes) Callers(f *Func) iter.Seq2[*Func, ssa.Instruction] {
	return func(yield func(*Func, ssa.Instruction) bool) {
		for _, s := range p.sitesOf[f.ID] {
			if s.call.Kind == fact.Called && s.call.Instr != nil && !s.caller.Test && !yield(s.caller, s.call.Instr) {
				return
			}
		}
	}
}

// OnlyReachedBy reports whether all calls of f outside of tests, by way of other functions too, come from g.
func (p *Processes) OnlyReachedBy(f, g *Func) bool {
	seen := make(map[*Func]bool)
	var only func(f *Func) bool
	only = func(f *Func) bool {
		if f == g || seen[f] {
			return true
		}
		seen[f] = true
		return len(p.sitesOf[f.ID]) > 0 && p.OnlyCalled(f, func(caller *Func, _ ssa.Instruction) bool { return only(caller) })
	}
	return only(f)
}

// A Context is a lock that some caller of a function holds at the call.
type Context struct {
	lockset.Guard
	Caller string // name of the caller, for messages
}

// A role is the goroutine that accesses location loc of the object at base without a lock.
type role struct {
	loc  accesspath.Location
	base accesspath.Path
	// writes is set if the function with the role may write the location.
	writes bool
}

// same reports whether two roles are that of one goroutine.
func (r role) same(o role) bool { return r.loc == o.loc && r.base == o.base }

func (r role) compare(o role) int {
	if c := strings.Compare(string(r.loc), string(o.loc)); c != 0 {
		return c
	}
	if c := strings.Compare(string(r.base), string(o.base)); c != 0 {
		return c
	}
	switch {
	case r.writes == o.writes:
		return 0
	case r.writes:
		return -1
	}
	return 1
}

// A wait is a call that waits for a group.
type wait struct {
	at    ssa.Instruction
	group accesspath.Location
}

// A waitsTo is a function with its callees to some depth.
type waitsTo struct {
	f     *Func
	depth int
}

// A multiplicity bounds the runs of a function, or of a call.
type multiplicity uint8

const (
	often      multiplicity = iota // no bound is known
	perObject                      // at most once for each object
	perProgram                     // at most once
)

// isOwn reports whether a path names the object that f is a method of: its receiver, or
// what a literal has captured of the receiver of the function that contains it.
func (f *Func) isOwn(path accesspath.Path) bool {
	return path == accesspath.Param(0) || f.Fn.Parent() != nil && path == path.Root() && !path.IsLocal() && !path.IsGlobal()
}

// exclusive has the fields with exclusive objects: see exclusives.
type exclusive struct {
	p *Processes
	// shared are the locations with stores of other values, referred those of them with stores of objects
	// that were there before, and copied the types of structs that are assigned as a whole.
	shared, referred map[accesspath.Location]bool
	copied           map[string]bool
	// makers are the functions of other packages whose results are stored in a location.
	makers map[accesspath.Location][]string
	// allocates says which results of functions of the package are new objects.
	allocates map[result]bool
}

// A result is one of those of a function.
type result struct {
	fn *ssa.Function
	i  int
}
