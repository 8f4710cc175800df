package early

import (
	"sync"
	"sync/atomic"
)

// A Ring of keys, of which one is used for what is new.
type Ring struct {
	active atomic.Int64
	mu     sync.Mutex
	keys   map[int64]*row
}

func (r *Ring) Add(id int64, k *row) {
	r.active.Store(id)
	r.mu.Lock()
	r.keys[id] = k // want `early-signal: r\.keys\[id\] is written here, after r\.active is written at line \d+; \(\*Ring\)\.Seal \(names\.go:\d+\) goes by that, reads r\.keys\[.*\] then, and may not find it`
	r.mu.Unlock()
}

// AddFirst stores the key first. That is right.
func (r *Ring) AddFirst(id int64, k *row) {
	r.mu.Lock()
	r.keys[id] = k
	r.mu.Unlock()
	r.active.Store(id)
}

// Retire names another key than the one that it stores.
func (r *Ring) Retire(old, next int64, k *row) {
	r.active.Store(next)
	r.mu.Lock()
	r.keys[old] = k
	r.mu.Unlock()
}

func (r *Ring) Seal() int {
	id := r.active.Load()
	r.mu.Lock()
	k, ok := r.keys[id]
	r.mu.Unlock()
	if !ok {
		return 0
	}
	return k.width
}

// install is called with what is new, and constructs nothing.
func install(k *stamp) {
	newest.Store(k.id)
	stamps.Store(k.id, k) // want `early-signal: stamps\[k\.id\] is written here, after newest is written at line \d+; Stamp \(names\.go:\d+\) goes by that`
}

type stamp struct{ id int64 }

var (
	newest atomic.Int64
	stamps sync.Map
	last   struct {
		sync.Mutex
		id int64
	}
)

func Renew() {
	last.Lock()
	defer last.Unlock()
	last.id++
	install(&stamp{id: last.id})
}

func Stamp() *stamp {
	k, ok := stamps.Load(newest.Load())
	if !ok {
		return nil
	}
	return k.(*stamp)
}

// A Tape has records below its end.
type Tape struct {
	end     atomic.Int64
	mu      sync.Mutex
	records map[int64]*row
}

func (t *Tape) Append(w *row) {
	at := t.end.Add(1) - 1
	t.mu.Lock()
	t.records[at] = w // want `early-signal: t\.records\[.*\] is written here, after t\.end is written at line \d+; \(\*Tape\)\.Play \(names\.go:\d+\) goes by that`
	t.mu.Unlock()
}

func (t *Tape) Play(from int64) (wide int) {
	for end := t.end.Load(); from < end; from++ {
		t.mu.Lock()
		w, ok := t.records[from]
		t.mu.Unlock()
		if ok {
			wide += w.width
		}
	}
	return wide
}

// A Film is shown again from the end that there is then, if a picture is missing.
type Film struct {
	end      atomic.Int64
	mu       sync.Mutex
	pictures map[int64]*row
}

func (f *Film) Append(w *row) {
	at := f.end.Add(1)
	f.mu.Lock()
	f.pictures[at] = w
	f.mu.Unlock()
}

func (f *Film) Newest() *row {
	for {
		at := f.end.Load()
		f.mu.Lock()
		w, ok := f.pictures[at]
		f.mu.Unlock()
		if ok {
			return w
		}
	}
}
