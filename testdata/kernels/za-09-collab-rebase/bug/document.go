// Package collab is the server side of the shared text editor. Clients send
// operations against the revision they have seen; the server rebases them on
// what happened since and gives them the next revision.
package collab

import (
	"errors"
	"sync"
)

// ErrRevision is returned for a base revision the document never had.
var ErrRevision = errors.New("collab: unknown base revision")

// ErrRange is returned for an operation outside the text.
var ErrRange = errors.New("collab: operation out of range")

// Op replaces Del runes at Pos by Ins.
type Op struct {
	Author string
	Pos    int
	Del    int
	Ins    []rune
}

// Committed is an operation in the history. Revision n is the state after
// the first n operations.
type Committed struct {
	Rev int
	Op  Op
}

// Document is one shared text. It is safe for concurrent use; every
// connection handler calls Submit for its client.
type Document struct {
	mu      sync.RWMutex
	text    []rune
	history []Op
}

// NewDocument returns a document at revision 0.
func NewDocument(text string) *Document {
	return &Document{text: []rune(text)}
}

// Snapshot returns the text with its revision.
func (d *Document) Snapshot() (text string, rev int) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return string(d.text), len(d.history)
}

// Since returns the operations after revision rev.
func (d *Document) Since(rev int) ([]Committed, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.since(rev)
}

// since is Since for callers that hold d.mu.
func (d *Document) since(rev int) ([]Committed, error) {
	if rev < 0 || rev > len(d.history) {
		return nil, ErrRevision
	}
	out := make([]Committed, 0, len(d.history)-rev)
	for i, op := range d.history[rev:] {
		out = append(out, Committed{Rev: rev + i + 1, Op: op})
	}
	return out, nil
}

// shift moves a position of the text before op to the place it has after op.
func shift(pos int, op Op) int {
	switch {
	case pos < op.Pos:
		return pos
	case pos >= op.Pos+op.Del:
		return pos - op.Del + len(op.Ins)
	default:
		return op.Pos + len(op.Ins)
	}
}

// shiftEnd is shift for the end of a deletion, which does not swallow what op
// put there.
func shiftEnd(end int, op Op) int {
	switch {
	case end <= op.Pos:
		return end
	case end >= op.Pos+op.Del:
		return end - op.Del + len(op.Ins)
	default:
		return op.Pos
	}
}

// rebase rewrites op so that it means the same after done.
func rebase(op, done Op) Op {
	pos := shift(op.Pos, done)
	end := max(shiftEnd(op.Pos+op.Del, done), pos)
	op.Pos, op.Del = pos, end-pos
	return op
}

// apply runs op on the text and returns the new revision. The caller holds
// d.mu.
func (d *Document) apply(op Op) (int, error) {
	if op.Pos < 0 || op.Del < 0 || op.Pos+op.Del > len(d.text) {
		return 0, ErrRange
	}
	next := make([]rune, 0, len(d.text)-op.Del+len(op.Ins))
	next = append(next, d.text[:op.Pos]...)
	next = append(next, op.Ins...)
	next = append(next, d.text[op.Pos+op.Del:]...)
	d.text = next
	d.history = append(d.history, op)
	return len(d.history), nil
}

// Submit commits an operation that the client made at revision base. The
// result is the operation as it went into the history.
func (d *Document) Submit(base int, op Op) (Committed, error) {
	d.mu.RLock()
	concurrent, err := d.since(base)
	d.mu.RUnlock()
	if err != nil {
		return Committed{}, err
	}
	for _, c := range concurrent {
		op = rebase(op, c.Op)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	rev, err := d.apply(op)
	if err != nil {
		return Committed{}, err
	}
	return Committed{Rev: rev, Op: op}, nil
}

// Store holds the open documents by name.
type Store struct {
	mu   sync.Mutex
	docs map[string]*Document
}

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{docs: make(map[string]*Document)}
}

// Open returns the document with that name; a new one is empty.
func (s *Store) Open(name string) *Document {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, ok := s.docs[name]
	if !ok {
		d = NewDocument("")
		s.docs[name] = d
	}
	return d
}
