// Package stalevalue defines an analyzer that finds values of shared state that
// are acted upon after the lock they were read under was released.
//
// # Analyzer stalevalue
//
// stalevalue: report acts on values that were read in an earlier critical section
//
// A value read from a guarded variable is only known to be current as long as
// the guard is held. Code that decides or computes something with it, gives the
// guard up, takes it again and acts on the decision works on a stale value: in
// between, another goroutine may have changed the variable. All accesses are
// locked, so the race detector is silent, and the program is still wrong:
//
//	func (c *Cache) Get(k string) *Entry {
//		c.mu.RLock()
//		e := c.entries[k]
//		c.mu.RUnlock()
//		if e == nil {
//			e = load(k)
//			c.mu.Lock()
//			c.entries[k] = e // WRONG: may replace an entry that others hold
//			c.mu.Unlock()
//		}
//		return e
//	}
//
// The second critical section has to look again:
//
//	c.mu.Lock()
//	if old := c.entries[k]; old != nil {
//		e = old // RIGHT: the check and the act are one step
//	} else {
//		c.entries[k] = e
//	}
//	c.mu.Unlock()
//
// and to ask as much as the decision did: that an article is still listed does not say
// that there is still enough of it.
//
// The analyzer follows values and decisions through local variables, closures,
// calls and results, and it knows critical sections of any kind of lock, of
// methods that lock by themselves, in this or another package, and the single
// steps of sync/atomic and sync.Map. It reports at the act, in one of these
// categories:
//
//   - lost-update: the variable is written back with a value computed from the
//     stale one, or emptied of what was used. An update by another goroutine in
//     between is lost.
//   - check-then-act: a decision made on the stale value leads to a write of the
//     variable, or of another one that belongs to it. An act need not be a write: a
//     goroutine is started, something is sent to a channel that has been closed, or
//     emptied for the last time, a channel is closed to
//     which a goroutine may still send, an object that others may have ended is used,
//     an element is accessed at an index. Nor need the
//     function make it: the goroutine does that receives what the function sends, or
//     is started with the value. And a decision need not be a branch: what comes after
//     a loop that waits, maybe in a callee, comes because of what was waited for, which
//     others that waited may have used up.
//   - stale-use: another variable is written with a value computed from the stale
//     one, or the value is used as the present state: a subscriber gets it, and is added
//     to the list in a later critical section; or it decides that the function waits for a
//     channel, which is read in a later one.
//   - escape-ref: a map or slice is taken out of its critical section, and looked
//     into while others change its elements in place, or appended to, or
//     returned by an exported method. To assign it is not to copy, nor is it to copy
//     the struct that it is in; and a slice that is cut to s[:0] keeps its array.
//   - escape (only with -strict): any use of the value after its critical
//     section, the plain definition of block-local atomicity.
//
// Each finding is of one of the forms, by the names that -why gives, which
// "atomvet help stalevalue" lists.
//
// It stays silent where the second section checks afresh (also in a callee, by
// version, or by compare-and-swap), where an outer lock that all writers hold
// spans both, where the first section takes out, reserves or claims what it
// read, where a flag that is set before and cleared afterwards keeps others out,
// and where writing twice does no harm.
//
// It stays silent, too, where no writer can run at the same time: before the
// goroutine is started, after the wait for its group, and where a field that
// is written without any lock shows that one goroutine at a time runs both.
// The directive //atomvet:serial on methods says that one of those of a type
// runs at a time; a doc comment that says so of a function is a doubt. The locks
// that comments name (// guarded by mu on a field, gVisor's +checklocks on fields
// and functions) count as held.
//
// There is one finding for what a guard protects in a function, the one that most probably
// does harm, and the others are related positions of it. Of the writers that may run in
// between the one is named that most probably does harm, with how it comes to run.
//
// Findings that something serious speaks against are left out: with
// -confidence=medium or low they are reported, and say what that is.
//
// Each decision is a rule with a name. The flag -why=FILE:LINE explains which
// rules silence, doubt or report the accesses on a line; -without=ID,… leaves
// rules out, to see what they change.
//
// Sources: C. Artho, K. Havelund, A. Biere, Using block-local atomicity to
// detect stale-value concurrency errors (ATVA 2004); R. Dias, V. Pessanha,
// J. Lourenço, Precise detection of atomicity violations (HVC 2012).
package stalevalue
