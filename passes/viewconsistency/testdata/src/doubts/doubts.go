// Package doubts has findings that something serious speaks against.
package doubts

import (
	"sync"
	"sync/atomic"
)

// What is only removed together may be gone when one looks for the second.
type registry struct {
	mu    sync.Mutex
	names map[string]int
	sizes map[string]int
}

func (r *registry) Name(k string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.names[k] = n
}

func (r *registry) Size(k string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sizes[k] = n
}

func (r *registry) Drop(k string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.names, k)
	delete(r.sizes, k)
}

func (r *registry) name(k string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.names[k]
}

func (r *registry) size(k string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sizes[k]
}

func (r *registry) Sum(k string) int {
	n := r.name(k)
	return n + r.size(k) // want `split-read: .* \[medium confidence: what they tell of is only removed\]`
}

// Who asks whether an element is there expects that it is not.
type index struct {
	mu   sync.Mutex
	lows map[string]int
	tops map[string]int
}

func (x *index) Set(k string, low, top int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.lows[k], x.tops[k] = low, top
}

func (x *index) Width(k string) int {
	x.mu.Lock()
	low := x.lows[k]
	x.mu.Unlock()
	x.mu.Lock()
	top, ok := x.tops[k] // want `split-read: .* \[medium confidence: the second is asked whether it is there\]`
	x.mu.Unlock()
	if !ok {
		return 0
	}
	return top - low
}

// Two fields that most functions write one at a time.
type gauge struct {
	mu        sync.Mutex
	low, high int
}

func (g *gauge) Reset(low, high int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.low, g.high = low, high
}

func (g *gauge) Low(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.low = n
}

func (g *gauge) Lower() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.low--
}

func (g *gauge) Range() int {
	g.mu.Lock()
	low := g.low
	g.mu.Unlock()
	g.mu.Lock()
	high := g.high // want `split-read: .* \[medium confidence: most others write only one of the two\]`
	g.mu.Unlock()
	return high - low
}

// What callees of callees read, they may know how to put together.
func (x *index) low(k string) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.lows[k]
}

func (x *index) top(k string) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.tops[k]
}

func (x *index) first(k string) int {
	if k == "" {
		return 0
	}
	return x.low(k)
}

func (x *index) last(k string) int {
	if k == "" {
		return 0
	}
	return x.top(k)
}

func (x *index) Deep(k string) int {
	n := x.first(k)
	return x.last(k) - n // want `split-read: .* \[medium confidence: it is deep in callees\]`
}

// Who has found an object asks it whether it is still good.
type network struct {
	mu      sync.Mutex
	deleted bool
	size    int
}

type driver struct {
	mu       sync.Mutex
	networks map[string]*network
}

func (d *driver) Delete(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.networks[id]
	n.mu.Lock()
	defer n.mu.Unlock()
	n.deleted = true
	d.networks[id] = nil
}

func (d *driver) Size(id string) int {
	d.mu.Lock()
	n := d.networks[id]
	d.mu.Unlock()
	if n == nil {
		return 0
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.deleted { // want `split-read: .* \[medium confidence: the second is asked whether it is there(; .*)?\]`
		return 0
	}
	return n.size
}

// A callee may ask, too.
func (x *index) ask(k string) []int {
	x.mu.Lock()
	defer x.mu.Unlock()
	if top, ok := x.tops[k]; ok {
		return []int{top}
	}
	return nil
}

func (x *index) Ends(k string) (int, []int) {
	return x.low(k), x.ask(k) // want `split-read: .* \[medium confidence: the second is asked whether it is there; .*\]`
}

// One section writes all that there is.
type state struct {
	mu                     sync.Mutex
	a, b, c, d, e, f, g, h int
}

func (s *state) Reset(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.a, s.b, s.c, s.d, s.e, s.f, s.g, s.h = n, n, n, n, n, n, n, n
}

func (s *state) A() int { s.mu.Lock(); defer s.mu.Unlock(); return s.a }
func (s *state) H() int { s.mu.Lock(); defer s.mu.Unlock(); return s.h }

func (s *state) Sum() int {
	n := s.A()
	return n + s.H() // want `split-read: .* \[medium confidence: the two are together in one that has many\]`
}

// Readers that do without the lock of the writers decide by each variable as it is just then.
type booth struct {
	mu     sync.Mutex
	paused atomic.Int32
	queue  atomic.Int32
}

func (b *booth) Change(paused, queue int32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.paused.Store(paused)
	b.queue.Store(queue)
}

func (b *booth) Free(most, least int32, f func()) {
	queue := b.queue.Load()
	if b.paused.Load() < least && queue < most { // want `split-read: .* \[medium confidence: both are read without the lock of the writers, and each decides for itself(; .*)?\]`
		f()
	}
}

// A Plant has two values that are set together.
type Plant struct {
	mu         sync.Mutex
	heat, flow int
	log        func(string) error
}

func (p *Plant) Set(heat, flow int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.heat, p.flow = heat, flow
}

func (p *Plant) Heat() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.heat
}

