package idiom

import (
	"sync"
	"sync/atomic"
)

// In-flight tokens: the first section writes the state that it tests.

type call struct {
	done chan struct{}
	val  int
}

type Group struct {
	mu    sync.Mutex
	calls map[string]*call
}

func (g *Group) Do(key string, f func() int) int {
	g.mu.Lock()
	if c, ok := g.calls[key]; ok {
		g.mu.Unlock()
		<-c.done
		return c.val
	}
	c := &call{done: make(chan struct{})}
	g.calls[key] = c
	g.mu.Unlock()

	c.val = f()
	close(c.done)

	g.mu.Lock()
	delete(g.calls, key)
	g.mu.Unlock()
	return c.val
}

// A claim flag.

type Indexer struct {
	mu      sync.Mutex
	running bool
	dirty   bool
	rounds  int
}

func (x *Indexer) Kick(run func()) {
	x.mu.Lock()
	x.dirty = true
	if x.running {
		x.mu.Unlock()
		return
	}
	x.running = true
	x.mu.Unlock()

	for {
		x.mu.Lock()
		if !x.dirty {
			x.running = false
			x.mu.Unlock()
			return
		}
		x.dirty = false
		x.rounds++
		x.mu.Unlock()
		run()
	}
}

// Once has the claim in one method and the end of it in another.
func (x *Indexer) Once(run func()) bool {
	if !x.begin() {
		return false
	}
	defer x.end()
	run()
	return true
}

func (x *Indexer) begin() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.running {
		return false
	}
	x.running = true
	return true
}

func (x *Indexer) end() {
	x.mu.Lock()
	x.running = false
	x.mu.Unlock()
}

// The claim is an atomic flag.
type Flusher struct {
	busy atomic.Bool
	mu   sync.Mutex
	buf  []int
	n    int
}

func (f *Flusher) Flush(write func([]int)) bool {
	if !f.busy.CompareAndSwap(false, true) {
		return false
	}
	defer f.busy.Store(false)
	f.mu.Lock()
	buf := f.buf
	f.buf = nil
	f.mu.Unlock()
	write(buf)
	return true
}

// FlushHint asks before it claims.
func (f *Flusher) FlushHint(write func([]int)) bool {
	if f.busy.Load() {
		return false
	}
	return f.Flush(write)
}

func (f *Flusher) Add(n int) {
	f.mu.Lock()
	f.buf = append(f.buf, n)
	f.mu.Unlock()
}

// Reservation with rollback.

type Disk struct {
	mu   sync.Mutex
	free int
	used map[string]int
}

func (d *Disk) Write(name string, n int, write func() error) error {
	d.mu.Lock()
	if d.free < n {
		d.mu.Unlock()
		return errFull
	}
	d.free -= n
	d.mu.Unlock()

	err := write()

	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.free += n
		return err
	}
	d.used[name] += n
	return nil
}

// The same with accessors.
func (d *Disk) reserve(n int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.free < n {
		return false
	}
	d.free -= n
	return true
}

func (d *Disk) giveBack(n int) {
	d.mu.Lock()
	d.free += n
	d.mu.Unlock()
}

func (d *Disk) Try(n int, write func() error) error {
	if !d.reserve(n) {
		return errFull
	}
	if err := write(); err != nil {
		d.giveBack(n)
		return err
	}
	return nil
}

// Drain: what was taken is no longer there.

type Mailbox struct {
	mu    sync.Mutex
	mails []string
	read  int
	last  string
}

func (m *Mailbox) Put(s string) {
	m.mu.Lock()
	m.mails = append(m.mails, s)
	m.mu.Unlock()
}

func (m *Mailbox) Drain(each func(string)) {
	m.mu.Lock()
	mails := m.mails
	m.mails = nil
	m.mu.Unlock()
	for _, s := range mails {
		each(s)
	}
	m.mu.Lock()
	m.read += len(mails)
	m.mu.Unlock()
}

// DrainFailed puts back what could not be sent.
func (m *Mailbox) DrainFailed(send func(string) bool) {
	m.mu.Lock()
	mails := m.mails
	m.mails = nil
	m.mu.Unlock()
	var rest []string
	for _, s := range mails {
		if !send(s) {
			rest = append(rest, s)
		}
	}
	m.mu.Lock()
	m.mails = append(rest, m.mails...)
	m.mu.Unlock()
}

