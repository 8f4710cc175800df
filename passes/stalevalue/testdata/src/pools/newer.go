package pools

import "sync"

// A Board has the newest versions of its papers, and tells its readers of each.
type Board struct {
	mu      sync.Mutex
	papers  map[string]*paper
	readers []*subscriber
}

type paper struct {
	name    string
	version int
}

type subscriber struct {
	mu    sync.Mutex
	queue []*paper
}

func (r *subscriber) give(p *paper) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue = append(r.queue, p)
}

// Put replaces what is older.
func (b *Board) Put(p *paper) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if old := b.papers[p.name]; old != nil && old.version >= p.version {
		return
	}
	b.papers[p.name] = p
	for _, r := range b.readers {
		r.give(p)
	}
}

func (b *Board) all() []*paper {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []*paper
	for _, p := range b.papers {
		out = append(out, p)
	}
	return out
}

// Join misses what is put in between.
func (b *Board) Join() {
	r := &subscriber{}
	for _, p := range b.all() {
		r.give(p)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.readers = append(b.readers, r) // want `stale-use: b.papers was read at line \d+ for what is only put into b.readers here; \(\*Board\).Put \(newer.go:\d+\), which writes the one and then goes through the other, may run in between and be missed`
}
