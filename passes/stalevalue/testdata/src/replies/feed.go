package replies

import (
	"sort"
	"sync"
	"sync/atomic"
)

type event struct {
	id   int64
	text string
}

// A Feed is read by those who keep the number of the last event that they have seen.
type Feed struct {
	last atomic.Int64

	mu     sync.Mutex
	next   int64
	events []event
}

// Publish appends behind an event that has taken a later number.
func (f *Feed) Publish(text string) {
	e := event{id: f.last.Add(1), text: text}
	f.mu.Lock()
	f.events = append(f.events, e) // want `f.last was drawn at line \d+, but .* the numbers in f.events are out of order then`
	f.mu.Unlock()
}

// PublishDrawn draws the number in a section of its own.
func (f *Feed) PublishDrawn(text string) {
	id := f.draw()
	f.add(event{id, text}) // want `f.next was drawn at line \d+, but .* the numbers in f.events are out of order then`
}

// PublishAtOnce draws the number in the section that appends.
func (f *Feed) PublishAtOnce(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events = append(f.events, event{f.last.Add(1), text})
}

func (f *Feed) draw() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next++
	return f.next
}

func (f *Feed) add(e event) {
	f.mu.Lock()
	f.events = append(f.events, e)
	f.mu.Unlock()
}

// After returns what comes after the last event that the caller has seen.
func (f *Feed) After(seen int64) (out []event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.events {
		if e.id > seen {
			out = append(out, e)
		}
	}
	return out
}

type line struct{ id int64 }

// Lines are sorted when they are read, so that it does not matter in which order they come.
type Lines struct {
	last atomic.Int64

	mu    sync.Mutex
	lines []line
}

func (l *Lines) Add() {
	e := line{l.last.Add(1)}
	l.mu.Lock()
	l.lines = append(l.lines, e)
	l.mu.Unlock()
}

func (l *Lines) After(seen int64) []line {
	l.mu.Lock()
	defer l.mu.Unlock()
	sort.Slice(l.lines, func(i, j int) bool { return l.lines[i].id < l.lines[j].id })
	for i, e := range l.lines {
		if e.id > seen {
			return l.lines[i:]
		}
	}
	return nil
}

type ticket struct{ id int64 }

// Tickets have a number as name, by which nobody goes on.
type Tickets struct {
	last atomic.Int64

	mu      sync.Mutex
	tickets []ticket
}

func (t *Tickets) Issue() int64 {
	e := ticket{t.last.Add(1)}
	t.mu.Lock()
	t.tickets = append(t.tickets, e)
	t.mu.Unlock()
	return e.id
}

func (t *Tickets) Has(id int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range t.tickets {
		if e.id == id {
			return true
		}
	}
	return false
}