// Pop takes one after the other.
func (m *Mailbox) Pop() (string, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.mails) == 0 {
		return "", false
	}
	s := m.mails[0]
	m.mails = m.mails[1:]
	return s, true
}

func (m *Mailbox) Forward(to *Mailbox) {
	for {
		s, ok := m.Pop()
		if !ok {
			return
		}
		to.Put(s)
	}
}

// Swap out: the old one belongs to whoever has taken it.

type Log struct {
	mu   sync.Mutex
	cur  *segment
	done []*segment
}

type segment struct{ lines []string }

func (l *Log) Rotate(archive func(*segment)) {
	next := &segment{}
	l.mu.Lock()
	old := l.cur
	l.cur = next
	l.mu.Unlock()
	if old == nil {
		return
	}
	archive(old)
	l.mu.Lock()
	l.done = append(l.done, old)
	l.mu.Unlock()
}

func (l *Log) Print(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cur == nil {
		l.cur = &segment{}
	}
	l.cur.lines = append(l.cur.lines, s)
}

// Delta update: what was taken is taken away, whatever has come since.

type Buffer struct {
	mu      sync.Mutex
	pending int
	sent    int
}

func (b *Buffer) Add(n int) {
	b.mu.Lock()
	b.pending += n
	b.mu.Unlock()
}

func (b *Buffer) Send(send func(int) int) {
	b.mu.Lock()
	n := b.pending
	b.mu.Unlock()
	n = send(n)
	b.mu.Lock()
	b.pending -= n
	b.sent += n
	b.mu.Unlock()
}

func (b *Buffer) SendIf(send func(int)) {
	b.mu.Lock()
	taken := b.pending
	b.mu.Unlock()
	if taken == 0 {
		return
	}
	send(taken)
	b.mu.Lock()
	b.pending -= taken
	b.mu.Unlock()
}

// Unique ids.

type Router struct {
	mu    sync.Mutex
	next  int
	waits map[int]chan string
}

func (r *Router) Ask(send func(int)) string {
	r.mu.Lock()
	id := r.next
	r.next++
	r.mu.Unlock()
	ch := make(chan string, 1)
	r.mu.Lock()
	r.waits[id] = ch
	r.mu.Unlock()
	send(id)
	s := <-ch
	r.mu.Lock()
	delete(r.waits, id)
	r.mu.Unlock()
	return s
}

func (r *Router) newID() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next++
	return r.next
}

func (r *Router) Register(ch chan string) int {
	id := r.newID()
	r.mu.Lock()
	r.waits[id] = ch
	r.mu.Unlock()
	return id
}

// Reference counts.

type table struct {
	refs  atomic.Int32
	close func()
}

func (t *table) drop() {
	if t.refs.Add(-1) == 0 {
		t.close()
	}
}

type Tables struct {
	mu   sync.RWMutex
	list []*table
	size int
}

func (t *Tables) Each(f func(*table)) {
	t.mu.RLock()
	held := append([]*table(nil), t.list...)
	for _, x := range held {
		x.refs.Add(1)
	}
	t.mu.RUnlock()
	for _, x := range held {
		f(x)
		x.drop()
	}
}

func (t *Tables) Add(x *table) {
	x.refs.Store(1)
	t.mu.Lock()
	t.list = append(t.list, x)
	t.size++
	t.mu.Unlock()
}

// Counted under the lock.
type Handle struct {
	mu   sync.Mutex
	refs int
	open bool
}

func (h *Handle) get() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.open {
		return false
	}
	h.refs++
	return true
}

func (h *Handle) put(close func()) {
	h.mu.Lock()
	h.refs--
	last := h.refs == 0 && !h.open
	h.mu.Unlock()
	if last {
		close()
	}
}

func (h *Handle) Use(f, close func()) {
	if h.get() {
		defer h.put(close)
		f()
	}
}

func (h *Handle) Close() {
	h.mu.Lock()
	h.open = false
	h.mu.Unlock()
}
