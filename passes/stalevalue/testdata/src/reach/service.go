package reach

import "sync"

// The one goroutine of an object, and those that are started for each thing to do.

type Pump struct {
	mu    sync.Mutex
	level int
	drops chan int
}

// Start begins to pump.
func (p *Pump) Start() { go p.run() }

// Level is for others to look at.
func (p *Pump) Level() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.level
}

func (p *Pump) run() {
	for n := range p.drops {
		p.mu.Lock()
		level := p.level
		p.mu.Unlock()
		level += n
		p.mu.Lock()
		p.level = level
		p.mu.Unlock()
	}
}

type Mixer struct {
	mu    sync.Mutex
	level int
}

// Pour pours in the background.
func (m *Mixer) Pour(drops chan int) { go m.run(drops) }

func (m *Mixer) run(drops chan int) {
	for n := range drops {
		m.mu.Lock()
		level := m.level
		m.mu.Unlock()
		level += n
		m.mu.Lock()
		m.level = level // want `lost-update: m\.level was read`
		m.mu.Unlock()
	}
}
