package a

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"
)

var (
	ErrOpen     = errors.New("breaker: open")
	errPanicked = errors.New("breaker: call panicked")
)

type kind int

const (
	closed kind = iota
	open
	halfOpen
)

// phase is one period in the life of a breaker. A new phase replaces the
// old one at every transition.
type phase struct {
	kind     kind
	since    time.Time
	failures atomic.Int64
}

// Breaker guards calls to one backend. After a cooldown a single probe
// decides whether the backend is let back in.
type Breaker struct {
	cur       atomic.Pointer[phase]
	threshold int64
	cooldown  time.Duration
	rejected  atomic.Int64
}

func NewBreaker(threshold int, cooldown time.Duration) *Breaker {
	b := &Breaker{threshold: int64(threshold), cooldown: cooldown}
	b.cur.Store(&phase{kind: closed, since: time.Now()})
	return b
}

func (b *Breaker) admit() (*phase, bool) {
	p := b.cur.Load()
	switch p.kind {
	case closed:
		return p, true
	case open:
		if time.Since(p.since) < b.cooldown {
			return nil, false
		}
		probe := &phase{kind: halfOpen, since: time.Now()}
		if !b.cur.CompareAndSwap(p, probe) {
			return nil, false
		}
		return probe, true
	default:
		return nil, false
	}
}

func (b *Breaker) report(p *phase, err error) {
	if err == nil {
		if p.kind == halfOpen {
			b.cur.CompareAndSwap(p, &phase{kind: closed, since: time.Now()})
			return
		}
		p.failures.Store(0)
		return
	}
	if p.kind == halfOpen || p.failures.Add(1) >= b.threshold {
		b.cur.CompareAndSwap(p, &phase{kind: open, since: time.Now()})
	}
}

// Do runs fn unless the breaker is open.
func (b *Breaker) Do(ctx context.Context, fn func(context.Context) error) error {
	p, ok := b.admit()
	if !ok {
		b.rejected.Add(1)
		return ErrOpen
	}
	err := errPanicked
	defer func() { b.report(p, err) }()
	err = fn(ctx)
	return err
}

func (b *Breaker) Rejected() int64 { return b.rejected.Load() }

// Transport is an http.RoundTripper with one breaker in front of the backend.
type Transport struct {
	Base    http.RoundTripper
	Breaker *Breaker
}

func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	var resp *http.Response
	err := t.Breaker.Do(req.Context(), func(context.Context) error {
		r, err := t.Base.RoundTrip(req)
		if err != nil {
			return err
		}
		resp = r
		if r.StatusCode >= 500 {
			return errors.New(r.Status)
		}
		return nil
	})
	if resp != nil {
		return resp, nil
	}
	return nil, err
}

// Fetch gets all urls at once through the same transport.
func Fetch(ctx context.Context, t *Transport, urls []string) []error {
	errs := make(chan error, len(urls))
	for _, u := range urls {
		go func() {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, u, nil)
			if err != nil {
				errs <- err
				return
			}
			resp, err := t.RoundTrip(req)
			if err == nil {
				err = resp.Body.Close()
			}
			errs <- err
		}()
	}
	var out []error
	for range urls {
		if err := <-errs; err != nil {
			out = append(out, err)
		}
	}
	return out
}
