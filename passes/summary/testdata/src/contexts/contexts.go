// Package contexts has functions with the contexts that they run in. // want package:"summary"
package contexts

import "sync"

// store has one goroutine per object, which a helper of the constructor starts after the
// object is shared.
type store struct {
	mu    sync.Mutex
	n     int
	wg    sync.WaitGroup
	other chan *store
}

func Open(all map[string]*store) *store { // want `Open: exported Open$`
	s := &store{other: make(chan *store)}
	all["s"] = s
	s.start()
	return s
}

func (s *store) start() { // want `start: exported Open; runs once per object$`
	s.wg.Go(s.flush)
	go s.serve(1)
}

func (s *store) flush() { // want `flush: goroutine once \(\*store\)\.flush; runs once per object$`
	s.step()
	<-s.other
}

func (s *store) serve(n int) { // want `serve: goroutine once \(\*store\)\.serve; runs once per object$`
	s.step()
}

func (s *store) step() { // want `step: goroutine once \(\*store\)\.flush; goroutine once \(\*store\)\.serve$`
	s.mu.Lock()
	s.n++
	s.mu.Unlock()
}

// pool starts a goroutine for each request.
type pool struct {
	mu sync.Mutex
	n  int
}

func NewPool() *pool { // want `NewPool: exported NewPool$`
	p := &pool{}
	p.add() // before the publication
	return p
}

func (p *pool) Handle(n int) { // want `Handle: exported \(\*pool\)\.Handle$`
	p.spawn(n)
}

func (p *pool) spawn(n int) { // want `spawn: exported \(\*pool\)\.Handle$`
	go p.work(n)
}

func (p *pool) work(n int) { // want `work: goroutine \(\*pool\)\.work$`
	p.add()
}

func (p *pool) add() { // want `add: goroutine \(\*pool\)\.work$`
	p.mu.Lock()
	p.n++
	p.mu.Unlock()
}

// hub gives a method away.
type hub struct {
	mu sync.Mutex
	n  int
}

func Serve(handle func(func())) { // want `Serve: exported Serve; writes alone table of @contexts#table$`
	h := &hub{}
	table = append(table, h.handle)
}

var table []func()

func (h *hub) handle() { // want `handle: callback \(\*hub\)\.handle$`
	h.mu.Lock()
	h.n++
	h.mu.Unlock()
}

var total struct {
	mu sync.Mutex
	n  int
}

// Sum starts the same function for everybody who calls it: the group is no object of it.
func Sum() { // want `Sum: exported Sum$`
	var wg sync.WaitGroup
	wg.Go(count)
	wg.Wait()
}

func count() { // want `count: goroutine count$`
	total.mu.Lock()
	total.n++
	total.mu.Unlock()
}
