// Package atomics uses sync/atomic, each operation of which is a step by itself.
package atomics

import (
	"sync"
	"sync/atomic"
)

// Functions on plain variables.
type Stats struct {
	high  int64
	seen  int64
	state uint32
	ready int32
}

func (s *Stats) Scale(by int64) {
	h := atomic.LoadInt64(&s.high)
	atomic.StoreInt64(&s.high, h*by) // want `lost-update: s\.high was read at line \d+, but the atomic operations are separate and an update by another goroutine is lost by this write`
}

func (s *Stats) ScaleLoop(by int64) {
	for {
		h := atomic.LoadInt64(&s.high)
		if atomic.CompareAndSwapInt64(&s.high, h, h*by) {
			return
		}
	}
}

func (s *Stats) Watch(n int64) {
	if atomic.LoadInt64(&s.seen) < n {
		atomic.StoreInt64(&s.seen, n) // want `check-then-act: s\.seen was checked at line \d+, but the atomic operations are separate and another goroutine may change it before this write`
	}
}

func (s *Stats) WatchLoop(n int64) {
	for {
		old := atomic.LoadInt64(&s.seen)
		if old >= n || atomic.CompareAndSwapInt64(&s.seen, old, n) {
			return
		}
	}
}

// Start starts twice when two callers meet.
func (s *Stats) Start(run func()) {
	if atomic.LoadUint32(&s.state) != 0 {
		return
	}
	atomic.StoreUint32(&s.state, 1) // want `check-then-act: s\.state was checked`
	go run()
}

func (s *Stats) StartAtOnce(run func()) {
	if atomic.CompareAndSwapUint32(&s.state, 0, 1) {
		go run()
	}
}

func (s *Stats) Stop() { atomic.StoreUint32(&s.state, 0) }

func (s *Stats) StartSwap(run func()) {
	if atomic.SwapInt32(&s.ready, 1) == 0 {
		go run()
	}
}

// Types.
type node struct {
	next *node
	val  int
}

type List struct {
	head  atomic.Pointer[node]
	size  atomic.Int64
	conf  atomic.Value
	busy  atomic.Bool
	limit atomic.Int64
}

func (l *List) Push(v int) {
	n := &node{val: v, next: l.head.Load()}
	l.head.Store(n) // want `lost-update: l\.head was read`
}

func (l *List) PushLoop(v int) {
	n := &node{val: v}
	for {
		n.next = l.head.Load()
		if l.head.CompareAndSwap(n.next, n) {
			return
		}
	}
}

// Pop may return the same node to two callers.
func (l *List) Pop() *node {
	n := l.head.Load()
	if n == nil {
		return nil
	}
	l.head.Store(n.next) // want `lost-update: l\.head was read`
	return n
}

func (l *List) PopLoop() *node {
	for {
		n := l.head.Load()
		if n == nil || l.head.CompareAndSwap(n, n.next) {
			return n
		}
	}
}

func (l *List) Take() *node { return l.head.Swap(nil) }

func (l *List) Count() {
	l.size.Store(l.size.Load() + 1) // want `lost-update: l\.size was read`
}

func (l *List) CountAtOnce() { l.size.Add(1) }

// ReserveUndo counts first, and takes it back.
func (l *List) ReserveUndo() bool {
	if l.size.Add(1) > l.limit.Load() {
		l.size.Add(-1)
		return false
	}
	return true
}

func (l *List) SetLimit(n int64) { l.limit.Store(n) }

func (l *List) ClaimAtOnce(work func()) {
	if !l.busy.CompareAndSwap(false, true) {
		return
	}
	defer l.busy.Store(false)
	work()
}

type config struct {
	names []string
	rev   int
}

// Rename loses a change of the configuration.
func (l *List) Rename(name string) {
	old, _ := l.conf.Load().(*config)
	next := &config{names: []string{name}}
	if old != nil {
		next.rev = old.rev + 1
		next.names = append(next.names, old.names...)
	}
	l.conf.Store(next) // want `lost-update: l\.conf was read`
}

func (l *List) RenameLoop(name string) {
	for {
		old := l.conf.Load()
		next := &config{names: []string{name}}
		if c, ok := old.(*config); ok {
			next.rev = c.rev + 1
			next.names = append(next.names, c.names...)
		}
		if l.conf.CompareAndSwap(old, next) {
			return
		}
	}
}

