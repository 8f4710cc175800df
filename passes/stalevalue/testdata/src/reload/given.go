package reload

import "sync"

type tool interface{ use(n int) error }

type hammer struct{}

func (hammer) use(int) error { return nil }

// A Bench has a tool while somebody works, who takes it away by the setter.
type Bench struct {
	mu   sync.Mutex
	tool tool
}

func (b *Bench) Set(t tool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tool = t
}

func (b *Bench) get() tool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tool
}

// A Shift works at a bench.
type Shift struct {
	mu    sync.Mutex
	bench *Bench
}

func (s *Shift) Begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bench.Set(hammer{})
}

func (s *Shift) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bench.Set(nil)
}

func (b *Bench) Use(n int) error {
	if b.get() == nil {
		return nil
	}
	return b.get().use(n) // want `check-then-act: b.tool was checked .* may clear it before it is used here unchecked \(Bench.tool is also written by \(\*Bench\).Set`
}

// A Rack gets tools, and keeps one.
type Rack struct {
	mu   sync.Mutex
	tool tool
}

func (r *Rack) Set(t tool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tool = t
}

func (r *Rack) get() tool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tool
}

func (r *Rack) Begin() { r.Set(hammer{}) }

func (r *Rack) Use(n int) error {
	if r.get() == nil {
		return nil
	}
	return r.get().use(n)
}

// A Stand refuses nil.
type Stand struct {
	mu   sync.Mutex
	tool tool
}

func (s *Stand) Set(t tool) {
	if t == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tool = t
}

func (s *Stand) get() tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tool
}

// A Watch stands there.
type Watch struct {
	mu    sync.Mutex
	stand *Stand
}

func (w *Watch) End() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stand.Set(nil)
}

func (s *Stand) Use(n int) error {
	if s.get() == nil {
		return nil
	}
	return s.get().use(n)
}
