// Package nearmiss has for idioms of package idiom what is wrong, but for a
// detail the same.
package nearmiss

import (
	"log"
	"sync"
	"sync/atomic"
)

// No chain: the second section has not looked at the first field again.

type stack struct {
	mu   sync.Mutex
	list []int
	top  int
}

func (s *stack) Push(v int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, v)
	s.top = v
}

func (s *stack) Drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list, s.top = nil, 0
}

func (s *stack) Check() int {
	s.mu.Lock()
	top := s.top
	s.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.list) - top // want `split-read: s\.top at line 34 and s\.list here are read apart, in separate critical sections, but written together by \(\*stack\)\.Push under stack\.mu \(nearmiss\.go:22\)`
}

// Written again after construction.

type grid struct {
	mu            sync.Mutex
	width, height int
}

func NewGrid(w, h int) *grid { return &grid{width: w, height: h} }

func (g *grid) Resize(w, h int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.width, g.height = w, h
}

func (g *grid) Width() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.width
}

func (g *grid) Height() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.height
}

func (g *grid) Area() int { return g.Width() * g.Height() } // want `split-read: g\.width at line 68 and g\.height here are read apart, in separate critical sections`

// Others know the object already.

type session struct {
	mu         sync.Mutex
	user, host string
}

var sessions = make(chan *session, 10)

func (s *session) setUser(user string) {
	s.mu.Lock()
	s.user = user
	s.mu.Unlock()
}

func (s *session) setHost(host string) {
	s.mu.Lock()
	s.host = host
	s.mu.Unlock()
}

func (s *session) Address() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.user + "@" + s.host
}

func NewSession() *session {
	s := &session{}
	sessions <- s
	s.setUser("nobody")
	s.setHost("nobody") // want `split-write: \w+\.user at line 100 and \w+\.host here are written apart, in separate critical sections`
	return s
}

func Wipe() {
	s := <-sessions
	s.setUser("")
	s.setHost("") // want `split-write: \w+\.user at line 107 and \w+\.host here are written apart, in separate critical sections`
}

// One of the writers does without the outer lock.

type schema struct {
	change sync.Mutex
	mu     sync.Mutex
	tables map[string]int
	count  int
}

func (s *schema) Add(name string, id int) {
	s.change.Lock()
	defer s.change.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tables[name] = id
	s.count = len(s.tables)
}

func (s *schema) Remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.tables, name)
	s.count = len(s.tables)
}

func (s *schema) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

func (s *schema) Table(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tables[name]
}

func (s *schema) Check(name string) int {
	s.change.Lock()
	defer s.change.Unlock()
	n := s.Count()
	return n - s.Table(name) // want `split-read: s\.count at line 151 and s\.tables\[name\] here are read apart, in separate critical sections, but written together by \(\*schema\)\.Remove under schema\.mu`
}

// The same with the lock of another object.

type pool struct{ mu sync.Mutex }

type conn struct {
	mu      sync.Mutex
	in, out int
}

func (c *conn) set(n, m int) { c.mu.Lock(); c.in, c.out = n, m; c.mu.Unlock() }
func (c *conn) In() int      { c.mu.Lock(); defer c.mu.Unlock(); return c.in }
func (c *conn) Out() int     { c.mu.Lock(); defer c.mu.Unlock(); return c.out }

func (p *pool) Set(c *conn, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.set(n, n)
}

func Reset(c *conn) { c.set(0, 0) }

func (p *pool) Sum(c *conn) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return c.In() + c.Out() // want `split-read: c\.in at line 179 and c\.out here are read apart, in separate critical sections`
}

// Closed and set as often as on their own.

type client struct {
	mu      sync.Mutex
	name    string
	timeout int
}

func (c *client) SetName(s string) { c.mu.Lock(); c.name = s; c.mu.Unlock() }

func (c *client) SetTimeout(n int) { c.mu.Lock(); c.timeout = n; c.mu.Unlock() }

func (c *client) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.name, c.timeout = "", 0
}

func (c *client) Name() string { c.mu.Lock(); defer c.mu.Unlock(); return c.name }

func (c *client) Timeout() int { c.mu.Lock(); defer c.mu.Unlock(); return c.timeout }

func (c *client) Settings() (string, int) { return c.Name(), c.Timeout() } // want `split-read: c\.name at line 204 and c\.timeout here are read apart, in separate critical sections`

// The state first, and then the channel: a change in between wakes nobody.

type topic struct {
	mu      sync.Mutex
	changed chan struct{}
	value   int
}

