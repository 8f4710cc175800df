// Package doubts has findings that something serious speaks against.
package doubts

import (
	"errors"
	"sync"
	"sync/atomic"
)

type store struct {
	mu sync.Mutex
	m  map[string]int
	n  int
}

func (s *store) has(k string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.m[k]
	return ok
}

func (s *store) put(k string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m[k] = len(k)
	s.n += len(k)
}

func (s *store) put2(k string) bool { s.put(k); return true }
func (s *store) put3(k string) bool { s.put2(k); return true }
func (s *store) put4(k string) bool { s.put3(k); return true }

func (s *store) Deep(k string) {
	if !s.has(k) {
		s.put4(k) // want `check-then-act: .* \[medium confidence: it is deep in callees\]`
	}
}

func (s *store) check(k string) error {
	s.mu.Lock()
	n := s.n
	s.mu.Unlock()
	if err := reserve(n, k); err != nil {
		return err
	}
	return nil
}

var reserve = func(n int, k string) error { return errors.New(k) }

func (s *store) Checked(k string) error {
	if err := s.check(k); err != nil {
		return err
	}
	s.put(k) // what an operation that has failed was given does not decide
	return nil
}

func (s *store) DeepChecked(k string) error {
	if err := s.check(k); err != nil {
		return err
	}
	s.put4(k)
	return nil
}

func (s *store) Fails(next int, try func(int) error) error {
	s.mu.Lock()
	n := s.n
	s.mu.Unlock()
	if err := try(n); err != nil {
		return err
	}
	s.mu.Lock()
	s.n = next
	s.mu.Unlock()
	return nil
}

type hub struct {
	mu    sync.Mutex
	ports struct{ main struct{ link *port } }
	open  bool
}

type port struct{ n int }

func (h *hub) Set(open bool, n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open = open
	h.ports.main.link.n = n
}

func (h *hub) Far(work func()) {
	h.mu.Lock()
	open := h.open
	h.mu.Unlock()
	if !open {
		return
	}
	work()
	h.mu.Lock()
	h.ports.main.link.n = 1 // want `check-then-act: .* \[medium confidence: it is another variable that is written; what is written belongs to another object, far from the first\]`
	h.mu.Unlock()
}

type flag struct{ v atomic.Bool }

func (f *flag) on() bool   { return f.v.Load() }
func (f *flag) set(b bool) { f.v.Store(b) }

type service struct{ running flag }

func (s *service) Run(work func()) {
	if s.running.on() {
		return
	}
	s.running.set(true) // want `check-then-act: .* \[medium confidence: the atomic variable is changed in a callee, which is a step of its own\]`
	work()
	s.running.set(false)
}

// Doubts that add to a strong one.
type gate struct {
	mu   sync.Mutex
	open bool
	m    map[string]int
	n    int
	gen  int
	last int
}

func (g *gate) isOpen() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open
}

func (g *gate) setOpen() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = true
}

func (g *gate) setOpen2() bool { g.setOpen(); return true }
func (g *gate) setOpen3() bool { g.setOpen2(); return true }
func (g *gate) setOpen4() bool { g.setOpen3(); return true }

func (g *gate) Open(tell func()) {
	if !g.isOpen() {
		tell()
		g.setOpen4() // want `check-then-act: .* \[medium confidence: it is deep in callees; it only becomes what others make it\]`
	}
}

func (g *gate) has(k string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, ok := g.m[k]
	return ok
}

func (g *gate) Drop(k string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.m, k)
	g.n++
}

func (g *gate) put(k string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.n < 10 {
		g.m[k] = g.n
	}
}

func (g *gate) put2(k string) bool { g.put(k); return true }
func (g *gate) put3(k string) bool { g.put2(k); return true }
func (g *gate) put4(k string) bool { g.put3(k); return true }

func (g *gate) Put(k string) {
	if !g.has(k) {
		g.put4(k) // want `check-then-act: .* \[medium confidence: the act is also decided by what it finds then; it is deep in callees\]`
	}
}

func (g *gate) Next() {
	g.mu.Lock()
	g.gen++
	g.mu.Unlock()
}

func (g *gate) Forget() {
	g.mu.Lock()
	g.last = 0
	g.mu.Unlock()
}

func (g *gate) Note(log func(int), keep bool) {
	g.mu.Lock()
	gen := g.gen
	g.mu.Unlock()
	if gen == 0 {
		return
	}
	if !keep {
		return
	}
	g.mu.Lock()
	log(g.gen)
	g.last = gen // want `check-then-act: .* \[medium confidence: it is another variable that is written; the two are only used together here\]`
	g.mu.Unlock()
}

