// Package fix tells clients about changes of a board.
package fix

import (
	"errors"
	"sync"
)

var (
	// ErrNoTicket is returned for an unknown number.
	ErrNoTicket = errors.New("no such ticket")
	// ErrEmptyPrefix is returned if there is nothing to wait for.
	ErrEmptyPrefix = errors.New("empty prefix")
)

// Notice is what a client gets.
type Notice struct {
	Ticket int64
	Rev    int64
	Key    string
}

type cancelFunc func()

type ticket struct {
	id     int64
	prefix string
	ch     chan<- Notice
	missed int
}

func (t *ticket) wants(key string) bool {
	return len(key) >= len(t.prefix) && key[:len(t.prefix)] == t.prefix
}

// offer sends without blocking.
func (t *ticket) offer(n Notice) bool {
	select {
	case t.ch <- n:
		return true
	default:
		return false
	}
}

// board is the store that changes.
type board struct {
	mu     sync.Mutex
	rev    int64
	values map[string]string
	live   map[*ticket]struct{}
	slow   map[*ticket]struct{}
	open   int
}

// NewBoard returns an empty board.
func NewBoard() *board {
	return &board{
		values: make(map[string]string),
		live:   make(map[*ticket]struct{}),
		slow:   make(map[*ticket]struct{}),
	}
}

// Put changes a value and tells those who wait for it.
func (b *board) Put(key, value string) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rev++
	b.values[key] = value
	b.notify(key)
	return b.rev
}

// notify is called with the lock held.
func (b *board) notify(key string) {
	for t := range b.live {
		if !t.wants(key) {
			continue
		}
		if !t.offer(Notice{Ticket: t.id, Rev: b.rev, Key: key}) {
			t.missed++
			delete(b.live, t)
			b.slow[t] = struct{}{}
		}
	}
}

// resume gives slow clients another chance.
func (b *board) resume() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for t := range b.slow {
		if t.offer(Notice{Ticket: t.id, Rev: b.rev}) {
			delete(b.slow, t)
			b.live[t] = struct{}{}
		}
	}
}

func (b *board) watch(id int64, prefix string, ch chan<- Notice) (*ticket, cancelFunc) {
	t := &ticket{id: id, prefix: prefix, ch: ch}
	b.mu.Lock()
	b.live[t] = struct{}{}
	b.open++
	b.mu.Unlock()
	return t, func() { b.unwatch(t) }
}

func (b *board) unwatch(t *ticket) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t.ch == nil {
		return
	}
	delete(b.live, t)
	delete(b.slow, t)
	b.open--
	t.ch = nil
}

// Desk bundles the tickets of one client into one channel.
type Desk struct {
	b  *board
	ch chan Notice

	mu      sync.Mutex
	next    int64
	closed  bool
	cancels map[int64]cancelFunc
	tickets map[int64]*ticket
}

// NewDesk opens a desk.
func (b *board) NewDesk() *Desk {
	return &Desk{
		b:       b,
		ch:      make(chan Notice, 128),
		cancels: make(map[int64]cancelFunc),
		tickets: make(map[int64]*ticket),
	}
}

// Watch returns the number of a new ticket.
func (d *Desk) Watch(prefix string) (int64, error) {
	if prefix == "" {
		return -1, ErrEmptyPrefix
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return -1, ErrNoTicket
	}
	id := d.next
	d.next++
	t, c := d.b.watch(id, prefix, d.ch)
	d.cancels[id] = c
	d.tickets[id] = t
	return id, nil
}

// Chan returns the channel of the notices. It is closed by Close.
func (d *Desk) Chan() <-chan Notice { return d.ch }

// Cancel gives a ticket back.
func (d *Desk) Cancel(id int64) error {
	d.mu.Lock()
	cancel, ok := d.cancels[id]
	t := d.tickets[id]
	ok = ok && !d.closed
	d.mu.Unlock()
	if !ok {
		return ErrNoTicket
	}
	cancel()

	// A ticket stays in the tables until it is given back, so that Close
	// always finds it.
	d.mu.Lock()
	if d.tickets[id] == t {
		delete(d.cancels, id)
		delete(d.tickets, id)
	}
	d.mu.Unlock()
	return nil
}

// Close gives all tickets back.
func (d *Desk) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return
	}
	d.closed = true
	for _, cancel := range d.cancels {
		cancel()
	}
	close(d.ch)
}
