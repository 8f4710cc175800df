package a

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// ErrBusy is returned when no slot was found at any site.
var ErrBusy = errors.New("probe: no slot")

// Prober measures a URL from where it stands.
type Prober interface {
	Measure(ctx context.Context, url string) (time.Duration, error)
}

type site struct {
	name   string
	prober Prober
	slots  chan struct{}
	served atomic.Int64
}

func (s *site) free() int { return cap(s.slots) - len(s.slots) }

func (s *site) acquire() bool {
	select {
	case s.slots <- struct{}{}:
		return true
	default:
		return false
	}
}

func (s *site) release() { <-s.slots }

// Fleet has probes at several sites.
type Fleet struct {
	mu    sync.RWMutex
	sites []*site // only grows
}

// AddSite adds a site that can measure n URLs at a time.
func (f *Fleet) AddSite(name string, p Prober, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sites = append(f.sites, &site{name: name, prober: p, slots: make(chan struct{}, n)})
}

func (f *Fleet) snapshot() []*site {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.sites[:len(f.sites):len(f.sites)]
}

// idlest is the site that seems to have most to spare.
func idlest(sites []*site) *site {
	var best *site
	for _, s := range sites {
		if n := s.free(); n > 0 && (best == nil || n > best.free()) {
			best = s
		}
	}
	return best
}

// reserve takes a slot, at the idlest site if that works out and else at any.
func (f *Fleet) reserve() *site {
	sites := f.snapshot()
	if s := idlest(sites); s != nil && s.acquire() {
		return s
	}
	for _, s := range sites {
		if s.acquire() {
			return s
		}
	}
	return nil
}

// Measure measures a URL from any site. It does not wait for a slot.
func (f *Fleet) Measure(ctx context.Context, url string) (string, time.Duration, error) {
	s := f.reserve()
	if s == nil {
		return "", 0, ErrBusy
	}
	defer s.release()
	s.served.Add(1)
	d, err := s.prober.Measure(ctx, url)
	return s.name, d, err
}

// ServeHTTP measures the URL in the query.
func (f *Fleet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	from, d, err := f.Measure(r.Context(), r.FormValue("url"))
	switch {
	case errors.Is(err, ErrBusy):
		http.Error(w, err.Error(), http.StatusTooManyRequests)
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	if err := json.NewEncoder(w).Encode(map[string]any{"site": from, "ms": d.Milliseconds()}); err != nil {
		log.Print(err)
	}
}
