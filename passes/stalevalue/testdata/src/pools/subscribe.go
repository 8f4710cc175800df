package pools

import "sync"

// A Feed sends its state to all who listen.
type Feed struct {
	stateMu sync.Mutex
	state   *snapshot

	mu        sync.Mutex
	listeners map[int]*listener
}

type snapshot struct{ version int }

type listener struct {
	id   int
	mu   sync.Mutex
	last *snapshot
	wake chan struct{}
}

func (l *listener) give(s *snapshot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last == nil || s.version > l.last.version {
		l.last = s
	}
}

func (f *Feed) current() *snapshot {
	f.stateMu.Lock()
	defer f.stateMu.Unlock()
	return f.state
}

func (f *Feed) Update() {
	f.stateMu.Lock()
	f.state = &snapshot{version: f.state.version + 1}
	f.stateMu.Unlock()
	f.wakeAll()
}

func (f *Feed) wakeAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, l := range f.listeners {
		l.wake <- struct{}{}
	}
}

func (f *Feed) add(l *listener) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.listeners[l.id] = l
}

// Listen misses an update between the two.
func (f *Feed) Listen(id int) *listener {
	l := &listener{id: id, wake: make(chan struct{}, 1)}
	l.give(f.current())
	f.add(l) // want `stale-use: f\.state was read at line \d+ for what is only put into f\.listeners\[id\] here; \(\*Feed\)\.Update`
	return l
}

// ListenFirst is on the list when it looks.
func (f *Feed) ListenFirst(id int) *listener {
	l := &listener{id: id, wake: make(chan struct{}, 1)}
	f.add(l)
	l.give(f.current())
	return l
}

// ListenAgain looks again.
func (f *Feed) ListenAgain(id int) *listener {
	l := &listener{id: id, wake: make(chan struct{}, 1)}
	l.give(f.current())
	f.add(l)
	l.give(f.current())
	return l
}

// ListenOnly does not care for the state.
func (f *Feed) ListenOnly(id int) *listener {
	version := f.current().version
	l := &listener{id: id, wake: make(chan struct{}, 1)}
	f.add(l)
	println(version)
	return l
}

// A Room sends all that is said to those who are in it.
type Room struct {
	mu     sync.Mutex
	said   int64
	guests map[int]*guest
}

type guest struct {
	id    int
	heard int64
	out   chan int64
}

func (r *Room) Say() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said = r.next(r.said)
	for _, g := range r.guests {
		g.out <- r.said
	}
}

func (r *Room) next(n int64) int64 { return 2*n + 1 }

func (r *Room) position() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.said
}

func (r *Room) enter(g *guest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.guests[g.id] = g
}

// Admit lets in who has heard all, and who misses what is said before it enters.
func (r *Room) Admit(g *guest) bool {
	if g.heard < r.position() {
		return false
	}
	r.enter(g) // want `stale-use: r\.said was checked at line \d+ to put something into r\.guests\[g\.id\] here; \(\*Room\)\.Say`
	return true
}

// AdmitAgain sees what it has missed.
func (r *Room) AdmitAgain(g *guest) bool {
	if g.heard < r.position() {
		return false
	}
	r.enter(g)
	return r.position() == g.heard
}

// AdmitWithin looks in the section in which it enters.
func (r *Room) AdmitWithin(g *guest) bool {
	if g.heard < r.position() {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if g.heard < r.said {
		return false
	}
	r.guests[g.id] = g
	return true
}

// AdmitSome does not ask whether the guest has heard what was said.
func (r *Room) AdmitSome(g *guest) bool {
	if r.position() > 100 {
		return false
	}
	r.enter(g)
	return true
}

// A job that was taken out of a list is not the state that others change.
type Jobs struct {
	mu      sync.Mutex
	active  []*job
	waiting map[int]*job
}

type job struct{ id int }

func (q *Jobs) Resume() {
	q.mu.Lock()
	defer q.mu.Unlock()
	var all []*job
	for _, j := range q.waiting {
		all = append(all, j)
	}
	q.active = all
	for _, j := range q.waiting {
		delete(q.waiting, j.id)
	}
}

func (q *Jobs) pop() *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	j := q.active[0]
	q.active = q.active[1:]
	return j
}

func (q *Jobs) Run(try func(*job) bool) {
	j := q.pop()
	if !try(j) {
		q.mu.Lock()
		q.waiting[j.id] = j
		q.mu.Unlock()
	}
}

// ListenLocked is not missed: who tells of an update waits for the lock of the list.
func (f *Feed) ListenLocked(id int) *listener {
	l := &listener{id: id, wake: make(chan struct{}, 1)}
	f.mu.Lock()
	defer f.mu.Unlock()
	l.give(f.current())
	f.listeners[l.id] = l
	return l
}

// A backlog that is handed over.
type Stream struct {
	mu      sync.Mutex
	backlog []int
	readers map[int]*reader
}

type reader struct {
	id      int
	backlog []int
	wake    chan struct{}
}

func (s *Stream) Write(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.backlog = append(s.backlog, n)
	s.backlog = s.backlog[max(0, len(s.backlog)-9):]
	for _, r := range s.readers {
		r.wake <- struct{}{}
	}
}

// Read takes the backlog out.
func (s *Stream) Read(id int) *reader {
	r := &reader{id: id, wake: make(chan struct{}, 1)}
	s.mu.Lock()
	r.backlog = s.backlog
	s.backlog = nil
	s.mu.Unlock()
	s.mu.Lock()
	s.readers[id] = r
	s.mu.Unlock()
	return r
}

func (s *Stream) ReadShared(id int) *reader {
	r := &reader{id: id, wake: make(chan struct{}, 1)}
	s.mu.Lock()
	r.backlog = s.backlog
	s.mu.Unlock()
	s.mu.Lock()
	s.readers[id] = r // want `stale-use: s\.backlog was read at line \d+ for what is only put into s\.readers`
	s.mu.Unlock()
	return r
}

// A Journal keeps its entries in one object and its follows in another.
type Journal struct {
	publishing sync.Mutex
	log        entries
	hub        follows
}

type entries struct {
	mu   sync.Mutex
	list []string
}

type follows struct {
	mu   sync.Mutex
	open map[*follower]bool
}

type follower struct {
	mu      sync.Mutex
	backlog []string
}

func (r *follower) push(e string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.backlog = append(r.backlog, e)
}

func newFollower(backlog []string) *follower { return &follower{backlog: backlog} }

func (l *entries) add(e string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, e)
}

func (l *entries) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.list...)
}

func (h *follows) add(r *follower) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open[r] = true
}

func (h *follows) tell(e string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for r := range h.open {
		r.push(e)
	}
}

func (j *Journal) Publish(e string) {
	j.publishing.Lock()
	defer j.publishing.Unlock()
	j.log.add(e)
	j.hub.tell(e)
}

// Open misses what is published between the two.
func (j *Journal) Open() *follower {
	r := newFollower(j.log.all())
	j.hub.add(r) // want `stale-use: j\.log\.list was read at line \d+ for what is only put into j\.hub\.open`
	return r
}

// OpenLocked keeps publishers away.
func (j *Journal) OpenLocked() *follower {
	j.publishing.Lock()
	defer j.publishing.Unlock()
	r := newFollower(j.log.all())
	j.hub.add(r)
	return r
}

// OpenOther reads the entries of another journal.
func (j *Journal) OpenOther(other *Journal) *follower {
	r := newFollower(other.log.all())
	j.hub.add(r)
	return r
}
