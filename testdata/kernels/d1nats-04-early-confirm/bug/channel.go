// Package bug keeps entries until every reader has confirmed them.
package bug

import (
	"errors"
	"sync"
)

// ErrFull is returned if the store takes no more entries.
var ErrFull = errors.New("store is full")

// Entry is a stored line.
type Entry struct {
	Seq  uint64
	Body []byte
}

// store holds the entries and serialises itself. It calls nobody.
type store struct {
	mu      sync.RWMutex
	first   uint64
	last    uint64
	bytes   int
	limit   int
	entries map[uint64]Entry
}

func newStore(limit int) *store {
	return &store{first: 1, limit: limit, entries: make(map[uint64]Entry)}
}

func (st *store) write(seq uint64, body []byte) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.bytes+len(body) > st.limit {
		return ErrFull
	}
	st.entries[seq] = Entry{seq, body}
	st.bytes += len(body)
	st.last = seq
	return nil
}

func (st *store) remove(seq uint64) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	e, ok := st.entries[seq]
	if !ok {
		return false
	}
	delete(st.entries, seq)
	st.bytes -= len(e.Body)
	for st.first <= st.last {
		if _, ok := st.entries[st.first]; ok {
			break
		}
		st.first++
	}
	return true
}

func (st *store) bounds() (first, last uint64) {
	st.mu.RLock()
	defer st.mu.RUnlock()
	return st.first, st.last
}

// Reader consumes a channel. On a follower its confirmations may arrive before
// the entries they are for.
type Reader struct {
	Name string
	ch   *Channel

	mu    sync.Mutex
	floor uint64
	done  map[uint64]struct{}
}

// Confirm marks an entry as consumed.
func (r *Reader) Confirm(seq uint64) {
	r.mu.Lock()
	if seq <= r.floor {
		r.mu.Unlock()
		return
	}
	r.done[seq] = struct{}{}
	for {
		if _, ok := r.done[r.floor+1]; !ok {
			break
		}
		delete(r.done, r.floor+1)
		r.floor++
	}
	r.mu.Unlock()

	r.ch.confirmed(r, seq)
}

func (r *Reader) needs(seq uint64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if seq <= r.floor {
		return false
	}
	_, ok := r.done[seq]
	return !ok
}

// Channel is a replicated sequence of entries.
type Channel struct {
	st *store

	mu      sync.RWMutex
	readers map[string]*Reader
	early   map[uint64]map[*Reader]struct{}
	errors  uint64
}

// NewChannel returns an empty channel.
func NewChannel(limit int) *Channel {
	return &Channel{
		st:      newStore(limit),
		readers: make(map[string]*Reader),
		early:   make(map[uint64]map[*Reader]struct{}),
	}
}

// AddReader adds a reader that starts after floor.
func (c *Channel) AddReader(name string, floor uint64) *Reader {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &Reader{Name: name, ch: c, floor: floor, done: make(map[uint64]struct{})}
	c.readers[name] = r
	return r
}

// allEarly tells if every reader has confirmed the entry ahead of time. The
// lock is held.
func (c *Channel) allEarly(seq uint64) bool {
	m := c.early[seq]
	if len(m) == 0 {
		return false
	}
	for _, r := range c.readers {
		if _, ok := m[r]; !ok && r.needs(seq) {
			return false
		}
	}
	return true
}

// Apply stores an entry the leader has assigned a number to. It is called by
// one goroutine, in order.
func (c *Channel) Apply(seq uint64, body []byte) error {
	c.mu.Lock()
	unneeded := c.allEarly(seq)
	if unneeded {
		delete(c.early, seq)
	}
	c.mu.Unlock()

	if err := c.st.write(seq, body); err != nil {
		c.mu.Lock()
		c.errors++
		c.mu.Unlock()
		return err
	}

	if unneeded {
		c.st.remove(seq)
	}
	return nil
}

// confirmed is called by a reader that is done with an entry.
func (c *Channel) confirmed(r *Reader, seq uint64) {
	c.mu.Lock()
	first, last := c.st.bounds()
	if seq < first {
		c.mu.Unlock()
		return
	}
	if seq > last {
		m := c.early[seq]
		if m == nil {
			m = make(map[*Reader]struct{})
			c.early[seq] = m
		}
		m[r] = struct{}{}
		c.mu.Unlock()
		return
	}
	for _, o := range c.readers {
		if o != r && o.needs(seq) {
			c.mu.Unlock()
			return
		}
	}
	delete(c.early, seq)
	c.mu.Unlock()

	c.st.remove(seq)
}
