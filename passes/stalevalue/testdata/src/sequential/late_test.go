package sequential

import (
	"testing"
	"time"
)

var (
	feed    Feed
	club    Club
	journal Journal
	guest   = new(member)
)

func TestListen(t *testing.T) {
	go feed.Update()
	l := &listener{wake: make(chan struct{}, 1)}
	feed.mu.Lock()
	l.last = feed.state
	feed.mu.Unlock()
	feed.mu.Lock()
	feed.listeners[l.id] = l
	feed.mu.Unlock()
}

func enter(c *Club, m *member, room string) {
	m.mu.Lock()
	m.room = room
	m.mu.Unlock()
	c.mu.Lock()
	c.rooms[room][m.id] = m
	c.mu.Unlock()
}

func TestEnter(t *testing.T) {
	go guest.Close()
	enter(&club, guest, "bar")
}

func TestJournal(t *testing.T) {
	go journal.Rotate()
	journal.mu.Lock()
	journal.out.Load().Write(nil)
	journal.mu.Unlock()
	journal.out.Load().Sync()
}

func TestNames(t *testing.T) {
	go journal.Name("y")
	journal.Name("x")
	for name := range journal.names {
		t.Log(name)
	}
}

func call(d *Desk, next func() int) {
	id := next()
	d.requests <- id
	d.mu.Lock()
	d.waiting[id] = make(chan string, 1)
	d.mu.Unlock()
}

func TestCall(t *testing.T) {
	call(NewDesk(nil), func() int { return 1 })
}

func wait(s *naps, n *nap) {
	s.mu.Lock()
	d := time.Until(n.until)
	s.mu.Unlock()
	time.Sleep(d)
	s.mu.Lock()
	delete(s.all, n.key)
	s.mu.Unlock()
}

func TestNap(t *testing.T) {
	n := &nap{key: "x"}
	s := &naps{all: map[string]*nap{"x": n}}
	go s.putOff(n, 1)
	wait(s, n)
}
