package a

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// ErrSeats means that the vendor has no seat left for us.
var ErrSeats = errors.New("license: no seat")

// License lets us use a tool for a while.
type License struct {
	Tool    string
	Key     string
	Expires time.Time
}

// Vendor issues licenses and takes money for each.
type Vendor interface {
	Buy(ctx context.Context, tool string) (License, error)
}

type purchase struct {
	done    chan struct{}
	license License
	err     error
}

// Broker buys licenses when they are needed, never two of a tool at a time.
type Broker struct {
	vendor  Vendor
	timeout time.Duration

	mu      sync.Mutex
	valid   map[string]License
	pending map[string]*purchase
	bought  int
}

func NewBroker(v Vendor) *Broker {
	return &Broker{
		vendor:  v,
		timeout: time.Minute,
		valid:   make(map[string]License),
		pending: make(map[string]*purchase),
	}
}

// Get returns a license that is valid now.
func (b *Broker) Get(ctx context.Context, tool string) (License, error) {
	b.mu.Lock()
	if l, ok := b.valid[tool]; ok && time.Now().Before(l.Expires) {
		b.mu.Unlock()
		return l, nil
	}
	p, running := b.pending[tool]
	if !running {
		p = &purchase{done: make(chan struct{})}
		b.pending[tool] = p
		go b.buy(tool, p)
	}
	b.mu.Unlock()

	select {
	case <-p.done:
		return p.license, p.err
	case <-ctx.Done():
		return License{}, ctx.Err()
	}
}

func (b *Broker) buy(tool string, p *purchase) {
	ctx, cancel := context.WithTimeout(context.Background(), b.timeout)
	defer cancel()
	l, err := b.vendor.Buy(ctx, tool)
	if err == nil && l.Key == "" {
		err = ErrSeats
	}
	if err != nil {
		err = fmt.Errorf("license for %s: %w", tool, err)
	}
	p.license, p.err = l, err
	b.settle(tool, p)
	close(p.done)
}

func (b *Broker) settle(tool string, p *purchase) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.pending, tool)
	if p.err == nil {
		b.valid[tool] = p.license
		b.bought++
	}
}

// Bought counts the licenses so far.
func (b *Broker) Bought() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bought
}

// ServeHTTP hands the key to a build agent.
func (b *Broker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l, err := b.Get(r.Context(), r.FormValue("tool"))
	if errors.Is(err, ErrSeats) {
		w.Header().Set("Retry-After", "60")
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintf(w, "%s %d\n", l.Key, l.Expires.Unix())
}
