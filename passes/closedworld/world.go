package closedworld

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/atomvet/atomvet/passes/internal/limit"
)

// A World is the packages of a build, with what is known of the callers outside.
type World struct {
	units map[string]*Unit // by import path
	// closed says of which packages all importers are in the world.
	closed func(pkg string) bool
	// mains are the main packages that are the whole program, nil if there may be others.
	mains []string

	reach map[string]map[string]bool // by program, see contains
	// lost says that the unit of a package in the world is missing.
	lost bool
	// values are functions that unknown code can call, and leaked those that users of the public
	// packages can.
	values, leaked map[string]bool
	dynamic        map[string]string // methods of values in interfaces, to what calls them there
	invoked        map[string]bool   // what the standard library calls through interfaces
	makes          map[string]bool   // functions whose results are new objects
	reflecting     map[string]bool   // packages that call methods by reflection
	public         map[string]bool   // packages that importable ones import: see isPublic
	callers        map[string][]caller
	contexts       map[string][]Context
}

// A caller is a root that calls a function.
type caller struct {
	Root
	own   Own
	fresh bool
	locks []Lock
}

// New returns the world of some units, in any order. A package may have several units, with and
// without its tests. If mains are given, they are the whole program: only what they import is in
// the world, without the tests, and nobody else calls it. Otherwise closed says of which packages
// all importers are in the world.
func New(units []*Unit, closed func(pkg string) bool, mains []string) *World {
	w := &World{
		units: make(map[string]*Unit), closed: closed, mains: mains, reach: make(map[string]map[string]bool),
		values: make(map[string]bool), leaked: make(map[string]bool), dynamic: make(map[string]string), invoked: make(map[string]bool),
		makes: make(map[string]bool), reflecting: make(map[string]bool), public: make(map[string]bool),
		callers: make(map[string][]caller),
	}
	for _, u := range units {
		w.merge(u)
	}
	for _, path := range slices.Sorted(maps.Keys(w.units)) {
		u := w.units[path]
		note(w.invoked, u.Invoked)
		note(w.makes, u.Makes)
		if w.Has(path) {
			w.add(u)
			w.lost = w.lost || slices.ContainsFunc(u.Imports, func(path string) bool { return w.units[path] == nil && path != "unsafe" && path != "C" })
		}
	}
	w.solve()
	return w
}

// merge adds a unit to the other one of its package. What both say is said twice, which does not
// matter.
func (w *World) merge(u *Unit) {
	old := w.units[u.Package]
	if old == nil {
		w.units[u.Package] = u
		return
	}
	sum := &Unit{
		Package: u.Package, Program: old.Program || u.Program, Tested: old.Tested || u.Tested,
		Makes: slices.Concat(old.Makes, u.Makes), Imports: slices.Concat(old.Imports, u.Imports), Roots: slices.Concat(old.Roots, u.Roots), Calls: slices.Clone(old.Calls),
		Handout: old.Handout.and(u.Handout), Tests: old.Tests.and(u.Tests),
	}
	for _, c := range u.Calls {
		c.From += len(old.Roots)
		sum.Calls = append(sum.Calls, c)
	}
	w.units[u.Package] = sum
}

// Has reports whether a package is in the world.
func (w *World) Has(pkg string) bool {
	if w.mains == nil {
		return w.units[pkg] != nil
	}
	return slices.ContainsFunc(w.mains, func(main string) bool { return w.contains(main, pkg) })
}

// contains reports whether a package is in the program of a main package, or, if the name of the
// program ends in .test, in the tests of a package.
func (w *World) contains(program, pkg string) bool {
	in := w.reach[program]
	if in == nil {
		in = make(map[string]bool)
		work := []string{program}
		if tested, ok := strings.CutSuffix(program, testSuffix); ok {
			work = []string{tested, tested + "_test"}
		}
		for len(work) > 0 {
			path := work[len(work)-1]
			work = work[:len(work)-1]
			if u := w.units[path]; u != nil && !in[path] {
				in[path] = true
				work = append(work, u.Imports...)
			}
		}
		w.reach[program] = in
	}
	return in[pkg]
}

