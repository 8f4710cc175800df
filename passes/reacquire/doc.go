// Package reacquire defines an analyzer that finds locks that are taken twice
// while another lock is held.
//
// # Analyzer reacquire
//
// reacquire: report locks taken and released twice within a critical section of another lock
//
// A critical section is meant to be one step. But what it learns from an object
// with a lock of its own is only sure as long as that lock is held. If the
// section takes the inner lock, the witness, gives it up and takes it again, the
// outer lock, the context, does not keep others from changing the object in
// between:
//
//	func (l *Line) Contains(p *Point) bool {
//		l.mu.Lock()
//		defer l.mu.Unlock()
//		return p.DistanceTo(l.a)+p.DistanceTo(l.b) == l.length // WRONG: p moves between the two
//	}
//
// What is needed of the object has to be asked for once:
//
//	func (l *Line) Contains(p *Point) bool {
//		l.mu.Lock()
//		defer l.mu.Unlock()
//		at := p.Position() // RIGHT: one section of p.mu
//		return at.DistanceTo(l.a)+at.DistanceTo(l.b) == l.length
//	}
//
// The report is at the second section, which may be in a function that is called
// with the context held, and may be the same call as the first in the next round
// of a loop. The categories:
//
//   - reacquire: the second section relies on what the first has read: it reads
//     the same again, or what is kept consistent with it, and the two come
//     together; or it writes or reads because of it. Somebody may change that
//     who takes the witness without the context.
//   - stylistic (only with -stylistic): the same, but all who change it hold the
//     context, so that the inner lock is of no use here.
//   - pattern (only with -pattern): the bare pattern of the paper, with those
//     above.
//   - variant (only with -variant): two different witnesses one after the other.
//
// It stays silent where the witness is held already, or is the context (a
// deadlock in Go), where the two sections are on two branches, where the name of
// the lock means another lock the second time (a[i] after i++), where the first
// section changes what it reads, and where the second looks whether it finds
// anything. A context that only some callers hold counts for -pattern only.
//
// Findings that something serious speaks against are left out: with
// -confidence=medium or low they are reported, and say what that is.
//
// Source: A static analysis for automatic detection of atomicity violations (the
// context/witness lock pattern).
package reacquire
