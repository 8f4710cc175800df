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
//     stale one. An update by another goroutine in between is lost. So it is if the
//     last value is read and used, and the flag that stops its writers is only
//     set afterwards; if a flag that says that there is work to do is cleared
//     after the work, when others may have set it again; if what has been read and used, or its
//     count, is emptied when others may have added to it; and if the first element of a queue
//     is used, and the first one is removed in a later section, which may be another by then. So it is
//     if what is in a place is read, replaced in a later section, and then closed, or taken off an account, as what has been
//     replaced; and if a count is set to zero after a compare-and-swap has begun it anew, by which others count already.
//   - check-then-act: a decision made on the stale value leads to a write of
//     the variable, or of another one that is kept consistent with it, from
//     which others compute it (write skew), or which another function checks before it
//     writes the variable that is checked here (mutual exclusion by checks), or which is
//     emptied by the function that sets the flag that was checked; to a write to a field of one element of a container,
//     where the check has read that field of all elements, each under the lock of the element; to the clear of the flag of a
//     goroutine that has found its queue empty, which keeps others from starting it again; to the increment of a count of users,
//     which the function that sets that flag has read as zero; to the removal of an object that others may
//     fill meanwhile; or to the use of an element that is removed together with
//     the one that was found. A late entry belongs here, too: an object gets a
//     reference to a table and is put into it in a later section; if it is
//     closed in between, it is never removed. So does the registration
//     of a waiter after its request was sent: the answer may be looked up before, and dropped. So does an object that is found, in a
//     table or a pointer, and counted as in use too late, or given a member after it was removed for
//     having none, or filled after it was taken out for what is in it, and a wait on a condition variable that is decided by what
//     others change, and signal, without its mutex. An act need not be a write: it
//     may be the start of a goroutine that should run once, a send to a channel
//     that others close, an addition to a group that others wait for, or a wait for
//     a change that has come already. Nor need the function make the act itself: it
//     may be made by the goroutine that receives what the function sends, takes an
//     element out of a list, or is started with the value.
//     And so does the use of an object that was found in a variable, and that another
//     function may have taken out and ended in between: its channel is closed twice, its file
//     is closed, what is written into it is lost, or the pointer in it that is followed is nil.
//     The same holds for an index: it is computed from a list, or compared with its length, and
//     used in a later section, when the list may be shorter, or another element at that place.
//     That an index which was found by what is in the element is in the range of the list says nothing of which element is there.
//     An operation on an object that was read may fail, and what is removed in a later section is another object. The function
//     of a timer may have waited for the lock while the timer was set anew, and ends what has been renewed, or while it was
//     stopped, and overwrites the state that says so, or needs what has been set to nil. A goroutine that has slept until the
//     deadline of an object removes it, while others have put the deadline off. A goroutine that has
//     inserted an object under a key removes the element of that key at its end, or a timer that it has started does, or it
//     removes the element twice: another goroutine may have put its object there meanwhile.
//     The length of a channel is such a value as well: it is asked, and a send or a receive
//     waits because another goroutine has made the same in between.
//   - stale-use: another variable of the same guard is written with a value
//     computed from the stale one, or a cache of it that others drop when they
//     change it; or a counter is changed by an atomic operation, or in a critical section, and loaded again
//     to learn the result; or a subscriber gets a snapshot of the state and is added to
//     the list in a later section: a change in between is in neither; or the next value of a variable
//     is put in place of an older one in a later section, where a newer one may be by then; or a number is drawn, and what has
//     it is appended to a list in a later section, behind what has a greater one, while readers go on from the last number;
//     or an object is used, or given back once more, after it was given back to a sync.Pool.
//   - escape-ref: a map or slice is taken out of its critical section, and looked
//     into while others change its elements in place, or appended to, or
//     returned by an exported method. To assign it is not to copy, nor is it to copy
//     the struct that it is in; and a slice that is cut to s[:0] keeps its array.
//   - escape (only with -strict): any use of the value after its critical
//     section, the plain definition of block-local atomicity.
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
