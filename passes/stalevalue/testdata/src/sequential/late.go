package sequential

import (
	"sync"
	"sync/atomic"
	"time"
)

// A Feed tells its listeners of changes.
type Feed struct {
	mu        sync.Mutex
	state     *state
	listeners map[int]*listener
}

type state struct{ version int }

type listener struct {
	id   int
	last *state
	wake chan struct{}
}

func (f *Feed) Update() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.state = &state{version: f.state.version + 1}
	for _, l := range f.listeners {
		l.wake <- struct{}{}
	}
}

// A member is in a room of a club.
type member struct {
	club *Club
	id   int

	mu     sync.Mutex
	room   string
	closed bool
}

type Club struct {
	mu    sync.Mutex
	rooms map[string]map[int]*member
}

func (m *member) Close() {
	m.mu.Lock()
	m.closed = true
	id, room := m.id, m.room
	m.mu.Unlock()
	m.club.mu.Lock()
	delete(m.club.rooms[room], id)
	m.club.mu.Unlock()
}

// A Journal writes to a file.
type Journal struct {
	mu    sync.Mutex
	out   atomic.Pointer[file]
	names map[string]int
}

type file struct{ n int }

func (f *file) Write(b []byte) {}
func (f *file) Sync()          {}

func (j *Journal) Rotate() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.out.Store(new(file))
}

func (j *Journal) Name(name string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.names[name]++
}

// A Desk passes answers on to those who wait for them.
type Desk struct {
	mu       sync.Mutex
	waiting  map[int]chan string
	requests chan int
}

func NewDesk(answers chan int) *Desk {
	d := &Desk{waiting: make(map[int]chan string), requests: make(chan int, 1)}
	go d.pass(answers)
	return d
}

func (d *Desk) pass(answers chan int) {
	for id := range answers {
		d.mu.Lock()
		w := d.waiting[id]
		d.mu.Unlock()
		w <- "yes"
	}
}

// A nap can be put off.
type nap struct {
	key   string
	until time.Time
}

type naps struct {
	mu  sync.Mutex
	all map[string]*nap
}

func (s *naps) putOff(n *nap, d time.Duration) {
	s.mu.Lock()
	n.until = time.Now().Add(d)
	s.mu.Unlock()
}