func (t *topic) Set(v int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.value = v
	close(t.changed)
	t.changed = make(chan struct{})
}

func (t *topic) Changed() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.changed
}

func (t *topic) Value() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.value
}

func (t *topic) Watch() (int, <-chan struct{}) {
	v := t.Value()
	ch := t.Changed() // want `split-read: t\.value at line 235 and t\.changed here are read apart, in separate critical sections`
	return v, ch
}

// Counters that are computed with each other.

type traffic struct {
	mu      sync.Mutex
	in, out int
}

func (t *traffic) Pass(n int) {
	t.mu.Lock()
	t.in += n
	t.out += n
	t.mu.Unlock()
}

func (t *traffic) In() int { t.mu.Lock(); defer t.mu.Unlock(); return t.in }

func (t *traffic) Out() int { t.mu.Lock(); defer t.mu.Unlock(); return t.out }

func (t *traffic) Inside() int { return t.In() - t.Out() } // want `split-read: t\.in at line 258 and t\.out here are read apart, in separate critical sections`

// Both are taken back, so that they are no latches.

type lifecycle struct {
	mu               sync.Mutex
	stopped, drained bool
}

func (l *lifecycle) Stop() {
	l.mu.Lock()
	l.stopped = true
	l.mu.Unlock()
	l.mu.Lock()
	l.drained = true // want `split-write: l\.stopped at line 269 and l\.drained here are written apart, in separate critical sections`
	l.mu.Unlock()
}

func (l *lifecycle) Restart() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopped, l.drained = false, false
}

func (l *lifecycle) Done() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stopped && l.drained
}

// Not deltas: both accounts are emptied.

type bank struct {
	mu            sync.Mutex
	cash, savings int
}

func (b *bank) Total() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.cash + b.savings
}

func (b *bank) Open(cash, savings int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cash, b.savings = cash, savings
}

func (b *bank) Empty() {
	b.mu.Lock()
	b.cash = 0
	b.mu.Unlock()
	b.mu.Lock()
	b.savings = 0 // want `split-write: b\.cash at line 309 and b\.savings here are written apart, in separate critical sections`
	b.mu.Unlock()
}

// The flag is stored by another function, and says nothing of these.

type dataset struct {
	on         atomic.Bool
	rows, cols atomic.Int64
}

func (d *dataset) Switch(on bool) { d.on.Store(on) }

func (d *dataset) Load(rows, cols int64) {
	d.rows.Store(rows)
	d.cols.Store(cols)
}

func (d *dataset) Cells() int64 {
	if !d.on.Load() {
		return 0
	}
	return d.rows.Load() * d.cols.Load() // want `split-read: d\.rows at line 334 and d\.cols here are read apart, in separate atomic operations`
}

// Against the direction of the movement: the job may be in neither.

type jobs struct {
	mu      sync.Mutex
	waiting map[string]int
	running map[string]int
}

func (j *jobs) Start(name string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	job := j.waiting[name]
	delete(j.waiting, name)
	j.running[name] = job
}

