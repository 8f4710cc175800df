// Package idiom is correct code that takes apart what belongs together, or
// seems to.
package idiom

import (
	"sync"
	"sync/atomic"
)

// Chains: a peek at one, then both.

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

func (s *stack) Peek() int {
	s.mu.Lock()
	top := s.top
	s.mu.Unlock()
	if top == 0 {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.top == 0 {
		return 0
	}
	return s.list[len(s.list)-1] - s.top
}

// Both, then one more look at one of them.
func (s *stack) Later(pause func()) (int, bool) {
	s.mu.Lock()
	n, top := len(s.list), s.top
	s.mu.Unlock()
	pause()
	s.mu.Lock()
	same := s.top == top
	s.mu.Unlock()
	return n, same
}

// Fresh reads the pair again before it uses it.
func (s *stack) Fresh() int {
	s.mu.Lock()
	top := s.top
	s.mu.Unlock()
	if top < 0 {
		return top
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	top = s.top
	return top - len(s.list)
}

// Constants: never written after construction.

type grid struct {
	mu            sync.Mutex
	width, height int
	cells         []int
	dirty         bool
}

func NewGrid(w, h int) *grid {
	g := &grid{width: w, height: h}
	g.mu.Lock()
	g.width, g.height = w, h
	g.mu.Unlock()
	g.resize()
	return g
}

// resize is only called by the constructor.
func (g *grid) resize() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.width, g.height = max(g.width, 1), max(g.height, 1)
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

func (g *grid) Area() int { return g.Width() * g.Height() }

func (g *grid) Paint(i, c int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.cells[i] = c
	g.dirty = true
}

// Unpublished objects.

type session struct {
	mu         sync.Mutex
	user, host string
}

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

func (s *session) Rename(user, host string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.user, s.host = user, host
}

func NewSession() *session {
	s := new(session)
	s.setUser("nobody")
	s.setHost("nobody")
	return s
}

// Clone reads under one lock, and writes what nobody else has.
func (s *session) Clone() *session {
	s.mu.Lock()
	user, host := s.user, s.host
	s.mu.Unlock()
	c := &session{}
	c.setUser(user + host)
	c.setHost(user + host)
	return c
}

// Reads inside an outer lock that all writers hold.

type schema struct {
	change sync.Mutex // held by all who change the schema
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
	s.change.Lock()
	defer s.change.Unlock()
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
	return n - s.Table(name)
}

// The lock of another object, that has those which are passed to it.

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

func (p *pool) Sum(c *conn) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return c.In() + c.Out()
}

// Fields that have little to do with each other: Close writes them all.

type client struct {
	mu      sync.Mutex
	name    string
	timeout int
	retries int
	closed  bool
}

func (c *client) SetName(s string)    { c.mu.Lock(); c.name = s; c.mu.Unlock() }
func (c *client) Rename(s string)     { c.mu.Lock(); c.name = s + "'"; c.mu.Unlock() }
func (c *client) ClearName()          { c.mu.Lock(); c.name = ""; c.mu.Unlock() }
func (c *client) DefaultName()        { c.mu.Lock(); c.name = "client"; c.mu.Unlock() }
func (c *client) SetTimeout(n int)    { c.mu.Lock(); c.timeout = n; c.mu.Unlock() }
func (c *client) DoubleTimeout(n int) { c.mu.Lock(); c.timeout *= 2; c.mu.Unlock() }
func (c *client) NoTimeout()          { c.mu.Lock(); c.timeout = 0; c.mu.Unlock() }
func (c *client) LongTimeout()        { c.mu.Lock(); c.timeout = 1000; c.mu.Unlock() }

func (c *client) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.name, c.timeout, c.retries, c.closed = "", 0, 0, true
}

func (c *client) Name() string { c.mu.Lock(); defer c.mu.Unlock(); return c.name }
func (c *client) Timeout() int { c.mu.Lock(); defer c.mu.Unlock(); return c.timeout }

func (c *client) Settings() (string, int) { return c.Name(), c.Timeout() }

