package told

import "sync"

// A Gauge is told to stop by a channel.
type Gauge struct {
	mu     sync.Mutex
	status string
	count  int
	stop   chan struct{}
}

func NewGauge() *Gauge { return &Gauge{stop: make(chan struct{})} }

// Stop is called once.
func (g *Gauge) Stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.stop)
	g.status = "stopped"
}

func (g *Gauge) Status() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.status
}

func (g *Gauge) Record(status string) {
	select {
	case <-g.stop:
		return
	default:
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.status = status // want `g.stop.closed was checked at line 30`
}

// RecordOpen is right.
func (g *Gauge) RecordOpen(status string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.stop:
		return
	default:
	}
	g.status = status
}

// Count is right: what it writes tells nothing of the stop.
func (g *Gauge) Count() {
	select {
	case <-g.stop:
		return
	default:
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count++
}
