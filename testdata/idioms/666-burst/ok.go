// Package burst paces the requests of tenants (generic cell rate algorithm).
package burst

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrPaced is returned when a caller must slow down.
var ErrPaced = errors.New("burst: slow down")

// Limit allows one request every Every, and Burst at once.
type Limit struct {
	Every time.Duration
	Burst int
}

type lane struct {
	limit atomic.Pointer[Limit]
	tat   atomic.Int64 // theoretical arrival time, ns
}

// admit returns zero, or how long the caller would have to wait.
func (l *lane) admit(now time.Time) time.Duration {
	lim := l.limit.Load()
	slack := time.Duration(lim.Burst-1) * lim.Every
	at := now.UnixNano()
	for {
		tat := l.tat.Load()
		start := max(tat, at)
		if wait := time.Duration(start-at) - slack; wait > 0 {
			return wait
		}
		if l.tat.CompareAndSwap(tat, start+int64(lim.Every)) {
			return 0
		}
	}
}

// Pacer has one lane for each tenant.
type Pacer struct {
	def Limit

	mu    sync.RWMutex
	lanes map[string]*lane
}

// New returns a pacer; tenants start with def.
func New(def Limit) *Pacer {
	def.Burst = max(def.Burst, 1)
	return &Pacer{def: def, lanes: make(map[string]*lane)}
}

func (p *Pacer) lane(tenant string) *lane {
	p.mu.RLock()
	l, ok := p.lanes[tenant]
	p.mu.RUnlock()
	if ok {
		return l
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if l, ok := p.lanes[tenant]; ok {
		return l
	}
	l = new(lane)
	l.limit.Store(&p.def)
	p.lanes[tenant] = l
	return l
}

// SetLimit changes the limit of a tenant.
func (p *Pacer) SetLimit(tenant string, lim Limit) {
	lim.Burst = max(lim.Burst, 1)
	p.lane(tenant).limit.Store(&lim)
}

// Admit admits a request or says ErrPaced.
func (p *Pacer) Admit(tenant string) error {
	if p.lane(tenant).admit(time.Now()) > 0 {
		return ErrPaced
	}
	return nil
}

// Wait admits a request when its time has come.
func (p *Pacer) Wait(ctx context.Context, tenant string) error {
	l := p.lane(tenant)
	for {
		d := l.admit(time.Now())
		if d == 0 {
			return nil
		}
		t := time.NewTimer(d)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		}
	}
}
