package loops

import (
	"sync"
	"time"
)

// A Bulk is a cache that is filled with many at once: either answer is right.
type Bulk struct {
	mu   sync.Mutex
	m    map[string]int
	load func([]string) map[string]int
}

// NewBulk is empty.
func NewBulk(l func([]string) map[string]int) *Bulk { return &Bulk{m: map[string]int{}, load: l} }

// GetAll loads what is missing.
func (t *Bulk) GetAll(keys []string) map[string]int {
	out := map[string]int{}
	var missing []string
	t.mu.Lock()
	for _, k := range keys {
		if v, ok := t.m[k]; ok {
			out[k] = v
		} else {
			missing = append(missing, k)
		}
	}
	t.mu.Unlock()
	got := t.load(missing)
	t.mu.Lock()
	for _, k := range missing {
		t.m[k] = got[k]
		out[k] = got[k]
	}
	t.mu.Unlock()
	return out
}

type handle struct{ n int }

// An Opener claims what it opens, in the section in which it looks.
type Opener struct {
	mu      sync.Mutex
	m       map[string]*handle
	opening map[string]bool
}

// NewOpener is empty.
func NewOpener() *Opener { return &Opener{m: map[string]*handle{}, opening: map[string]bool{}} }

// Open makes those that nobody else makes.
func (t *Opener) Open(keys []string, mk func(string) *handle) {
	var need []string
	t.mu.Lock()
	for _, k := range keys {
		if t.m[k] == nil && !t.opening[k] {
			t.opening[k] = true
			need = append(need, k)
		}
	}
	t.mu.Unlock()
	for _, k := range need {
		i := mk(k)
		t.mu.Lock()
		t.m[k] = i
		delete(t.opening, k)
		t.mu.Unlock()
	}
}

type cell struct{ n int }

// A Filler looks again which are missing.
type Filler struct {
	mu sync.Mutex
	m  map[string]*cell
}

// NewFiller is empty.
func NewFiller() *Filler { return &Filler{m: map[string]*cell{}} }

// Fill leaves out those that are there by then.
func (t *Filler) Fill(ks []string) {
	need := map[string]bool{}
	t.mu.Lock()
	for _, k := range ks {
		if t.m[k] == nil {
			need[k] = true
		}
	}
	t.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	for k := range need {
		if t.m[k] != nil {
			delete(need, k)
		}
	}
	for k := range need {
		t.m[k] = &cell{}
	}
}

type stamp struct{ at time.Time }

// A Purger removes what may have been removed before.
type Purger struct {
	mu sync.Mutex
	m  map[string]stamp
}

// NewPurger is empty.
func NewPurger() *Purger { return &Purger{m: map[string]stamp{}} }

// Remove removes one.
func (t *Purger) Remove(k string) { t.mu.Lock(); delete(t.m, k); t.mu.Unlock() }

// Add adds one.
func (t *Purger) Add(k string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.m[k]; !ok {
		t.m[k] = stamp{time.Now()}
	}
}

// Purge removes those that are there.
func (t *Purger) Purge(keys []string) {
	var gone []string
	t.mu.Lock()
	for _, k := range keys {
		if _, ok := t.m[k]; ok {
			gone = append(gone, k)
		}
	}
	t.mu.Unlock()
	for _, k := range gone {
		t.Remove(k)
	}
}
