package known

import (
	"store"
	"sync"
)

// An interface whose implementations are in the other package.
type lookup interface {
	Get(string) *store.Item
	Put(string, *store.Item)
}

var _ lookup = (*store.Store)(nil)

func Through(l lookup, name string) *store.Item {
	it := l.Get(name)
	if it == nil {
		it = new(store.Item)
		l.Put(name, it) // want `check-then-act: l.items\[name\] was checked at line 17`
	}
	return it
}

// Waiting until something is free, and then taking it: the loop does not end
// otherwise.

type seat struct {
	mu    sync.Mutex
	owner *item
}

func (s *seat) Take(pause func(), x *item) {
	for {
		s.mu.Lock()
		idle := s.owner == nil
		s.mu.Unlock()
		if idle {
			break
		}
		pause()
	}
	s.mu.Lock()
	s.owner = x // MISSED: check-then-act: somebody else may have taken it
	s.mu.Unlock()
}

func (s *seat) Leave() {
	s.mu.Lock()
	s.owner = nil
	s.mu.Unlock()
}

// Retry loops that only end when the second look agrees.

type page struct {
	mu   sync.Mutex
	gen  int
	text string
	html string
}

func (p *page) Edit(text string) {
	p.mu.Lock()
	p.gen++
	p.text, p.html = text, ""
	p.mu.Unlock()
}

func (p *page) Render(render func(string) string) string {
	for {
		p.mu.Lock()
		text, gen := p.text, p.gen
		p.mu.Unlock()
		html := render(text)
		p.mu.Lock()
		if p.gen != gen {
			p.mu.Unlock()
			continue
		}
		p.html = html // FALSE: stale-use: p.gen tells that text is current
		p.mu.Unlock()
		return html
	}
}

func (p *page) Change(edit func(string) string) {
	for {
		p.mu.Lock()
		old := p.text
		p.mu.Unlock()
		next := edit(old)
		p.mu.Lock()
		if p.text != old {
			p.mu.Unlock()
			continue
		}
		p.text = next
		p.gen++
		p.mu.Unlock()
		return
	}
}
