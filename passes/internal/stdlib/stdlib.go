// Package stdlib is what atomvet knows of the standard library without looking at its
// code.
//
// Locks, atomic operations and goroutines are the words in which everything else is
// described, so that what they do cannot be computed: it is listed. Each row names
// functions, types or a package, says what is known of them, and why that matters. A
// test demands that what a row names exists, and that nothing of sync and sync/atomic
// is left out, so that neither a misspelled row nor a new release goes unnoticed.
//
// A type outside of the standard library counts as a lock by its methods: those are
// listed by their names alone.
package stdlib

import (
	"go/types"
	"strings"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// An Access is what a function does, in one step, to the memory that its first
// argument, or its receiver, is the address of.
type Access uint16

const (
	Reads    Access = 1 << iota
	Writes          // changes it
	Compares        // only if it has the value expected: a write that looks first
	Deletes         // takes an element out
	Replaces        // whatever was there, and returns that
	Fixed           // writes the same whoever does it
	Keyed           // of the element that the next argument is the key of
	Whole           // of all elements
	Element         // the first result is the element
)

// Runs is what a function does with a function that it is given.
type Runs uint8

const (
	Nothing  Runs = iota
	Each          // calls it, for each element
	Once          // calls it if its receiver has not called one before
	Memoizes      // returns a function that calls it once
	Spawns        // lets it run in a goroutine of its own
)

// A Func is what is known of a function; nothing, if it is the zero Func.
type Func struct {
	Access Access
	Runs   Runs
	// Group says that the receiver knows when the function that was started ends.
	Group bool
	// Signals and Awaits tell what is done to the receiver, a group.
	Signals, Awaits bool
	// WaitsFor is the field of the receiver that has the lock which is given up to wait
	// for a change, and taken again.
	WaitsFor string
	// MakesCond says that the result is a condition variable of the lock that is given.
	MakesCond bool
	// ReadLocker says that the result is the receiver as a lock that is shared.
	ReadLocker bool
	// Clock says that the result is the time.
	Clock bool
}

// A Type is what is known of a type.
type Type struct {
	// Lock says that it is a lock.
	Lock bool
	// Abstract says that it stands for others: which one it is tells the value.
	Abstract bool
	// Waits says that it makes goroutines wait for each other, and keeps no data.
	Waits bool
	// Scope says that it says how long a call may take, not what it is about.
	Scope bool
}

// A Package is what is known of a package as a whole.
type Package struct {
	// Builtin says that nothing is computed for the functions of the package.
	Builtin bool
	// Listed says that all that its functions do to memory and locks is listed here.
	Listed bool
	// Opaque says that what is inside of its types is of no interest to others.
	Opaque bool
	// Settings says that its types tell how long, how often or until when something
	// is done, and not what.
	Settings bool
}

// A Method is an operation of a lock.
type Method struct {
	Acquires bool
	Shared   bool
	Tries    bool   // its result tells whether it was successful
	Pair     string // the method that undoes it, or that it undoes
}

// OfFunc returns what is known of a function or method.
func OfFunc(fn *types.Func) Func {
	if fn == nil || fn.Pkg() == nil {
		return Func{}
	}
	byName, ok := funcs[fn.Pkg().Path()]
	if !ok {
		return Func{}
	}
	return byName[member{receiver(fn), fn.Name()}]
}

// receiver returns the name of the type that a method belongs to, or "".
func receiver(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil {
		return ""
	}
	if named := ssautil.Named(recv.Type()); named != nil {
		return named.Obj().Name()
	}
	return ""
}

// OfType returns what is known of a type, or of the one that it points to.
func OfType(t types.Type) (Type, bool) {
	named := ssautil.Named(t)
	if named == nil || named.Obj().Pkg() == nil {
		return Type{}, false
	}
	row, ok := typesByName[named.Obj().Pkg().Path()+"."+named.Obj().Name()]
	return row, ok
}

// OfPackage returns what is known of the package with a path.
func OfPackage(path string) Package {
	if strings.HasPrefix(path, "internal/runtime/") || strings.HasPrefix(path, "runtime/internal/") {
		path = "runtime"
	}
	return packages[path].Package
}

// Declares returns what is known of the package that declares a function.
func Declares(fn *types.Func) Package {
	if fn == nil || fn.Pkg() == nil {
		return Package{}
	}
	return OfPackage(fn.Pkg().Path())
}

// OfMethod returns the operation that a method of a lock is by its name. It is one only
// if the lock has its pair, too.
func OfMethod(name string) (Method, bool) {
	m, ok := methods[name]
	return m.Method, ok
}
