// Package closedworld decides which findings the whole program refutes.
//
// A unit of a build is one package, and the analysis of a unit knows the callers of its
// functions only inside of it. What a package exports, unknown code may call: from several
// goroutines, and with no lock held.
//
//	package store // example.com/m/internal/store
//
//	func (s *Store) Flush() { … } // beside itself, as far as this package knows
//
// In package main, below a directory internal, and if the user says that some main packages
// are the whole program, that code is in the build as well. So a unit leaves two things beside
// its findings:
//
//   - what a finding rests on: the pairs of roots (see [Root]) of which one must be able to run
//     at the same time, as "what calls (*Store).Flush, twice";
//   - its calls (see [Unit]): the functions of other packages that it calls, by which of its own
//     roots, on which object and with which locks held; and the functions that it hands out as
//     values or in interfaces.
//
// When all units are known, the roots that reach each exported function are computed from the
// calls, across packages, by a least fixpoint: see [World.Contexts]. A finding is refuted if none
// of the pairs that it rests on can run at the same time: see [World.Refutes]. A pair cannot if one
// side is not called at all, if both are one goroutine, if all callers of both hold one lock, or if
// they are in different programs.
//
// The decision is a must-analysis: a caller that is not known, such as a call through a function
// value or an interface, or from a package that was not analyzed, runs beside everything, and so
// further callers never refute more.
//
// What cannot be seen, and is not asked for: callers in files for another platform, in C or in
// assembly code, and calls by reflection of the methods of what is in a field of an argument.
package closedworld

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// A Kind is a kind of roots.
type Kind string

const (
	// Entry is an exported function: what calls it from other packages.
	Entry Kind = "entry"
	// Main are main and the initializers, and Tests are the tests of a package. Both do one
	// thing after the other.
	Main  Kind = "main"
	Tests Kind = "tests"
	// Go is a go statement, or what stands for one.
	Go Kind = "go"
	// Unknown is code that calls a function value, or a method through an interface.
	Unknown Kind = "unknown"
)

// Times bounds the runs of a root at the same time.
type Times string

const (
	Often      Times = ""        // no bound is known
	PerObject  Times = "object"  // one for each object
	PerProgram Times = "program" // one
)

// A Root is where a process of a unit starts.
type Root struct {
	Kind Kind `json:"kind"`
	// Package is the import path of the unit. It is not encoded in a Unit.
	Package string `json:"package,omitempty"`
	// Name is the key of the function of an Entry, such as example.com/p#Store.Flush, and the
	// position of a go statement.
	Name  string `json:"name,omitempty"`
	Times Times  `json:"times,omitempty"`
	// Test says that a go statement is in a test.
	Test bool `json:"test,omitempty"`
}

// Own says whether an object belongs to another one: it is that object, or a part of it that no
// other object has.
type Own struct {
	// Known is false if the package does not know it.
	Known bool `json:"known,omitempty"`
	// If are the functions of other packages whose results must be new objects of each call.
	If []string `json:"if,omitempty"`
}

// NotOwn says that an object may belong to any.
var NotOwn Own

// And returns what is so by both.
func (o Own) And(p Own) Own {
	if !o.Known || !p.Known {
		return NotOwn
	}
	out := Own{Known: true, If: slices.Concat(o.If, p.If)}
	slices.Sort(out.If)
	out.If = slices.Compact(out.If)
	return out
}

// Equal reports whether two are the same.
func (o Own) Equal(p Own) bool { return o.Known == p.Known && slices.Equal(o.If, p.If) }

// A Pair is two roots of a unit. What they run are accesses to one object. Own says whether it
// belongs to the object of either root: to the receiver, or first argument, of a call of an Entry.
type Pair struct {
	A   Root `json:"a"`
	B   Root `json:"b"`
	Own Own  `json:"own,omitzero"`
}

// Equal reports whether two pairs are the same.
func (p Pair) Equal(q Pair) bool { return p.A == q.A && p.B == q.B && p.Own.Equal(q.Own) }

// A Lock is held at a call.
type Lock struct {
	Class  string `json:"class"`
	Shared bool   `json:"shared,omitempty"` // as a reader
	// Global says that there is one lock of the class. If it is not set, the receiver, or the
	// first argument, of the call belongs to the object that has the lock, as Own says: there
	// is one such lock for each receiver.
	Global bool `json:"global,omitempty"`
	Own    Own  `json:"own,omitzero"`
}

// Equal reports whether two are the same.
func (l Lock) Equal(o Lock) bool {
	return l.Class == o.Class && l.Shared == o.Shared && l.Global == o.Global && l.Own.Equal(o.Own)
}

// A Call is a call of an exported function of another package, or by a test of one of its own
// package, or of a method through an interface.
type Call struct {
	From int    `json:"from"` // index of the root
	To   string `json:"to"`   // key of the function, or Dynamic of the method
	// Own says whether the receiver, or first argument, belongs to the object of the root: the
	// one that a goroutine is started for, or the receiver of an Entry.
	Own Own `json:"own,omitzero"`
	// Fresh says that nobody else has the receiver, or first argument, yet: what belongs to it is
	// no object that others can have.
	Fresh bool   `json:"fresh,omitempty"`
	Locks []Lock `json:"locks,omitempty"`
}