func (p *Plant) Flow() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.flow
}

// Report does much between the two.
func (p *Plant) Report() (int, int) {
	heat := p.Heat()
	p.log("heat")
	p.log("is")
	p.log("known")
	p.log("now")
	return heat, p.Flow() // want `split-read: .* \[medium confidence: much is done in between, and that two run at once is only assumed of the callers; nothing is computed from the two\]`
}

// Both does next to nothing between them.
func (p *Plant) Both() (int, int) {
	heat := p.Heat()
	return heat, p.Flow() // want `split-read: .*result$`
}

// A purse is mostly filled and emptied by itself, and what is free is computed from both numbers, also in one section.
type purse struct {
	mu          sync.Mutex
	coins, held int
}

func (p *purse) Put(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.coins += n
}

func (p *purse) Hold(n int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.coins-p.held < n {
		return false
	}
	p.held += n
	return true
}

func (p *purse) Release(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held -= n
}

func (p *purse) Pay(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held -= n
	p.coins -= n
}

func (p *purse) all() int     { p.mu.Lock(); defer p.mu.Unlock(); return p.coins }
func (p *purse) blocked() int { p.mu.Lock(); defer p.mu.Unlock(); return p.held }

func (p *purse) Free() int {
	return p.all() - p.blocked() // want `split-read: p.coins at line \d+ and p.held here are read apart, in separate critical sections, but written together by \(\*purse\).Pay[^\[]*$`
}

// A transport knows peers, and others, who become peers.
type transport struct {
	mu      sync.Mutex
	peers   map[int]*node
	remotes map[int]*node
	lost    int
}

type node struct{ sent int }

func (t *transport) peer(id int) *node {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.peers[id]
}

func (t *transport) remote(id int) *node {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.remotes[id]
}

// Find looks first where a node goes to: it may see it in neither place.
func (t *transport) Find(id int) *node {
	if n := t.peer(id); n != nil {
		return n
	}
	return t.remote(id) // want `split-read: t.peers\[id\] at line .* and t.remotes\[id\] here are read apart`
}

// FindAgain looks again where it has looked first.
func (t *transport) FindAgain(id int) *node {
	if n := t.peer(id); n != nil {
		return n
	}
	if n := t.remote(id); n != nil { // want `split-read: t.peers\[id\] at line .* and t.remotes\[id\] here are read apart.*medium confidence`
		return n
	}
	return t.peer(id)
}

// FindBack looks first where a node comes from.
func (t *transport) FindBack(id int) *node {
	if n := t.remote(id); n != nil {
		return n
	}
	return t.peer(id)
}

func (t *transport) AddPeer(id int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.peers[id] = new(node)
}

func (t *transport) AddRemote(id int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.remotes[id] = new(node)
}

func (t *transport) RemovePeer(id int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.peers, id)
}

func (t *transport) Promote(id int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n, ok := t.remotes[id]; ok {
		delete(t.remotes, id)
		t.peers[id] = n
	}
}