func (j *jobs) Find(name string) int {
	j.mu.Lock()
	job, ok := j.running[name]
	j.mu.Unlock()
	if ok {
		return job
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.waiting[name] // want `split-read: j\.running\[name\] at line 355 and j\.waiting\[name\] here are read apart`
}

func (j *jobs) Sum(name string) int {
	j.mu.Lock()
	job := j.running[name]
	j.mu.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.waiting[name] + job // want `split-read: j\.running\[name\] at line 367 and j\.waiting\[name\] here are read apart, in separate critical sections`
}

// Copied apart.

type shape struct {
	mu   sync.Mutex
	w, h int
}

type size struct{ w, h int }

func (s *shape) Set(sz size) {
	s.mu.Lock()
	s.w, s.h = sz.w, sz.h
	s.mu.Unlock()
}

func (s *shape) size() (sz size) {
	s.mu.Lock()
	sz.w = s.w
	s.mu.Unlock()
	s.mu.Lock()
	sz.h = s.h // want `split-read: s\.w at line 391 and s\.h here are read apart, in separate critical sections`
	s.mu.Unlock()
	return sz
}

// The version is read again, but at the wrong time, or for nothing.

type pages struct {
	mu         sync.Mutex
	gen        int
	text, html string
}

func (p *pages) Edit(text, html string) {
	p.mu.Lock()
	p.gen++
	p.text, p.html = text, html
	p.mu.Unlock()
}

func (p *pages) Gen() int     { p.mu.Lock(); defer p.mu.Unlock(); return p.gen }
func (p *pages) Text() string { p.mu.Lock(); defer p.mu.Unlock(); return p.text }
func (p *pages) HTML() string { p.mu.Lock(); defer p.mu.Unlock(); return p.html }

func (p *pages) Early() (string, string) {
	for {
		gen := p.Gen()
		text := p.Text()
		if p.Gen() == gen {
			return text, p.HTML() // want `split-read: p\.text at line 421 and p\.html here are read apart, in separate critical sections`
		}
	}
}

func (p *pages) Positive() (string, string) {
	for {
		gen := p.Gen()
		text := p.Text()
		html := p.HTML() // want `split-read: p\.text at line 431 and p\.html here are read apart, in separate critical sections`
		if gen > 0 && p.Gen() > 0 {
			return text, html
		}
	}
}

// Half reads only one of them again.
func (p *pages) Half() (string, string) {
	text := p.Text()
	for {
		gen := p.Gen()
		html := p.HTML() // want `split-read: p\.text at line 441 and p\.html here are read apart, in separate critical sections`
		if p.Gen() == gen {
			return text, html
		}
	}
}

func (p *pages) Regardless() (string, string) {
	gen := p.Gen()
	text := p.Text()
	html := p.HTML() // want `split-read: p\.text at line 453 and p\.html here are read apart, in separate critical sections`
	if p.Gen() != gen {
		log.Print("changed")
	}
	return text, html
}

func (p *pages) TooLate(use func(string, string)) {
	gen := p.Gen()
	text := p.Text()
	html := p.HTML() // want `split-read: p\.text at line 463 and p\.html here are read apart, in separate critical sections`
	use(text, html)
	if p.Gen() != gen {
		use("", "")
	}
}

// The version of another object.
func Confused(p, q *pages) (string, string) {
	for {
		gen := q.Gen()
		text := p.Text()
		html := p.HTML() // want `split-read: p\.text at line 475 and p\.html here are read apart, in separate critical sections`
		if q.Gen() == gen {
			return text, html
		}
	}
}

// The first is not a version: it may have changed, and come back.
func (p *pages) Again() (string, string) {
	for {
		text := p.Text()
		html := p.HTML() // want `split-read: p\.text at line 486 and p\.html here are read apart, in separate critical sections`
		if p.Text() == text {
			return text, html
		}
	}
}

// One of the writers leaves the version as it is.

type drafts struct {
	mu         sync.Mutex
	gen        int
	text, html string
}

func (d *drafts) Edit(text, html string) {
	d.mu.Lock()
	d.gen++
	d.text, d.html = text, html
	d.mu.Unlock()
}

func (d *drafts) Amend(text, html string) {
	d.mu.Lock()
	d.text, d.html = text, html
	d.mu.Unlock()
}

func (d *drafts) Gen() int     { d.mu.Lock(); defer d.mu.Unlock(); return d.gen }
func (d *drafts) Text() string { d.mu.Lock(); defer d.mu.Unlock(); return d.text }
func (d *drafts) HTML() string { d.mu.Lock(); defer d.mu.Unlock(); return d.html }

func (d *drafts) Both() (string, string) {
	for {
		gen := d.Gen()
		text := d.Text()
		html := d.HTML() // want `split-read: d\.text at line 522 and d\.html here are read apart, in separate critical sections, but written together by \(\*drafts\)\.Amend`
		if d.Gen() == gen {
			return text, html
		}
	}
}

// Owner does not have to do with the task.

type lease struct {
	mu    sync.Mutex
	task  int
	owner string
}

func (l *lease) Grant(task int, owner string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.task, l.owner = task, owner
}

func (l *lease) Task() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.task
}

func (l *lease) Owner() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.owner
}

func (l *lease) Finish() (int, string) {
	task := l.Task()
	return task, l.Owner() // want `split-read: l\.task at line \d+ and l\.owner here are read apart, in separate critical sections`
}

// A path that is replaced, whatever it was.

type rover struct {
	mu     sync.Mutex
	path   []string
	camera string
}

func (r *rover) Follow(path []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.path = path
}

func (r *rover) Look(at string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.camera = at
}

func (r *rover) Reset(start string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.path, r.camera = []string{start}, start
}

func (r *rover) Go(path []string) {
	r.Follow(path)
	r.Look(path[0]) // want `split-write: r\.path at line \d+ and r\.camera here are written apart, in separate critical sections`
}