// The channel first, then the state: what is missed by the look comes by the
// channel.

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

func (t *topic) Watch() (<-chan struct{}, int) {
	ch := t.Changed()
	v := t.Value()
	return ch, v
}

func (t *topic) Await(want int) {
	for {
		ch := t.Changed()
		if t.Value() == want {
			return
		}
		<-ch
	}
}

// Counters.

type traffic struct {
	mu      sync.Mutex
	in, out int
}

type Report struct{ In, Out int }

func (t *traffic) Pass(n int) {
	t.mu.Lock()
	t.in += n
	t.out += n
	t.mu.Unlock()
}

func (t *traffic) In() int  { t.mu.Lock(); defer t.mu.Unlock(); return t.in }
func (t *traffic) Out() int { t.mu.Lock(); defer t.mu.Unlock(); return t.out }

func (t *traffic) Report() Report { return Report{In: t.In(), Out: t.Out()} }

// Movement from one place to another, and a look in that direction.

type jobs struct {
	mu      sync.Mutex
	waiting map[string]*int
	running map[string]*int
}

func (j *jobs) Start(name string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	job := j.waiting[name]
	delete(j.waiting, name)
	j.running[name] = job
}

func (j *jobs) Find(name string) *int {
	j.mu.Lock()
	job, ok := j.waiting[name]
	j.mu.Unlock()
	if ok {
		return job
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.running[name]
}

func (j *jobs) Has(name string) bool {
	j.mu.Lock()
	_, waiting := j.waiting[name]
	j.mu.Unlock()
	if waiting {
		return true
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	_, running := j.running[name]
	return running
}

// Latches: each says something for good.

type lifecycle struct {
	mu               sync.Mutex
	stopped, drained bool
}

func (l *lifecycle) Stop() {
	l.mu.Lock()
	l.stopped = true
	l.mu.Unlock()
	l.mu.Lock()
	l.drained = true
	l.mu.Unlock()
}

func (l *lifecycle) Done() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stopped && l.drained
}

// Operations, each for itself.

type bank struct {
	mu            sync.Mutex
	cash, savings int
	overdrawn     bool
}

func (b *bank) Total() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.cash + b.savings
}

func (b *bank) Pay(n int) {
	b.mu.Lock()
	b.cash -= n
	b.mu.Unlock()
}

func (b *bank) Save(n int) {
	b.mu.Lock()
	b.savings += n
	b.mu.Unlock()
}

func (b *bank) Both(n int) {
	b.Pay(n)
	b.Save(n)
}

func (b *bank) Health() (int, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.savings, b.overdrawn
}

// Close each decide by their own state.
func (b *bank) closeCash() {
	b.mu.Lock()
	if b.cash < 0 {
		b.overdrawn = true
	}
	b.mu.Unlock()
}

func (b *bank) closeSavings() {
	b.mu.Lock()
	if b.cash >= 0 {
		b.savings = 0
	}
	b.mu.Unlock()
}

func (b *bank) Close() {
	b.closeCash()
	b.closeSavings()
}

func (b *bank) Forgive() {
	b.mu.Lock()
	b.overdrawn = false
	b.mu.Unlock()
}

// A flag that is stored last says that the others are there.

type dataset struct {
	loaded     atomic.Bool
	rows, cols atomic.Int64
}

func (d *dataset) Load(rows, cols int64) {
	d.rows.Store(rows)
	d.cols.Store(cols)
	d.loaded.Store(true)
}

func (d *dataset) Cells() int64 {
	if !d.loaded.Load() {
		return 0
	}
	return d.rows.Load() * d.cols.Load()
}

// A copy under the lock.

type shape struct {
	mu   sync.Mutex
	w, h int
}

func (s *shape) Set(w, h int) {
	s.mu.Lock()
	s.w, s.h = w, h
	s.mu.Unlock()
}

type size struct{ w, h int }

func (s *shape) size() size {
	s.mu.Lock()
	defer s.mu.Unlock()
	return size{s.w, s.h}
}

func (s *shape) Area() int {
	sz := s.size()
	return sz.w * sz.h
}

