package counters

import "sync"

// A Movie is put together from parts that come in any order.
type Movie struct {
	total int
	done  chan struct{}

	mu    sync.Mutex
	parts map[int]string
}

func (m *Movie) add(n int, part string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, dup := m.parts[n]; dup {
		return false
	}
	m.parts[n] = part
	return true
}

func (m *Movie) complete() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.parts) == m.total
}

// Put closes twice if two who have put the last ones ask after that.
func (m *Movie) Put(n int, part string) {
	if !m.add(n, part) {
		return
	}
	if m.complete() { // want `stale-use: m.parts was changed at line \d+, and is loaded here to learn the result`
		close(m.done)
	}
}

// PutOne asks in the section that adds.
func (m *Movie) PutOne(n int, part string) {
	m.mu.Lock()
	m.parts[n] = part
	complete := len(m.parts) == m.total
	m.mu.Unlock()
	if complete {
		close(m.done)
	}
}

// PutMany tells how many there are by then.
func (m *Movie) PutMany(parts map[int]string) int {
	for n, part := range parts {
		m.add(n, part)
	}
	return m.count()
}

func (m *Movie) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.parts)
}

// Show says how many there are after it has put one.
func (m *Movie) Show(n int, part string) int {
	m.add(n, part)
	return m.count()
}

// A Party is over when the last guest has left.
type Party struct {
	over chan struct{}

	mu     sync.Mutex
	guests map[string]bool
}

func (p *Party) Enter(name string) {
	p.mu.Lock()
	p.guests[name] = true
	p.mu.Unlock()
}

func (p *Party) leave(name string) {
	p.mu.Lock()
	delete(p.guests, name)
	p.mu.Unlock()
}

func (p *Party) left() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.guests)
}

// Leave may find that nobody is left where another guest was the last one.
func (p *Party) Leave(name string) {
	p.leave(name)
	if p.left() == 0 { // want `stale-use: p.guests was changed at line \d+, and is loaded here to learn the result`
		close(p.over)
	}
}

// Part asks the same in other words.
func (p *Party) Part(name string) {
	p.leave(name)
	if p.left() > 0 { // want `stale-use: p.guests was changed at line \d+, and is loaded here to learn the result`
		return
	}
	close(p.over)
}

// A Rota has as many places as it had before when one of them is given to somebody else.
type Rota struct {
	over chan struct{}

	mu     sync.Mutex
	places []string
}

func (r *Rota) give(n int, name string) {
	r.mu.Lock()
	r.places[n] = name
	r.mu.Unlock()
}

func (r *Rota) empty() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.places) == 0
}

func (r *Rota) Strike() {
	r.mu.Lock()
	r.places = r.places[:0]
	r.mu.Unlock()
}

func (r *Rota) Give(n int, name string) {
	r.give(n, name)
	if r.empty() {
		close(r.over)
	}
}

func (p *Party) Greet(tell func(string)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for name := range p.guests {
		tell(name)
	}
}

// Welcome looks at who is there by a call without a result.
func (p *Party) Welcome(name string, tell func(string)) {
	p.Enter(name)
	p.Greet(tell)
}
