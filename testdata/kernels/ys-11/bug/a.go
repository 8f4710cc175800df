package license

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

var (
	ErrNoSeat  = errors.New("license: all seats are taken")
	ErrUnknown = errors.New("license: unknown lease")
)

// Lease is a seat lent for a fixed time. It is never prolonged: a client
// checks out a new one.
type Lease struct {
	Token   string    `json:"token"`
	User    string    `json:"user"`
	Expires time.Time `json:"expires"`
}

// Pool lends the seats of one product.
type Pool struct {
	seats int64
	term  time.Duration
	log   *slog.Logger

	used   atomic.Int64
	leases sync.Map // token -> Lease
}

func NewPool(ctx context.Context, seats int64, term time.Duration, log *slog.Logger) *Pool {
	p := &Pool{seats: seats, term: term, log: log}
	go p.reapLoop(ctx)
	return p
}

func (p *Pool) takeSeat() bool {
	for {
		n := p.used.Load()
		if n >= p.seats {
			return false
		}
		if p.used.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Checkout lends a seat to the user.
func (p *Pool) Checkout(user string) (Lease, error) {
	if !p.takeSeat() {
		return Lease{}, ErrNoSeat
	}
	l := Lease{Token: rand.Text(), User: user, Expires: time.Now().Add(p.term)}
	p.leases.Store(l.Token, l)
	return l, nil
}

// Checkin gives a seat back before its term.
func (p *Pool) Checkin(token string) error {
	return p.end(token, "returned")
}

// end closes a lease and frees its seat.
func (p *Pool) end(token, why string) error {
	v, ok := p.leases.Load(token)
	if !ok {
		return ErrUnknown
	}
	p.leases.Delete(token)
	p.used.Add(-1)
	p.log.Info("lease ended", "user", v.(Lease).User, "why", why)
	return nil
}

func (p *Pool) reapLoop(ctx context.Context) {
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			p.reap(now)
		}
	}
}

// reap ends the leases whose term is over.
func (p *Pool) reap(now time.Time) {
	p.leases.Range(func(k, v any) bool {
		if now.After(v.(Lease).Expires) {
			_ = p.end(k.(string), "expired")
		}
		return true
	})
}

// Free is shown on the status page.
func (p *Pool) Free() int64 { return p.seats - p.used.Load() }

// Handler serves the clients.
func (p *Pool) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /leases", func(w http.ResponseWriter, r *http.Request) {
		l, err := p.Checkout(r.Header.Get("X-User"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusTooManyRequests)
			return
		}
		_ = json.NewEncoder(w).Encode(l)
	})
	mux.HandleFunc("DELETE /leases/{token}", func(w http.ResponseWriter, r *http.Request) {
		if err := p.Checkin(r.PathValue("token")); err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	return mux
}
