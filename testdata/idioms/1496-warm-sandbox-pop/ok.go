package scheduler

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Sandbox is a started but empty container.
type Sandbox struct {
	ID      string
	Image   string
	idle    time.Time
	runs    int
	healthy bool
}

// Runtime starts and stops sandboxes.
type Runtime interface {
	Create(ctx context.Context, image string) (*Sandbox, error)
	Exec(ctx context.Context, s *Sandbox, cmd []string) error
	Destroy(s *Sandbox)
}

const maxRuns = 50

// WarmPool keeps idle sandboxes per image so that functions start fast.
type WarmPool struct {
	rt      Runtime
	maxIdle int

	mu     sync.Mutex
	idle   map[string][]*Sandbox
	closed bool
}

func NewWarmPool(rt Runtime, maxIdle int) *WarmPool {
	return &WarmPool{rt: rt, maxIdle: maxIdle, idle: make(map[string][]*Sandbox)}
}

// pop returns the most recently used sandbox of the image, or nil.
func (p *WarmPool) pop(image string) *Sandbox {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.idle[image]
	if len(list) == 0 {
		return nil
	}
	s := list[len(list)-1]
	list[len(list)-1] = nil
	p.idle[image] = list[:len(list)-1]
	return s
}

// push takes a sandbox back unless the pool is full or closed.
func (p *WarmPool) push(s *Sandbox) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || len(p.idle[s.Image]) >= p.maxIdle {
		return false
	}
	s.idle = time.Now()
	p.idle[s.Image] = append(p.idle[s.Image], s)
	return true
}

// Run executes cmd in a sandbox of the image. Handlers call it concurrently.
func (p *WarmPool) Run(ctx context.Context, image string, cmd []string) error {
	s := p.pop(image)
	if s == nil {
		var err error
		if s, err = p.rt.Create(ctx, image); err != nil {
			return err
		}
	}
	err := p.rt.Exec(ctx, s, cmd)
	s.runs++
	s.healthy = err == nil || errors.Is(err, context.Canceled)
	if !s.healthy || s.runs >= maxRuns || !p.push(s) {
		p.rt.Destroy(s)
	}
	return err
}

// Trim destroys what was idle for too long.
func (p *WarmPool) Trim(maxAge time.Duration) {
	cutoff := time.Now().Add(-maxAge)
	var old []*Sandbox
	p.mu.Lock()
	for image, list := range p.idle {
		var keep []*Sandbox
		for _, s := range list {
			if s.idle.Before(cutoff) {
				old = append(old, s)
			} else {
				keep = append(keep, s)
			}
		}
		p.idle[image] = keep
	}
	p.mu.Unlock()
	for _, s := range old {
		p.rt.Destroy(s)
	}
}

// Close destroys all idle sandboxes.
func (p *WarmPool) Close() {
	p.mu.Lock()
	p.closed = true
	idle := p.idle
	p.idle = make(map[string][]*Sandbox)
	p.mu.Unlock()
	for _, list := range idle {
		for _, s := range list {
			p.rt.Destroy(s)
		}
	}
}
