// Package viewconsistency defines an analyzer that finds high-level data races:
// variables that are used together in one place and apart in another.
//
// # Analyzer viewconsistency
//
// viewconsistency: report fields that are changed together and read or written apart
//
// What one critical section changes together belongs together. Code that reads
// the parts in two critical sections may see the first part before such a
// change and the second after it: a pair that never was. All accesses are
// locked, so the race detector is silent, and the program is still wrong:
//
//	func (c *Coord) Set(x, y int) {
//		c.mu.Lock()
//		c.x, c.y = x, y
//		c.mu.Unlock()
//	}
//
//	func (c *Coord) Norm() int {
//		return c.X()*c.X() + c.Y()*c.Y() // WRONG: X and Y lock one after the other
//	}
//
// The reader needs one critical section, too:
//
//	func (c *Coord) Norm() int {
//		c.mu.Lock()
//		x, y := c.x, c.y // RIGHT: one pair
//		c.mu.Unlock()
//		return x*x + y*y
//	}
//
// The same holds for writing apart what others read, or write, together: in
//
//	func (c *Coord) Reset() {
//		c.SetX(0)
//		c.SetY(0) // WRONG: Norm may come in between
//	}
//
// Accesses in line and through methods that lock by themselves count the same,
// in this and in other packages, under one lock or several, and single
// operations on sync/atomic variables are critical sections of their own. The
// report is at the second access, in one of these categories:
//
//   - split-read: what is written together is read in two sections, and the two
//     values come together again, in a result, a call, a write, a decision or an
//     object that both go into. What
//     is stored as one object is written together: b.head.Load().Height and
//     b.head.Load().Time are of two heads. One variable that is read twice has two
//     answers: what is begun by the first (a slot that is taken, a lock, a value that
//     exists only then) is not to be ended by the second; two getters of one variable do
//     not yield two fields of one object; and an index that was computed from the first value is not an index of a list in
//     the second. One variable of many objects that is added up, each in a section of its own, has an amount twice or not at all
//     if another function moves it from one object to another meanwhile. A function that tests the state, and loads the channel that signals the next change in a later section, misses a change in between.
//     One that asks a flag, and follows a reference in a later section without a test, finds nil there if the function that clears
//     the two comes in between.
//   - split-write: what is read and used together, or written together, is
//     written in two sections, as one update: from the same source, or both
//     reset. An element that is taken out of one place in one section and put into
//     another place in a later one is in neither in between: a function that looks in
//     both misses it. If it is put into the same place again, a function that finds none in between
//     fills the place itself. An amount that is taken off one object in one section, and added to another one in
//     a later one, is missing in between for a function that adds up all of them.
//   - early-signal: a function closes a channel, cancels a context, sends a token, wakes
//     waiters, tells a group that it is done, sets a flag or puts an object into a table, and
//     writes the data it announces in a later section, or starts a goroutine before it inserts
//     the element the goroutine looks up, or before it sends the message of the start to a channel
//     to which the goroutine sends, too, or stores a number or name before the element that others look up
//     under it, or sets a field of an object that others find in a container already. The receiver of the
//     signal goes and reads it, and may be too early. No longer section is needed: the data first, and the
//     signal last.
//
// It stays silent where the parts are taken in an order of inclusion (a peek at
// one, then both), where only logs or texts for people see the pair, where
// writers need a lock that is held from the one access to the other, where the
// first is read again with the second, where a channel that tells of changes is
// taken before the state is looked at, where variables only count something, and
// where few of the critical sections that change one of the two change both.
//
// One order of two reads is judged safe: if what is written together moves
// something, out of the first place and into the second, and the second is only
// looked at when the first has nothing. Who looks there in the direction of the
// movement finds it, once or twice. Against the direction it may be missed.
//
// Flags for comparison with the papers: -rw=false does not tell reads from
// writes (any two views count), -correlation=false counts all views, whether or
// not their values come together or belong together.
//
// Findings that something serious speaks against are left out: with
// -confidence=medium or low they are reported, and say what that is.
//
// Sources: C. Artho, K. Havelund, A. Biere, High-level data races (STVR 2003),
// section 3; R. Dias, V. Pessanha, J. Lourenço, Precise detection of atomicity
// violations (HVC 2012), section 4. A view is taken under one guard and holds
// what that guard guards, so that the conflicts of nested locks that the former
// leave open do not arise.
package viewconsistency
