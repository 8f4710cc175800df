package claim

import (
	"slices"
	"sync"
)

type part struct {
	id   int
	busy bool
}

// Levels merge parts: those that are merged are marked, and nobody else takes them out.
type Levels struct {
	mu    sync.Mutex
	next  int
	parts []*part
}

func (l *Levels) Add() {
	l.mu.Lock()
	l.next++
	l.parts = append(l.parts, &part{id: l.next})
	l.mu.Unlock()
}

func (l *Levels) pick() []*part {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []*part
	for _, p := range l.parts {
		if !p.busy {
			out = append(out, p)
		}
	}
	if len(out) < 2 {
		return nil
	}
	for _, p := range out {
		p.busy = true
	}
	return out
}

func (l *Levels) swap(old []*part) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.parts = slices.DeleteFunc(l.parts, func(p *part) bool { return slices.Contains(old, p) })
	l.next++
	l.parts = append(l.parts, &part{id: l.next})
}

// Compact works on what it has marked.
func (l *Levels) Compact(work func([]*part)) bool {
	old := l.pick()
	if old == nil {
		return false
	}
	work(old)
	l.swap(old)
	return true
}

// Drop leaves alone what is marked.
func (l *Levels) Drop(id int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.parts = slices.DeleteFunc(l.parts, func(p *part) bool { return p.id == id && !p.busy })
}

// Loose is the same with a Drop that does not ask.
type Loose struct {
	mu    sync.Mutex
	next  int
	parts []*part
}

func (l *Loose) Add() {
	l.mu.Lock()
	l.next++
	l.parts = append(l.parts, &part{id: l.next})
	l.mu.Unlock()
}

func (l *Loose) pick() []*part {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []*part
	for _, p := range l.parts {
		if !p.busy {
			out = append(out, p)
		}
	}
	if len(out) < 2 {
		return nil
	}
	for _, p := range out {
		p.busy = true
	}
	return out
}

func (l *Loose) swap(old []*part) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.parts = slices.DeleteFunc(l.parts, func(p *part) bool { return slices.Contains(old, p) })
	l.next++
	l.parts = append(l.parts, &part{id: l.next})
}

// Compact may put in what has been made of parts that were dropped.
func (l *Loose) Compact(work func([]*part)) bool {
	old := l.pick()
	if old == nil {
		return false
	}
	work(old)
	l.swap(old) // want `check-then-act: l.parts\[…\] was checked at line \d+`
	return true
}

func (l *Loose) Drop(id int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.parts = slices.DeleteFunc(l.parts, func(p *part) bool { return p.id == id })
}