const testSuffix = ".test"

// program returns the program that a root is in, if it is in one only.
func (w *World) program(r Root) string {
	switch {
	case r.Kind == Tests || r.Test:
		return strings.TrimSuffix(r.Package, "_test") + testSuffix
	case w.units[r.Package] != nil && w.units[r.Package].Program:
		return r.Package
	}
	return ""
}

// add notes what a unit calls and hands out.
func (w *World) add(u *Unit) {
	for _, c := range u.Calls {
		if r := u.Roots[c.From]; w.counts(r) {
			w.callers[c.To] = append(w.callers[c.To], caller{r, c.Own, c.Fresh, c.Locks})
		}
	}
	out := u.Handout
	if w.mains == nil {
		out = out.and(u.Tests)
	}
	note(w.values, out.Values)
	note(w.leaked, out.Leaked)
	for pkg, keys := range out.Received {
		if w.reflects(pkg) {
			note(w.values, keys)
		}
	}
	for _, m := range out.Dynamic {
		key, as := split(m)
		w.dynamic[key] = as
	}
	if w.mains == nil && w.isPublic(u.Package) {
		w.markPublic(u.Package)
	}
}

// reflects reports whether a package, or one that it depends on, calls methods by reflection.
func (w *World) reflects(pkg string) bool {
	if known, ok := w.reflecting[pkg]; ok {
		return known
	}
	seen := make(map[string]bool)
	work := []string{pkg}
	found := false
	for len(work) > 0 && !found {
		path := work[len(work)-1]
		work = work[:len(work)-1]
		if u := w.units[path]; u != nil && !seen[path] {
			seen[path], found = true, u.Reflects
			work = append(work, u.Imports...)
		}
	}
	w.reflecting[pkg] = found
	return found
}

// isPublic reports whether any code can import a package.
func (w *World) isPublic(pkg string) bool {
	_, internal := Parent(pkg)
	return !internal && !w.units[pkg].Program && !strings.HasSuffix(pkg, "_test")
}

// markPublic notes the packages that a public one depends on: unknown code may get their values.
func (w *World) markPublic(pkg string) {
	work := []string{pkg}
	for len(work) > 0 {
		pkg := work[len(work)-1]
		work = work[:len(work)-1]
		if u := w.units[pkg]; u != nil && !w.public[pkg] {
			w.public[pkg] = true
			work = append(work, u.Imports...)
		}
	}
}

func note(set map[string]bool, names []string) {
	for _, name := range names {
		set[name] = true
	}
}

// and returns what is handed out by either.
func (h Handout) and(o Handout) Handout {
	return Handout{
		Values: slices.Concat(h.Values, o.Values), Leaked: slices.Concat(h.Leaked, o.Leaked),
		Dynamic: slices.Concat(h.Dynamic, o.Dynamic), Invoked: slices.Concat(h.Invoked, o.Invoked),
		Reflects: h.Reflects || o.Reflects, Received: both(h.Received, o.Received),
	}
}

func both(a, b map[string][]string) map[string][]string {
	out := make(map[string][]string)
	maps.Copy(out, a)
	for pkg, keys := range b {
		out[pkg] = slices.Concat(out[pkg], keys)
	}
	return out
}

// counts reports whether a root is in the world: in the whole program there are no tests.
func (w *World) counts(r Root) bool { return w.mains == nil || r.Kind != Tests && !r.Test }

// open reports whether unknown code may call an exported function.
func (w *World) open(key string) bool {
	as, isDynamic := w.dynamic[key]
	if w.values[key] || isDynamic && w.invoked[as] {
		return true
	}
	pkg := Package(key)
	u := w.units[pkg]
	if u == nil || w.mains == nil && !u.Program && !w.closed(pkg) {
		return true
	}
	return w.public[pkg] && (isDynamic || w.leaked[key])
}

// callersOf returns the callers of a function, through interfaces too.
func (w *World) callersOf(key string) []caller {
	if as, ok := w.dynamic[key]; ok {
		return slices.Concat(w.callers[key], w.callers[as])
	}
	return w.callers[key]
}