// A spool writes what it has encoded, and counts off what was in it.
type spool struct {
	mu    sync.Mutex
	last  int
	dirty int
}

// encode is called with s.mu held.
func (s *spool) encode() []int { return []int{s.last, s.dirty} }

func (s *spool) Put() {
	s.mu.Lock()
	s.last++
	s.dirty++
	s.mu.Unlock()
}

// Save can fail, and that is all that the count depends on.
func (s *spool) Save(write func([]int) error) error {
	s.mu.Lock()
	prior := s.dirty
	buf := s.encode()
	s.mu.Unlock()
	if err := write(buf); err != nil {
		return err
	}
	s.mu.Lock()
	s.dirty -= prior
	s.mu.Unlock()
	return nil
}

// A table has the tasks of a Driver.
type table struct {
	mu    sync.Mutex
	tasks map[string]*task
}

type task struct{ dir string }

func (t *table) get(id string) (*task, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	found, ok := t.tasks[id]
	return found, ok
}

func (t *table) set(id string, k *task) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tasks[id] = k
}

type Driver struct {
	tasks  *table
	shell  func(string) error
	remote func(string) error
}

var errExists = errors.New("exists")

// Start does much between the two; who has a Driver starts a task once.
func (d *Driver) Start(id string) error {
	if _, ok := d.tasks.get(id); ok {
		return errExists
	}
	for _, run := range []func(string) error{d.shell, d.remote} {
		if err := run(id); err != nil {
			return err
		}
	}
	if err := errors.Join(d.shell("ls"), d.remote("ls")); err != nil {
		return err
	}
	d.tasks.set(id, &task{id}) // want `check-then-act: .* \[medium confidence: much is done in between, and that two run at once is only assumed of the callers\]`
	return nil
}

// Add is as good as one step for its callers, but they run it at once if any.
func (d *Driver) Add(id string) error {
	if _, ok := d.tasks.get(id); ok {
		return errExists
	}
	if err := d.shell(id); err != nil {
		return err
	}
	d.tasks.set(id, &task{id}) // want `check-then-act: .*which the exported .* calls\)$`
	return nil
}

// A shelf has the tasks of a Pool.
type shelf struct {
	mu    sync.Mutex
	tasks map[string]*task
}

func (t *shelf) get(id string) (*task, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	found, ok := t.tasks[id]
	return found, ok
}

func (t *shelf) set(id string, k *task) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tasks[id] = k
}

// A Pool starts its tasks in goroutines of its own.
type Pool struct {
	tasks shelf
	shell func(string) error
}

func (p *Pool) Serve(ids chan string) {
	for id := range ids {
		go p.start(id)
	}
}

func (p *Pool) start(id string) {
	if _, ok := p.tasks.get(id); ok {
		return
	}
	if errors.Join(p.shell("a"), p.shell("b"), p.shell("c")) != nil {
		return
	}
	p.tasks.set(id, &task{id}) // want `check-then-act: .*\)$`
}

// A Purse is paid from by several goroutines.
type Purse struct{ n atomic.Int64 }

func (p *Purse) left() int64   { return p.n.Load() }
func (p *Purse) spend(n int64) { p.n.Add(-n) }

// Pay is wrong: what is spent is what was compared.
func (p *Purse) Pay(n int64) bool {
	if p.left() < n {
		return false
	}
	p.spend(n) // want `check-then-act: p\.n was checked at line \d+`
	return true
}

// A Spindle is stopped by who has had enough of it, and in the end in any case.
type Spindle struct {
	mu      sync.Mutex
	stopped bool
	turns   []int
}

func (s *Spindle) isStopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped
}

func (s *Spindle) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	s.turns = nil
}

// Enough asks before it stops, which others do not.
func (s *Spindle) Enough(tell func()) {
	if !s.isStopped() {
		tell()
		s.stop() // want `check-then-act: .* \[medium confidence: others do the same without a look; it only becomes what others make it\]`
	}
}

func (s *Spindle) End() { s.stop() }

// A Bobbin is stopped by nobody who has not asked.
type Bobbin struct {
	mu      sync.Mutex
	stopped bool
	turns   []int
}

func (b *Bobbin) isStopped() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.stopped
}

func (b *Bobbin) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopped = true
	b.turns = nil
}

func (b *Bobbin) Enough(tell func()) {
	if !b.isStopped() {
		tell()
		b.stop() // want `check-then-act: b\.stopped was checked at line \d+, but .*\)$`
	}
}

func (b *Bobbin) End() {
	if !b.isStopped() {
		b.stop() // want `check-then-act: b\.stopped was checked at line \d+, but .*\)$`
	}
}
