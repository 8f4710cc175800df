// Package logbook searches a sequence of entries while it grows, is cut at
// either end, and is written again.
package logbook

import (
	"context"
	"sync"
)

// Range is the set of numbers n with First <= n < Next.
type Range struct{ First, Next int }

// Empty reports whether there is no number in r.
func (r Range) Empty() bool { return r.First >= r.Next }

// Intersect returns the numbers that are in both ranges.
func (r Range) Intersect(o Range) Range {
	r = Range{max(r.First, o.First), min(r.Next, o.Next)}
	if r.Empty() {
		return Range{}
	}
	return r
}

// Match is a hit of a search.
type Match struct {
	Number int
	Text   string
}

// Book is a sequence of entries, numbered from 0.
type Book struct {
	mu       sync.RWMutex
	entries  map[int]string
	have     Range
	searches map[*search]struct{}
}

// search notes which of the numbers that existed when it was last synced have
// not been changed since.
type search struct {
	valid Range // protected by Book.mu
}

// New returns an empty book.
func New() *Book {
	return &Book{entries: make(map[int]string), searches: make(map[*search]struct{})}
}

// Append adds an entry.
func (b *Book) Append(text string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.have.Next
	b.entries[n] = text
	b.have.Next++
	return n
}

// Truncate drops the entries from next on. Their numbers are used again.
func (b *Book) Truncate(next int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for n := max(next, b.have.First); n < b.have.Next; n++ {
		delete(b.entries, n)
	}
	b.have.Next = max(min(b.have.Next, next), b.have.First)
	b.shrinkLocked()
}

// Prune drops the entries before first.
func (b *Book) Prune(first int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	first = min(first, b.have.Next)
	for n := b.have.First; n < first; n++ {
		delete(b.entries, n)
	}
	b.have.First = max(b.have.First, first)
	b.shrinkLocked()
}

func (b *Book) shrinkLocked() {
	for s := range b.searches {
		s.valid = s.valid.Intersect(b.have)
	}
}

func (b *Book) begin() *search {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := &search{valid: b.have}
	b.searches[s] = struct{}{}
	return s
}

func (b *Book) end(s *search) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.searches, s)
}

// sync returns the numbers that have been valid since the last call, and the
// present ones.
func (b *Book) sync(s *search) (valid, have Range) {
	b.mu.Lock()
	defer b.mu.Unlock()
	valid = s.valid
	s.valid = b.have
	return valid, b.have
}

func (b *Book) entry(n int) (string, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	text, ok := b.entries[n]
	return text, ok
}

// Find returns the entries of the range want that match, in order. All of them
// were in the book at one time; those that are not in the book then are left
// out.
func (b *Book) Find(ctx context.Context, want Range, match func(string) bool) ([]Match, error) {
	s := b.begin()
	defer b.end(s)

	var found []Match
	var done Range // searched, and valid so far
	_, have := b.sync(s)
	for {
		todo := want.Intersect(have)
		switch {
		case todo == done || todo.Empty():
			return trim(found, todo), nil
		case !done.Empty() && done.First == todo.First && done.Next < todo.Next:
			todo.First = done.Next // only the end is missing
		default:
			found, done = nil, Range{}
		}

		for n := todo.First; n < todo.Next; n++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if text, ok := b.entry(n); ok && match(text) {
				found = append(found, Match{n, text})
			}
		}
		if done.Empty() {
			done = todo
		} else {
			done.Next = todo.Next
		}

		// Drop what was changed while the entries were being read.
		var valid Range
		valid, have = b.sync(s)
		done = done.Intersect(valid)
		found = trim(found, done)
	}
}

// trim returns the matches within r.
func trim(found []Match, r Range) []Match {
	for len(found) > 0 && found[0].Number < r.First {
		found = found[1:]
	}
	for len(found) > 0 && found[len(found)-1].Number >= r.Next {
		found = found[:len(found)-1]
	}
	return found
}