// A Unit is what the analysis of a package, with or without its tests, knows of its calls.
type Unit struct {
	Package string `json:"package"`
	// Program says that the package is a main package.
	Program bool `json:"program,omitempty"`
	// Tested says that the unit contains tests.
	Tested  bool     `json:"tested,omitempty"`
	Imports []string `json:"imports,omitempty"`
	Roots   []Root   `json:"roots,omitempty"`
	Calls   []Call   `json:"calls,omitempty"`
	// Makes are the exported functions whose first result is a new object of each call.
	Makes []string `json:"makes,omitempty"`
	Handout
	// Tests is what the tests of the package hand out.
	Tests Handout `json:"tests,omitzero"`
}

// A Handout is the functions that unknown code can call.
type Handout struct {
	// Values are the keys of the functions that are used as values, and Leaked of those that are
	// methods of values that the exported declarations of the package have, in other packages.
	Values []string `json:"values,omitempty"`
	Leaked []string `json:"leaked,omitempty"`
	// Dynamic are the methods of values in interfaces, as the key of the function and its Shape.
	Dynamic []string `json:"dynamic,omitempty"`
	// Invoked are the methods that a package of the standard library calls through interfaces, as
	// Dynamic returns them.
	Invoked []string `json:"invoked,omitempty"`
	// Received are the methods of values that functions of a package, by its path, get in empty
	// interfaces: they may call the methods by reflection. Reflects says that the package itself
	// does so with what it gets.
	Received map[string][]string `json:"received,omitempty"`
	Reflects bool                `json:"reflects,omitempty"`
}

// Shape returns what is kept of the signature of a method: how many parameters and results it has.
// Those of generic types are the same for all instances.
func Shape(sig *types.Signature) string {
	return fmt.Sprintf("/%d/%d", sig.Params().Len(), sig.Results().Len())
}

// Dynamic returns the name of what a call of a method through an interface calls: all methods of
// that name and shape.
func Dynamic(name, shape string) string { return dynamic + name + shape }

const dynamic = "~"

// split returns the key of a method in Handout.Dynamic, and what calls it through interfaces call.
func split(method string) (key, as string) {
	i := strings.LastIndexByte(method, '/')
	i = strings.LastIndexByte(method[:max(i, 0)], '/')
	if i < 0 {
		return method, ""
	}
	return method[:i], Dynamic(Method(method[:i]), method[i:])
}

// Sort puts the roots and calls in an order that does not depend on how they were found.
func (u *Unit) Sort() {
	roots := slices.Clone(u.Roots)
	slices.SortFunc(roots, Root.compare)
	index := make(map[Root]int, len(roots))
	for i, r := range roots {
		index[r] = i
	}
	for i := range u.Calls {
		u.Calls[i].From = index[u.Roots[u.Calls[i].From]]
	}
	u.Roots = roots
	slices.SortFunc(u.Calls, func(a, b Call) int {
		if c := cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)); c != 0 {
			return c
		}
		return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))
	})
}

func (r Root) compare(o Root) int {
	return cmp.Or(cmp.Compare(r.Package, o.Package), cmp.Compare(r.Kind, o.Kind), cmp.Compare(r.Name, o.Name), cmp.Compare(r.Times, o.Times), strings.Compare(fmt.Sprint(r.Test), fmt.Sprint(o.Test)))
}

// Compare orders pairs.
func (p Pair) Compare(q Pair) int {
	return cmp.Or(p.A.compare(q.A), p.B.compare(q.B), cmp.Compare(fmt.Sprint(p.Own), fmt.Sprint(q.Own)))
}

// Encode returns the text form of a unit.
func (u *Unit) Encode() string {
	data, err := json.Marshal(u)
	if err != nil {
		return "" // not of strings and numbers
	}
	return string(data)
}

// Decode reads the text form.
func Decode(text string) (*Unit, error) {
	u := new(Unit)
	if err := json.Unmarshal([]byte(text), u); err != nil {
		return nil, err
	}
	for i := range u.Roots {
		u.Roots[i].Package = u.Package
	}
	return u, nil
}

// Both returns the assumptions of two findings that are reported as one: nil if those of either are
// not known.
func Both(a, b []Pair) []Pair {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	out := slices.Clone(a)
	for _, p := range b {
		if !slices.ContainsFunc(out, p.Equal) {
			out = append(out, p)
		}
	}
	return out
}

// qualified returns the import path in a key, and the name within the package.
func qualified(key string) (path, name string) {
	path, name, _ = strings.Cut(key, "#")
	return path, name
}

// Package returns the import path in the key of a function.
func Package(key string) string {
	path, _ := qualified(key)
	return path
}

// Method returns the name of the function in a key, without the type of a method.
func Method(key string) string {
	_, name := qualified(key)
	return name[strings.LastIndexByte(name, '.')+1:]
}

// Parent returns the path of the directory that has the last element internal of an import path,
// and false if the path has none, or is one of the standard library. Only packages there, and below
// it, can import the package.
func Parent(path string) (string, bool) {
	i := strings.LastIndex(path+"/", "/internal/")
	if i < 0 {
		return "", false
	}
	return path[:i], true
}
