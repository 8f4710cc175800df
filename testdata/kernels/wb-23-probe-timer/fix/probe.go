// Package probe watches the health of a backend.
package probe

import (
	"log"
	"sync"
	"time"
)

// Prober probes a backend from time to time.
type Prober struct {
	every time.Duration
	probe func() error

	mu       sync.Mutex
	timer    *time.Timer // nil after Stop
	failures int         // in a row
	checked  time.Time
}

// Start probes a backend until Stop.
func Start(every time.Duration, probe func() error) *Prober {
	p := &Prober{every: every, probe: probe}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = time.AfterFunc(0, p.tick)
	return p
}

func (p *Prober) tick() {
	p.mu.Lock()
	if p.timer == nil {
		p.mu.Unlock()
		return
	}
	p.mu.Unlock()

	err := p.probe()

	p.mu.Lock()
	defer p.mu.Unlock()
	p.checked = time.Now()
	if err != nil {
		p.failures++
		log.Printf("probe failed %d times: %v", p.failures, err)
	} else {
		p.failures = 0
	}
	if p.timer != nil {
		p.timer = time.AfterFunc(p.every, p.tick)
	}
}

// Stop ends the probes; one that has begun may still end.
func (p *Prober) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer == nil {
		return // stopped before
	}
	p.timer.Stop()
	p.timer = nil
}

// Healthy reports if the backend may be used, and when that was found out.
func (p *Prober) Healthy() (ok bool, checked time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failures < 3 && !p.checked.IsZero(), p.checked
}
