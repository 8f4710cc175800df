// Package confpoll keeps the newest configuration of a remote store.
//
// Correct: the store numbers its configurations. A fetch runs without the
// lock and several may overlap, but what it brings is installed only if its
// revision is higher than that of what is installed by then, so that a slow
// fetch cannot put back an older configuration.
package confpoll

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var ErrInvalid = errors.New("confpoll: invalid configuration")

type Config struct {
	Revision uint64
	Limits   map[string]int
	Default  int
}

func (c *Config) check() error {
	for name, n := range c.Limits {
		if n < 0 {
			return fmt.Errorf("%w: %s", ErrInvalid, name)
		}
	}
	return nil
}

// Source returns the configuration after the given revision, or nil if there
// is none.
type Source interface {
	Fetch(ctx context.Context, after uint64) (*Config, error)
}

type Poller struct {
	src Source

	mu       sync.RWMutex
	current  *Config
	failures int
}

func New(src Source) *Poller { return &Poller{src: src, current: &Config{}} }

func (p *Poller) revision() uint64 {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.current.Revision
}

// Refresh is called by the ticker, by the signal handler and by the
// administration endpoint.
func (p *Poller) Refresh(ctx context.Context) (changed bool, err error) {
	after := p.revision()
	next, err := p.src.Fetch(ctx, after)
	if err == nil && next != nil {
		err = next.check()
	}
	if err != nil {
		p.mu.Lock()
		p.failures++
		p.mu.Unlock()
		return false, err
	}
	if next == nil {
		return false, nil
	}
	return p.install(next), nil
}

func (p *Poller) install(next *Config) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if next.Revision <= p.current.Revision {
		return false
	}
	p.current = next
	return true
}

func (p *Poller) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			_, _ = p.Refresh(ctx)
		case <-ctx.Done():
			return
		}
	}
}

func (p *Poller) Limit(name string) int {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if n, ok := p.current.Limits[name]; ok {
		return n
	}
	return p.current.Default
}

func (p *Poller) Failures() int {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.failures
}
