package a

import (
	"iter"
	"slices"
	"sync"
	"time"
)

type prop struct {
	name     string
	borrower string
	since    time.Time
}

// Props is the property room of a theatre.
type Props struct {
	mu    sync.Mutex
	items map[string]prop
	fines map[string]int
}

func NewProps() *Props {
	return &Props{items: make(map[string]prop), fines: make(map[string]int)}
}

func (p *Props) lent() iter.Seq[prop] {
	return func(yield func(prop) bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, it := range p.items {
			if it.borrower != "" && !yield(it) {
				return
			}
		}
	}
}

// Add puts a new thing in the room.
func (p *Props) Add(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.items[name]; !ok {
		p.items[name] = prop{name: name}
	}
}

// Lend gives the thing to somebody.
func (p *Props) Lend(name, who string, at time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	it, ok := p.items[name]
	if !ok || it.borrower != "" {
		return false
	}
	it.borrower, it.since = who, at
	p.items[name] = it
	return true
}

// Return takes the thing back.
func (p *Props) Return(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if it, ok := p.items[name]; ok {
		it.borrower = ""
		p.items[name] = it
	}
}

func (p *Props) reclaim(seen prop) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	it := p.items[seen.name]
	if it != seen {
		return false
	}
	it.borrower = ""
	p.items[it.name] = it
	p.fines[seen.borrower]++
	return true
}

// Reclaim takes back what has been out since before t.
func (p *Props) Reclaim(t time.Time, tell func(who, what string)) {
	for _, it := range slices.Collect(p.lent()) {
		if it.since.Before(t) && p.reclaim(it) {
			tell(it.borrower, it.name)
		}
	}
}

// Fines counts how often the person was late.
func (p *Props) Fines(who string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fines[who]
}
