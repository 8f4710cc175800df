// Package doubts has findings that something serious speaks against.
package doubts

import "sync"

type tank struct {
	mu           sync.Mutex
	level, limit int
}

func (t *tank) Fill(n, limit int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.level, t.limit = n, limit
}

func (t *tank) Level() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.level
}

func (t *tank) Limit() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.limit
}

type plant struct {
	mu   sync.Mutex
	tank *tank
	free int
}

// Free keeps what it has computed of the two.
func (p *plant) Free() {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.tank.Level()
	p.free = p.tank.Limit() - n // want `reacquire: .*the second relies on it$`
}

// Show is called under a lock that protects nothing of what it shows.
func (p *plant) Show() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.show()
}

func (p *plant) show() int {
	n := p.tank.Level()
	return p.tank.Limit() - n // want `reacquire: .* \[medium confidence: the outer lock protects nothing that comes of the two\]`
}

// Top asks for the level, and sets something else because of it.
func (p *plant) Top() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tank.Level() > 0 {
		p.tank.Lift() // want `reacquire: .* \[medium confidence: the first only decides that there is a second, about another variable\]`
	}
}

// Drain acts on the very variable that it has asked for.
func (p *plant) Drain() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tank.Level() < 10 {
		p.tank.Empty() // want `reacquire: .*the second relies on it$`
	}
}

func (p *plant) level() int { return p.tank.Level() }
func (p *plant) limit() int { return p.tank.Limit() }

// Deep has both in callees of callees.
func (p *plant) Deep() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.level()
	return p.limit() - n // want `reacquire: .* \[medium confidence: it is deep in callees\]`
}

func (t *tank) Lift() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.limit = 100
}

func (t *tank) Empty() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.level = 0
}

func (t *tank) Drain() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.level
	t.level = 0
	return n
}

// Waste empties the tank, whatever it has found there.
func (p *plant) Waste() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.tank.Level()
	p.tank.Empty() // want `reacquire: .* \[medium confidence: the second does not go by what the first has found\]`
	return n
}

// WasteAtOnce looks and empties in one step.
func (p *plant) WasteAtOnce() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tank.Drain()
}

// A List sends what is pending, one list after the other.
type List struct {
	sending sync.Mutex // held while a list is sent
	mu      sync.Mutex
	pending []string
}

func (l *List) Post(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending = append(l.pending, s)
}

func (l *List) waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.pending)
}

// Flush removes what it has counted.
func (l *List) Flush(send func(int)) {
	l.sending.Lock()
	defer l.sending.Unlock()
	n := l.waiting()
	send(n)
	l.mu.Lock() // want `reacquire: .* \[medium confidence: the outer lock guards no variable\]`
	l.pending = l.pending[n:]
	l.mu.Unlock()
}
