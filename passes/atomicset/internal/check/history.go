package check

import "github.com/atomvet/atomvet/passes/internal/limit"

// A lock is a lock together with the mode in which it is held: twice its index, and one
// more for shared.
type lock byte

func lockOf(index int, shared bool) lock {
	if shared {
		return lock(2*index + 1)
	}
	return lock(2 * index)
}

func (l lock) index() int   { return int(l >> 1) }
func (l lock) shared() bool { return l&1 != 0 }

// maxLocks bounds the locks of a model. The last two stand for the start and the end of a
// process.
const maxLocks = limit.ModelLocks

// A lockSet is a set of locks that are used: a bit for each lock and mode.
type lockSet uint64

func (l lock) bit() lockSet { return 1 << l }

// conflicts reports whether one of the locks used in s cannot be taken while another
// process holds l.
func (l lock) conflicts(s lockSet) bool {
	exclusive := lockOf(l.index(), false).bit()
	if l.shared() {
		return s&exclusive != 0
	}
	return s&(exclusive|exclusive<<1) != 0
}

// A history is the part of one phase of a run that matters to other processes: its lock
// history (Kidd et al., section 5, there a tuple of acquisition, release and used sets).
type history struct {
	// start and end are the locks held at the beginning and at the end of the phase, in
	// the order in which they were taken. Those before index floor are held throughout.
	start, end string
	floor      int
	// before has for each of the other locks held at the start the locks that are used
	// before its release.
	before []lockSet
	// after has for each of the other locks held at the end the locks that are used after
	// its acquisition.
	after []lockSet
	// used are all locks taken.
	used lockSet
}

// still is the history of a phase without lock operations.
func still(held string) history { return history{start: held, end: held, floor: len(held)} }

// acquire is the history of taking l last.
func acquire(held string, l lock) history {
	return history{start: held, end: held + string([]byte{byte(l)}), floor: len(held), after: []lockSet{0}, used: l.bit()}
}

// release is the history of releasing the lock taken last.
func release(held string) history {
	rest := held[:len(held)-1]
	return history{start: held, end: rest, floor: len(rest), before: []lockSet{0}}
}

// passage is the history of an empty critical section of l.
func passage(held string, l lock) history {
	h := still(held)
	h.used = l.bit()
	return h
}

// then returns the history of h followed by k, which starts where h ends.
func (h history) then(k history) history {
	out := history{start: h.start, end: k.end, floor: min(h.floor, k.floor), used: h.used | k.used}
	if n := len(out.start) - out.floor; n > 0 {
		out.before = make([]lockSet, n)
	}
	for i := range out.before {
		if at := out.floor + i; at >= h.floor {
			out.before[i] = h.before[at-h.floor]
		} else {
			out.before[i] = h.used | k.before[at-k.floor]
		}
	}
	if n := len(out.end) - out.floor; n > 0 {
		out.after = make([]lockSet, n)
	}
	for i := range out.after {
		if at := out.floor + i; at >= k.floor {
			out.after[i] = k.after[at-k.floor]
		} else {
			out.after[i] = h.after[at-h.floor] | k.used
		}
	}
	return out
}

// compatible reports whether two processes can run h and k at the same time. The locks
// that they hold at the start must not conflict.
//
// Each lock that one releases must be released before the other uses it, and each lock
// that one keeps to the end must not be used by the other any more. That is impossible
// only if one holds a lock throughout that the other uses, or if two such conditions form
// a cycle; with nested locks both are of the same kind (Kidd et al., theorem 1).
func (h history) compatible(k history) bool {
	return !heldThrough(h, k) && !heldThrough(k, h) && !conflict(h.end, k.end) &&
		!circle(h.start[h.floor:], h.before, k.start[k.floor:], k.before) &&
		!circle(h.end[h.floor:], h.after, k.end[k.floor:], k.after)
}

func heldThrough(h, k history) bool {
	for i := range h.floor {
		if lock(h.start[i]).conflicts(k.used) {
			return true
		}
	}
	return false
}

func conflict(a, b string) bool {
	for i := range len(a) {
		for j := range len(b) {
			if lock(a[i]).conflicts(lock(b[j]).bit()) {
				return true
			}
		}
	}
	return false
}

func circle(a string, usedA []lockSet, b string, usedB []lockSet) bool {
	for i := range len(a) {
		for j := range len(b) {
			if lock(a[i]).conflicts(usedB[j]) && lock(b[j]).conflicts(usedA[i]) {
				return true
			}
		}
	}
	return false
}

// sameEnds reports whether two histories differ only in the locks used.
func (h history) sameEnds(k history) bool {
	return h.start == k.start && h.end == k.end && h.floor == k.floor
}

// within reports whether h uses a subset of the locks of k, which has the same ends: h is
// compatible with every history that k is compatible with.
func (h history) within(k history) bool {
	if h.used&^k.used != 0 {
		return false
	}
	for i := range h.before {
		if h.before[i]&^k.before[i] != 0 {
			return false
		}
	}
	for i := range h.after {
		if h.after[i]&^k.after[i] != 0 {
			return false
		}
	}
	return true
}
