// Package atomicset defines an analyzer that checks declared atomic sets by
// model checking.
//
// # Analyzer atomicset
//
// atomicset: report interleavings of units of work that break an atomic set
//
// Say which fields of an object belong together, and the analyzer checks
// that every unit of work leaves and finds them consistent, whatever else
// runs at the same time. By default each exported method of the type is a
// unit of work:
//
//	type Account struct {
//		mu      sync.Mutex
//		balance int //atomvet:set money
//		pending int //atomvet:set money
//	}
//
//	func (a *Account) Settle() {
//		n := a.Pending() // locks and unlocks a.mu
//		a.mu.Lock()
//		a.balance += n // WRONG: Cancel may have come in between
//		a.pending = 0
//		a.mu.Unlock()
//	}
//
// The report is at the access that comes too late, or at one that comes
// between two others although a lock is there for it. Its category is one
// of the fourteen sequences of accesses, by a unit of work and another one,
// that no serial execution has: here R(a) W'(a) W(a). An interleaving with
// that sequence follows, step by step, the shortest there is. What it takes
// is one critical section:
//
//	func (a *Account) Settle() {
//		a.mu.Lock()
//		a.balance += a.pending // RIGHT: one atomic step
//		a.pending = 0
//		a.mu.Unlock()
//	}
//
// Directives, in comments of their own line or behind what they are about:
//
//   - //atomvet:set NAME on a field, or a package variable, puts it into the set
//     NAME of the type, or of the package. A type may have several sets. A set
//     includes those of the same name of the structs that the type embeds. What
//     is in a map, a slice or behind a pointer belongs to the field.
//   - //atomvet:unit on a function makes it a unit of work: a method for all that
//     it reaches from its receiver, a function for all that it reaches.
//   - //atomvet:notunit on an exported method says that it is only a part of
//     units.
//   - //atomvet:unitfor PARAM on a function makes it a unit for what the
//     parameter refers to, too.
//
// A unit within a unit is a part of it. A directive that is misspelt,
// misplaced or names nothing is reported in the category directive. Sets
// are known in the packages that import the one that declares them.
//
// What is checked: any two units of work of a package that others import,
// also a unit and itself, and the goroutines that the package starts; of a
// program, main and the goroutines that it starts, not before they are
// started nor after they were waited for. For each pair of processes a
// model of what they do to one object is made and checked for every
// scenario. The check is exact for the model: it follows all branches and
// loops, recursion too. Only where locks are not taken and given up in
// nested order, or there are very many of them, it is a search that may be
// cut short; that is reported in the category incomplete.
//
// What the model leaves out: data, so that any branch may be taken, and a
// second look under the lock is no better than none; all objects but one,
// so that locks of others do not exclude anything, except those of the
// object that it was reached from, which is taken to be one; which element
// of a map or slice is meant; functions whose calls cannot be resolved. A
// read that is made again in the next round of a loop, with nothing kept
// from the round before, does not count for the earlier round: to wait in a
// loop for a condition is right, to wait in an if is not.
//
// Flags: -infer also checks sets that nobody has declared, the fields that
// one lock guards and that are written together, with every exported
// function as a unit of work for all that it reaches, and in a program
// every function that does something to them outside of loops; these
// findings are in the category inferred-set. Only those count of which the
// second access depends on the first, or comes together with it, and which
// do not look again. Not everything that could be one atomic step has to
// be, so this is to look for bugs, not to be kept clean of findings. -stats
// reports for each set how large its model is, before and after what does
// not matter is left out, and how many questions were asked; -model reports
// the model itself.
//
// Sources: N. Kidd, T. Reps, J. Dolby, M. Vaziri, Finding
// concurrency-related bugs using random isolation (VMCAI 2009); M. Vaziri,
// F. Tip, J. Dolby, Associating synchronization constraints with data in an
// object-oriented language (POPL 2006); N. Kidd, P. Lammich, T. Touili, T.
// Reps, A decision procedure for detecting atomicity violations for
// communicating processes with locks (SPIN 2009); V. Kahlon, F. Ivančić, A.
// Gupta, Reasoning about threads communicating via locks (CAV 2005).
package atomicset
