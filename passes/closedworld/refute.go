package closedworld

import (
	"fmt"
	"slices"
	"strings"
)

// Refutes reports whether the world refutes a finding that rests on some pairs, with the reason.
func (w *World) Refutes(pairs []Pair) (reason string, ok bool) {
	if len(pairs) == 0 || w.lost {
		return "", false
	}
	var reasons []string
	for _, p := range pairs {
		reason, ok := w.apart(p)
		if !ok {
			return "", false
		}
		if !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	return strings.Join(reasons, "; "), true
}

// apart reports whether no context of the one root of a pair runs beside one of the other, on one
// object.
func (w *World) apart(p Pair) (reason string, ok bool) {
	own := w.Holds(p.Own)
	as, bs := w.rootContexts(p.A, own), w.rootContexts(p.B, own)
	for _, side := range []struct {
		root Root
		in   []Context
	}{{p.A, as}, {p.B, bs}} {
		if len(side.in) == 0 {
			return fmt.Sprintf("nothing in the program calls %s on an object that others can have", short(side.root.Name)), true
		}
	}
	var reasons []string
	for _, a := range as {
		for _, b := range bs {
			reason, ok := w.separate(a, b, own)
			if !ok {
				return "", false
			}
			if !slices.Contains(reasons, reason) {
				reasons = append(reasons, reason)
			}
		}
	}
	slices.Sort(reasons)
	reason = strings.Join(reasons, ", ")
	if p.A == p.B || p.B.Kind != Entry {
		return short(p.A.Name) + ": " + reason, true
	}
	if p.A.Kind != Entry {
		return short(p.B.Name) + ": " + reason, true
	}
	return fmt.Sprintf("%s and %s: %s", short(p.A.Name), short(p.B.Name), reason), true
}

// rootContexts returns the contexts of a root of a unit: its own, if it is no entry. If own is set
// it is about what belongs to the receiver.
func (w *World) rootContexts(r Root, own bool) []Context {
	switch {
	case r.Kind == Entry:
		return slices.DeleteFunc(slices.Clone(w.Contexts(r.Name)), func(x Context) bool { return own && x.Fresh })
	case !w.counts(r):
		return nil
	}
	return []Context{{Root: r, Mine: true}}
}

// separate reports whether two contexts never run at the same time on one object, which is that of
// the receivers of both if own is set.
func (w *World) separate(a, b Context, own bool) (reason string, ok bool) {
	for _, l := range a.Locks {
		i := slices.IndexFunc(b.Locks, func(o Lock) bool { return o.Class == l.Class })
		if i < 0 {
			continue
		}
		if o := b.Locks[i]; !(l.Shared && o.Shared) && (own || l.Global && o.Global) {
			return "all callers hold " + short(l.Class), true
		}
	}
	switch {
	case a.Kind == Unknown || b.Kind == Unknown:
		return "", false
	case a.isSequential() && b.isSequential():
		return "main, initializers and tests call it, which do one thing after the other", true
	case a.Root == b.Root && (a.Times == PerProgram || a.Times == PerObject && own && a.Mine && b.Mine):
		return fmt.Sprintf("the goroutine started at %s calls it, which is one at a time", a.Name), true
	case w.elsewhere(a.Root, b.Root) || w.elsewhere(b.Root, a.Root):
		return "callers are in different programs", true
	}
	return "", false
}

// isSequential reports whether a root is main or tests.
func (r Root) isSequential() bool { return r.Kind == Main || r.Kind == Tests }

// elsewhere reports whether root a is in one program only, which does not contain b.
func (w *World) elsewhere(a, b Root) bool {
	program := w.program(a)
	if program == "" {
		return false
	}
	if other := w.program(b); other != "" {
		return other != program
	}
	return !w.contains(program, b.Package)
}

// short returns the name in the key of a function or of a class of locks as messages show it:
// (*Server).Close, Server.mu.
func short(key string) string {
	_, name := qualified(key)
	return name
}
