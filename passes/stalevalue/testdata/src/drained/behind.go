package drained

import "sync"

// A Behind writes the last value of each key to a slow store.
type Behind struct {
	flush sync.Mutex // for one flush at a time
	mu    sync.Mutex
	seq   int
	dirty map[string]line
}

type line struct {
	key, value string
	seq        int
}

func (b *Behind) Put(key, value string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seq++
	b.dirty[key] = line{key, value, b.seq}
}

func (b *Behind) pending() []line {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []line
	for _, l := range b.dirty {
		out = append(out, l)
	}
	return out
}

func (b *Behind) Flush(write func(key, value string) error) {
	b.flush.Lock()
	defer b.flush.Unlock()
	for _, l := range b.pending() {
		if write(l.key, l.value) != nil {
			return
		}
		b.mu.Lock()
		delete(b.dirty, l.key) // want `b.dirty was checked at line 38`
		b.mu.Unlock()
	}
}

// FlushSame is right.
func (b *Behind) FlushSame(write func(key, value string) error) {
	b.flush.Lock()
	defer b.flush.Unlock()
	for _, l := range b.pending() {
		if write(l.key, l.value) != nil {
			return
		}
		b.mu.Lock()
		if b.dirty[l.key].seq == l.seq {
			delete(b.dirty, l.key)
		}
		b.mu.Unlock()
	}
}

// A First keeps the first value of each key until it is written.
type First struct {
	flush sync.Mutex // for one flush at a time
	mu    sync.Mutex
	dirty map[string]line
}

func (b *First) Put(key, value string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.dirty[key]; !ok {
		b.dirty[key] = line{key: key, value: value}
	}
}

func (b *First) pending() []line {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []line
	for _, l := range b.dirty {
		out = append(out, l)
	}
	return out
}

// Flush is right: nobody replaces what is there.
func (b *First) Flush(write func(key, value string)) {
	b.flush.Lock()
	defer b.flush.Unlock()
	for _, l := range b.pending() {
		write(l.key, l.value)
		b.mu.Lock()
		delete(b.dirty, l.key)
		b.mu.Unlock()
	}
}
