package a

import (
	"errors"
	"slices"
	"sync"
)

// ErrNotQueued is returned when a singer has no entry in the queue.
var ErrNotQueued = errors.New("karaoke: not in the queue")

// Entry is one song that a guest wants to sing.
type Entry struct {
	Singer string
	Song   string
}

// Queue is the running order of a karaoke night.
type Queue struct {
	sync.RWMutex
	entries []Entry
	limit   int
	sung    int
}

// NewQueue returns a queue for at most limit entries.
func NewQueue(limit int) *Queue {
	return &Queue{limit: limit}
}

// find returns the index of the singer's entry, or -1. The lock must be held.
func (q *Queue) find(singer string) int {
	return slices.IndexFunc(q.entries, func(e Entry) bool {
		return e.Singer == singer
	})
}

// Position returns the singer's place, counted from zero, or -1.
func (q *Queue) Position(singer string) int {
	q.RLock()
	defer q.RUnlock()
	return q.find(singer)
}

// SignUp appends an entry; each singer may have one at a time.
func (q *Queue) SignUp(e Entry) error {
	if e.Singer == "" || e.Song == "" {
		return errors.New("karaoke: incomplete entry")
	}
	q.Lock()
	defer q.Unlock()
	if len(q.entries) >= q.limit {
		return errors.New("karaoke: queue is full")
	}
	if q.find(e.Singer) >= 0 {
		return errors.New("karaoke: already signed up")
	}
	q.entries = append(q.entries, e)
	return nil
}

// Next calls the next singer to the stage.
func (q *Queue) Next() (Entry, bool) {
	q.Lock()
	defer q.Unlock()
	if len(q.entries) == 0 {
		return Entry{}, false
	}
	e := q.entries[0]
	q.entries = q.entries[1:]
	q.sung++
	return e, true
}

// Withdraw takes the singer's entry out of the queue.
func (q *Queue) Withdraw(singer string) error {
	q.Lock()
	defer q.Unlock()
	i := q.find(singer)
	if i < 0 {
		return ErrNotQueued
	}
	q.entries = slices.Delete(q.entries, i, i+1)
	return nil
}

// Sung returns how many singers have been called so far.
func (q *Queue) Sung() int {
	q.RLock()
	defer q.RUnlock()
	return q.sung
}