// A Context is a root that reaches a function, and how.
type Context struct {
	Root
	// Mine says that the receiver, or first argument, of the function is a part of the object of
	// the root.
	Mine bool
	// Fresh says that nobody else has it yet.
	Fresh bool
	Locks []Lock
	// Via is the function of another package that the root calls, if it does not call this one.
	Via string
}

// Contexts returns the contexts of an exported function: its callers outside of its package. The
// list is empty if nothing calls it.
func (w *World) Contexts(key string) []Context {
	if list, ok := w.contexts[key]; ok {
		return list
	}
	if w.open(key) {
		return []Context{unknown}
	}
	return nil
}

var unknown = Context{Root: Root{Kind: Unknown}}

// solve computes the contexts of the functions that are called: the least fixpoint of the calls.
func (w *World) solve() {
	w.contexts = make(map[string][]Context)
	entries := make(map[string][]string) // by function, the functions that it calls
	var work []string
	for key := range w.callers {
		if !strings.HasPrefix(key, dynamic) {
			work = append(work, key)
		}
	}
	for key := range w.dynamic {
		work = append(work, key)
	}
	slices.Sort(work)
	work = slices.Compact(work)
	for _, key := range work {
		if w.open(key) {
			w.contexts[key] = []Context{unknown}
			continue
		}
		for _, c := range w.callersOf(key) {
			if c.Kind == Entry && !slices.Contains(entries[c.Name], key) {
				entries[c.Name] = append(entries[c.Name], key)
			}
		}
	}
	queued := make(map[string]bool)
	for _, key := range work {
		queued[key] = true
	}
	for len(work) > 0 {
		key := work[0]
		work, queued[key] = work[1:], false
		grown := false
		for _, c := range w.callersOf(key) {
			for _, x := range w.given(c) {
				grown = w.extend(key, x) || grown
			}
		}
		if !grown {
			continue
		}
		for _, callee := range entries[key] {
			if !queued[callee] {
				work, queued[callee] = append(work, callee), true
			}
		}
	}
}

// Holds reports whether an object belongs to another one.
func (w *World) Holds(o Own) bool {
	return o.Known && !slices.ContainsFunc(o.If, func(maker string) bool { return !w.makes[maker] })
}

// given returns the contexts that a caller gives to its callee.
func (w *World) given(c caller) []Context {
	own, locks := w.Holds(c.own), []Lock(nil)
	for _, l := range c.locks {
		if l.Global || w.Holds(l.Own) {
			l.Own = NotOwn
			locks = append(locks, l)
		}
	}
	if c.Kind != Entry {
		return []Context{{Root: c.Root, Mine: own, Fresh: c.fresh, Locks: locks}}
	}
	var out []Context
	for _, x := range w.Contexts(c.Name) {
		to := Context{Root: x.Root, Mine: x.Mine && own, Fresh: c.fresh || x.Fresh && own, Locks: slices.Clone(locks), Via: c.Name}
		for _, l := range x.Locks {
			if (l.Global || own) && !slices.ContainsFunc(to.Locks, l.Equal) {
				to.Locks = append(to.Locks, l)
			}
		}
		slices.SortFunc(to.Locks, func(a, b Lock) int { return cmp.Compare(a.Class, b.Class) })
		out = append(out, to)
	}
	return out
}

// covers reports whether whatever runs beside y on some object also runs beside x, as far as can be
// known: then y says nothing beside x.
func (x Context) covers(y Context) bool {
	if x.Kind != Unknown && (x.Root != y.Root || x.Mine && !y.Mine) || x.Fresh && !y.Fresh {
		return false
	}
	return !slices.ContainsFunc(x.Locks, func(l Lock) bool { return !slices.ContainsFunc(y.Locks, l.Equal) })
}

// extend adds a context to a function. It reports whether it says anything new.
func (w *World) extend(key string, x Context) bool {
	list := w.contexts[key]
	if slices.ContainsFunc(list, func(y Context) bool { return y.covers(x) }) {
		return false
	}
	if len(list) == limit.ProgramContexts {
		x = unknown
	}
	w.contexts[key] = append(slices.DeleteFunc(slices.Clone(list), x.covers), x)
	return true
}
