package doubts

import "sync"

// A feed tells its listeners of changes.
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

func (f *Feed) add(l *listener) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.listeners[l.id] = l
}

func (f *Feed) add2(l *listener) {
	if l.id > 0 {
		f.add(l)
	}
}

func (f *Feed) add3(l *listener) {
	if l.id > 0 {
		f.add2(l)
	}
}

func (f *Feed) add4(l *listener) {
	if l.id > 0 {
		f.add3(l)
	}
}

func (f *Feed) add5(l *listener) {
	if l.id > 0 {
		f.add4(l)
	}
}

func (f *Feed) Listen(id int) *listener {
	l := &listener{id: id, wake: make(chan struct{}, 1)}
	f.mu.Lock()
	l.last = f.state
	f.mu.Unlock()
	f.add5(l) // want `stale-use: f\.state was read .* \[medium confidence: it is deep in callees\]`
	return l
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

func (m *member) enter(room string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.room = room
}

func (m *member) enter2(room string) {
	if room != "" {
		m.enter(room)
	}
}

func (m *member) enter3(room string) {
	if room != "" {
		m.enter2(room)
	}
}

func (m *member) enter4(room string) {
	if room != "" {
		m.enter3(room)
	}
}

func (m *member) enter5(room string) {
	if room != "" {
		m.enter4(room)
	}
}

func (c *Club) Enter(m *member, room string) {
	m.enter5(room)
	c.mu.Lock()
	c.rooms[room][m.id] = m // want `check-then-act: m\.room was written .* \[medium confidence: it is deep in callees\]`
	c.mu.Unlock()
}

// A Lamp is put out by its owner.
type Lamp struct{ out chan struct{} }

// NewLamp returns a lamp.
func NewLamp() *Lamp { return &Lamp{out: make(chan struct{})} }

// Close may be called twice, one call after the other.
func (l *Lamp) Close() {
	select {
	case <-l.out:
	default:
		close(l.out) // want `l.out.closed was checked .*\[medium confidence: that two close it at once is only assumed of the callers\]`
	}
}

// A Torch is put out by its owner, or when the time is up.
type Torch struct{ out chan struct{} }

// NewTorch starts the goroutine.
func NewTorch(late <-chan struct{}) *Torch {
	t := &Torch{out: make(chan struct{})}
	go func() {
		<-late
		t.Close()
	}()
	return t
}

// Close is called by the goroutine and by the owner.
func (t *Torch) Close() {
	select {
	case <-t.out:
	default:
		close(t.out) // want `t.out.closed was checked .* may do this at once\)$`
	}
}
