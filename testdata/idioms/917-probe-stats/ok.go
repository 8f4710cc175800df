// Package probe checks the pumps of a waterworks over the network and keeps
// figures about the checks for the status page.
package probe

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Pump is something to check.
type Pump struct {
	Name string
	Addr string
}

// Dialer makes connections; *net.Dialer is one.
type Dialer interface {
	DialContext(ctx context.Context, network, addr string) (net.Conn, error)
}

// Stats are figures about the checks since the start. They are read one after
// the other while checks go on, so that those of a busy prober may be a few
// checks apart from each other. Nothing but the status page uses them.
type Stats struct {
	Checks   int64
	Failures int64
	Running  int64
	Spent    time.Duration
}

// FailureRate returns the share of failed checks, from 0 to 1.
func (s Stats) FailureRate() float64 {
	if s.Checks == 0 {
		return 0
	}
	return min(float64(s.Failures)/float64(s.Checks), 1)
}

// Mean returns the mean duration of a check.
func (s Stats) Mean() time.Duration {
	if s.Checks == 0 {
		return 0
	}
	return s.Spent / time.Duration(s.Checks)
}

// String returns the line on the status page.
func (s Stats) String() string {
	return fmt.Sprintf("%d checks, %.1f%% failed, %v each, %d running",
		s.Checks, 100*s.FailureRate(), s.Mean().Round(time.Millisecond), s.Running)
}

// outcome is the result of the latest check of a pump.
type outcome struct {
	at  time.Time
	err error
}

// Prober checks pumps. It is safe for concurrent use.
type Prober struct {
	dial    Dialer
	timeout time.Duration

	checks   atomic.Int64
	failures atomic.Int64
	running  atomic.Int64
	spent    atomic.Int64 // nanoseconds

	mu     sync.RWMutex
	latest map[string]outcome
}

// New returns a prober that gives a pump the timeout to answer.
func New(d Dialer, timeout time.Duration) *Prober {
	return &Prober{dial: d, timeout: timeout, latest: make(map[string]outcome)}
}

// Check checks a pump once and records the outcome.
func (p *Prober) Check(ctx context.Context, pump Pump) error {
	p.running.Add(1)
	defer p.running.Add(-1)
	start := time.Now()
	err := p.reach(ctx, pump.Addr)
	p.checks.Add(1)
	p.spent.Add(int64(time.Since(start)))
	if err != nil {
		p.failures.Add(1)
	}
	p.record(pump.Name, outcome{at: start, err: err})
	return err
}

func (p *Prober) reach(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	c, err := p.dial.DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	return c.Close()
}

// record keeps the outcome of the check that began last.
func (p *Prober) record(name string, o outcome) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if old, ok := p.latest[name]; ok && old.at.After(o.at) {
		return
	}
	p.latest[name] = o
}

// Down returns the names of the pumps whose latest check failed, with the
// reasons.
func (p *Prober) Down() map[string]string {
	p.mu.RLock()
	defer p.mu.RUnlock()
	down := make(map[string]string)
	for name, o := range p.latest {
		if o.err != nil {
			down[name] = strings.TrimSpace(o.err.Error())
		}
	}
	return down
}

// Stats returns the figures.
func (p *Prober) Stats() Stats {
	return Stats{
		Checks:   p.checks.Load(),
		Failures: p.failures.Load(),
		Running:  p.running.Load(),
		Spent:    time.Duration(p.spent.Load()),
	}
}

// Run checks all pumps once every interval, each in its own time, until ctx
// ends.
func (p *Prober) Run(ctx context.Context, pumps []Pump, every time.Duration) {
	var wg sync.WaitGroup
	for _, pump := range pumps {
		wg.Add(1)
		go func() {
			defer wg.Done()
			t := time.NewTicker(every)
			defer t.Stop()
			for {
				_ = p.Check(ctx, pump)
				select {
				case <-ctx.Done():
					return
				case <-t.C:
				}
			}
		}()
	}
	wg.Wait()
}