func (l *List) Names() []string {
	c, _ := l.conf.Load().(*config)
	if c == nil {
		return nil
	}
	return c.names
}

// Package variables.
var sequence atomic.Uint64

func Next() uint64 {
	n := sequence.Load() + 1
	sequence.Store(n) // want `lost-update: sequence was read`
	return n
}

func NextAtOnce() uint64 { return sequence.Add(1) }

var started int32

func Main(run func()) {
	if atomic.LoadInt32(&started) == 1 {
		return
	}
	atomic.StoreInt32(&started, 1) // want `check-then-act: started was checked`
	run()
}

func MainAtOnce(run func()) {
	if atomic.AddInt32(&started, 1) == 1 {
		run()
	}
}

// Copy-on-write with a mutex for the writers.
type Table struct {
	mu   sync.Mutex
	rows atomic.Pointer[map[string]int]
}

func (t *Table) Get(k string) int {
	if m := t.rows.Load(); m != nil {
		return (*m)[k]
	}
	return 0
}

func (t *Table) Set(k string, v int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	next := make(map[string]int)
	if m := t.rows.Load(); m != nil {
		for k, v := range *m {
			next[k] = v
		}
	}
	next[k] = v
	t.rows.Store(&next)
}

// Through accessors of a type.
type flag struct{ v atomic.Bool }

func (f *flag) on() bool    { return f.v.Load() }
func (f *flag) set(on bool) { f.v.Store(on) }
func (f *flag) flip() bool  { return f.v.CompareAndSwap(false, true) }

type Service struct{ running flag }

func (s *Service) RunAtOnce(work func()) {
	if !s.running.flip() {
		return
	}
	work()
	s.running.set(false)
}

// Reserve checks the limit before it counts.
func (l *List) Reserve() bool {
	if l.size.Load() >= l.limit.Load() {
		return false
	}
	l.size.Add(1) // want `check-then-act: l\.size was checked`
	return true
}

// Claim lets two callers in.
func (l *List) Claim(work func()) {
	if l.busy.Load() {
		return
	}
	l.busy.Store(true) // want `check-then-act: l\.busy was checked`
	defer l.busy.Store(false)
	work()
}

func (s *Service) Run(work func()) {
	if s.running.on() {
		return
	}
	s.running.set(true) // reported with -confidence=medium: see doubts
	work()
	s.running.set(false)
}

// A Peer changes its state under a lock, which Stop takes too late.
type Peer struct {
	state atomic.Int32

	mu   sync.Mutex
	quit chan struct{}
}

const (
	following = iota
	leading
	stopped
)

func (p *Peer) is(s int32) bool { return p.state.Load() == s }

func (p *Peer) current() int32 { return p.state.Load() }

func (p *Peer) become(s int32) {
	if p.current() == stopped {
		return
	}
	p.state.Store(s) // want `check-then-act: p\.state was checked .* written by \(\*Peer\)\.Stop`
}

func (p *Peer) Lead() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.is(following) {
		p.become(leading)
	}
}

func (p *Peer) Follow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.become(following)
}

func (p *Peer) Stop() {
	if p.state.Swap(stopped) == stopped {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.quit)
}

// A Member does so in time.
type Member struct {
	state atomic.Int32
	mu    sync.Mutex
}

func (m *Member) Become(s int32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.state.Load() == stopped {
		return
	}
	m.state.Store(s)
}

func (m *Member) Stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state.Swap(stopped)
}

// A phase is an atomic variable with methods of its own.
type phase int32

func (p *phase) get() int32  { return atomic.LoadInt32((*int32)(p)) }
func (p *phase) set(n int32) { atomic.StoreInt32((*int32)(p), n) }

// A Machine runs in phases.
type Machine struct{ phase phase }

func (m *Machine) Cancel() {
	if m.phase.get() == 1 {
		m.phase.set(3) // want `check-then-act: m.phase was checked at line \d+, but the atomic operations are separate and another goroutine may change it before this call of set, which writes it`
	}
}

func (m *Machine) Run() { m.phase.set(2) }
