// Package stdlib describes the functions and types of the standard library that atomvet
// does not analyze from their code.
//
// Locks, atomic operations and goroutines are the primitives by which all other code is
// summarized, so that their effects cannot be computed: they are listed. Each row names
// functions, types or a package, states their properties, and the reason why these
// matter. A test checks that every name in a row exists, and that all of sync and
// sync/atomic is listed, so that a misspelled row or a new release is noticed.
//
// A type outside of the standard library is a lock if it has the methods of one, which
// are listed by name.
package stdlib

import (
	"go/types"
	"strings"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// An Access is the atomic effect of a function on the memory that its first argument, or
// its receiver, points to.
type Access uint16

const (
	Reads    Access = 1 << iota // reads the memory
	Writes                      // writes the memory
	Compares                    // writes only if the memory has an expected value: a read-modify-write
	Deletes                     // deletes an element
	Replaces                    // writes unconditionally, and returns the old value
	Fixed                       // the written value is the same for all callers: idempotent
	Keyed                       // the next argument is the key of the element
	Whole                       // accesses all elements
	Element                     // the first result is the element
)

// Runs is what a function does with a function value that is its argument.
type Runs uint8

const (
	Nothing  Runs = iota // does not call it
	Each                 // calls it for each element
	Once                 // calls it unless its receiver has called one before
	Memoizes             // returns a function that calls it once
	Spawns               // starts a goroutine that calls it
)

// A Func has the properties of a function. The zero Func is that of an unlisted one.
type Func struct {
	Access Access // effect on its first argument or receiver
	Runs   Runs   // use of its function argument
	// Calls has the methods of the first argument, an interface, by which the function changes it,
	// separated by spaces. The other arguments are those of the first method, if it has parameters.
	Calls string
	// Group says that the receiver is signaled when the started function returns.
	Group bool
	// Signals and Awaits say that the function signals, or waits for, the receiver, a
	// group.
	Signals, Awaits bool
	// Sleeps says that the function returns after the time that its argument says.
	Sleeps bool
	// Counts says that the function counts, in the receiver, what Awaits waits for.
	Counts bool
	// WaitsFor is the field of the receiver with the lock that is released in order to
	// wait for a change, and taken again.
	WaitsFor string
	// Wakes says that the function wakes goroutines that wait for a change.
	Wakes bool
	// MakesCond says that the result is a condition variable of the lock that is the
	// argument.
	MakesCond bool
	// ReadLocker says that the result is a Locker of the receiver in shared mode.
	ReadLocker bool
	// Clock says that the result is the current time.
	Clock bool
	// Order says how the result depends on the first two arguments, the receiver included: it grows with them (1), or
	// becomes less (-1). A truth value grows from false to true.
	Order [2]int
	// Positive says that the function panics unless its last argument is positive.
	Positive bool
	// Copies says that the result is equal to the argument.
	Copies bool
	// Clones says that the result is a new container with the elements of the argument.
	Clones bool
	// Shifts says that the result is in the array of the first argument, a slice, with elements in
	// other places.
	Shifts bool
	// Removes says that all elements of the result are elements of the first argument.
	Removes bool
	// Shrinks says that the method leaves a part of what is in the receiver.
	Shrinks bool
	// Fills says that the function writes through pointers that it is given as arguments of any type, and computes what it
	// writes from the other arguments, the receiver included.
	Fills bool
}

// A Type has the properties of a type.
type Type struct {
	// Lock says that the type is a lock.
	Lock bool
	// Abstract says that the type is an interface to locks: the dynamic type of the value
	// determines which lock it is.
	Abstract bool
	// Waits says that the type synchronizes goroutines, and holds no data.
	Waits bool
	// Scope says that the type limits how long a call may take, and is no operand of it.
	Scope bool
	// File says that all methods of the type fail after its method Close. To close what waits
	// for others, such as a connection, is a way to end the wait, and no File.
	File bool
}

// A Package has the properties that all of a package shares.
type Package struct {
	// Builtin says that no summaries are computed for the functions of the package.
	Builtin bool
	// Listed says that all effects of the package's functions on memory and locks are
	// listed here.
	Listed bool
	// Opaque says that the fields of the package's types are no locations for importers.
	Opaque bool
	// Settings says that the package's types determine when or how often work is done, and
	// not what work.
	Settings bool
	// Outside says that the package's functions ask what is not in the program, such as
	// files: equal arguments need not give equal results.
	Outside bool
	// Random says that the package's functions draw by chance: two calls are meant to give different results.
	Random bool
}

// A Method is an operation of a lock.
type Method struct {
	Acquires bool   // it takes the lock; otherwise it releases it
	Shared   bool   // in shared mode
	Tries    bool   // its result says whether it was successful
	Pair     string // the method of the opposite operation
}

// OfFunc returns the properties of a function or method.
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

// OfType returns the properties of a type, or of the type that it points to.
func OfType(t types.Type) (Type, bool) {
	named := ssautil.Named(t)
	if named == nil || named.Obj().Pkg() == nil {
		return Type{}, false
	}
	row, ok := typesByName[named.Obj().Pkg().Path()+"."+named.Obj().Name()]
	return row, ok
}

// OfPackage returns the properties of the package with a path.
func OfPackage(path string) Package {
	if strings.HasPrefix(path, "internal/runtime/") || strings.HasPrefix(path, "runtime/internal/") {
		path = "runtime"
	}
	return packages[path].Package
}

// Declares returns the properties of the package that declares a function.
func Declares(fn *types.Func) Package {
	if fn == nil || fn.Pkg() == nil {
		return Package{}
	}
	return OfPackage(fn.Pkg().Path())
}

// OfMethod returns the operation that a method of a lock performs, by its name. The
// method is an operation only if the type has its pair, too.
func OfMethod(name string) (Method, bool) {
	m, ok := methods[name]
	return m.Method, ok
}
