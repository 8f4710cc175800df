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
// The report is at the access that uses a stale value, or at an access of a
// rival that interferes without the lock which the unit holds. Its category is one
// of the fourteen sequences of accesses, by a unit of work and another one,
// that no serial execution has: here R(a) W'(a) W(a). The shortest interleaving
// with that sequence follows, step by step. The fix is one critical section:
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
// model of their operations on one object is built and checked for every
// scenario. The check is exact for the model: it follows all branches and
// loops, recursion too. Only where locks are not taken and released in nested
// order, or there are very many of them, it is a bounded search; a search that
// reaches its bound is reported in the category incomplete.
//
// What the model leaves out: data, so that any branch may be taken, and a
// revalidation under the lock has no effect; all objects but one, so that
// locks of others exclude nothing, except those of the object that it was
// reached from, which is taken to be one; the keys of elements of maps and
// slices; functions whose calls cannot be resolved. A read that is repeated
// in the next iteration of a loop, with no value kept from the iteration
// before, replaces the earlier read: to wait in a loop for a condition is
// right, to wait in an if is not.
//
// Flags: -infer also checks inferred sets, the fields that one lock guards
// and that are written together, with every exported function as a unit of
// work for all that it reaches, and in a program every function that accesses
// them outside of loops; these findings are in the category inferred-set. They
// are restricted to those whose second access depends on the first, or is used
// together with it, without a revalidation. Not every function has to be one
// atomic step, so the flag is for a search for bugs, not for a gate in CI.
// -stats reports for each set the size of its model, before and after its
// reduction, and the number of questions; -model reports the model itself.
//
// Sources: N. Kidd, T. Reps, J. Dolby, M. Vaziri, Finding
// concurrency-related bugs using random isolation (VMCAI 2009); M. Vaziri,
// F. Tip, J. Dolby, Associating synchronization constraints with data in an
// object-oriented language (POPL 2006); N. Kidd, P. Lammich, T. Touili, T.
// Reps, A decision procedure for detecting atomicity violations for
// communicating processes with locks (SPIN 2009); V. Kahlon, F. Ivančić, A.
// Gupta, Reasoning about threads communicating via locks (CAV 2005).
package atomicset