// Two rounds of a loop are two operations.
func (s *shape) Rounds(n int, use func(int)) {
	for i := range n {
		s.mu.Lock()
		v := s.h
		if i%2 == 0 {
			v = s.w
		}
		s.mu.Unlock()
		use(v)
	}
}

// A version that is read before and after.

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

func (p *pages) Both() (string, string) {
	for {
		gen := p.Gen()
		text := p.Text()
		html := p.HTML()
		if p.Gen() == gen {
			return text, html
		}
	}
}

func (p *pages) InLine() (text, html string) {
	for {
		p.mu.Lock()
		gen := p.gen
		p.mu.Unlock()
		p.mu.Lock()
		text = p.text
		p.mu.Unlock()
		p.mu.Lock()
		html = p.html
		p.mu.Unlock()
		p.mu.Lock()
		same := p.gen == gen
		p.mu.Unlock()
		if same {
			return text, html
		}
	}
}

type seqlock struct {
	seq  atomic.Uint64
	a, b atomic.Int64
}

func (s *seqlock) Set(n int64) {
	s.seq.Add(1)
	s.a.Store(n)
	s.b.Store(n * 2)
	s.seq.Add(1)
}

// Follow stores what comes, by a method of the lock.
func (s *seqlock) Follow(feed <-chan int64) {
	for n := range feed {
		s.Set(n)
	}
}

type both struct{ a, b int64 }

func (s *seqlock) Get() (both, bool) {
	for {
		seq := s.seq.Load()
		a, b := s.a.Load(), s.b.Load()
		if seq%2 == 0 && s.seq.Load() == seq {
			return both{a: a, b: b}, true
		}
	}
}

func (s *seqlock) Try() (int64, bool) {
	seq := s.seq.Load()
	a := s.a.Load()
	b := s.b.Load()
	if seq%2 != 0 || s.seq.Load() != seq {
		return 0, false
	}
	return a + b, true
}

func (s *seqlock) Sum() int64 {
	for {
		seq := s.seq.Load()
		a := s.a.Load()
		b := s.b.Load()
		if seq%2 == 0 && s.seq.Load() == seq {
			return a + b
		}
	}
}

// A step that has to do with both: End clears the one, and looks at the other.

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

func (l *lease) End() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.task = 0
	return l.owner
}

func (l *lease) Finish() (int, string) {
	task := l.Task()
	return task, l.End()
}

// A write that depends on what its section finds: one more step on the path.

type rover struct {
	mu     sync.Mutex
	path   []string
	camera string
}

func (r *rover) Step(to string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.path = append(r.path, to)
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

func (r *rover) Go(to string) {
	r.Step(to)
	r.Look(to)
}

// A version that is read before what it tells of.

type rollout struct {
	reload sync.Mutex
	gen    atomic.Uint64
	rules  atomic.Pointer[map[string]bool]

	mu   sync.Mutex
	kept map[string]bool
	of   uint64
}

func (r *rollout) keep(gen uint64, k string, on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of != gen {
		r.kept, r.of = make(map[string]bool), gen
	}
	r.kept[k] = on
}

func (r *rollout) Enabled(k string) bool {
	gen := r.gen.Load()
	on := (*r.rules.Load())[k]
	r.keep(gen, k, on)
	return on
}

func (r *rollout) Replace(rules map[string]bool) {
	r.reload.Lock()
	defer r.reload.Unlock()
	r.rules.Store(&rules)
	r.gen.Add(1)
}

// A shipper has lines to send, and the number of those that have not arrived.
type shipper struct {
	mu      sync.Mutex
	pending []string
	held    int
}

func (s *shipper) Add(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held < 100 {
		s.held++
		s.pending = append(s.pending, line)
	}
}

// Flush takes from the number what it has sent.
func (s *shipper) Flush(send func([]string)) {
	s.mu.Lock()
	batch := s.pending
	s.pending = nil
	s.mu.Unlock()
	send(batch)
	s.mu.Lock()
	s.held -= len(batch)
	s.mu.Unlock()
}
