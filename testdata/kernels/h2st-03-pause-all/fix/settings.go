// Package settings holds the configuration of a set of peers and serves the
// part of it that can be changed by hand.
package settings

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"sync"
)

// Peer is one configured peer.
type Peer struct {
	ID     string   `json:"id"`
	Name   string   `json:"name"`
	Addrs  []string `json:"addrs"`
	Paused bool     `json:"paused"`
}

func (p Peer) clone() Peer {
	p.Addrs = slices.Clone(p.Addrs)
	return p
}

// Config is the whole configuration.
type Config struct {
	Peers   []Peer `json:"peers"`
	MaxRate int    `json:"maxRate"`
}

// Clone returns a deep copy.
func (c Config) Clone() Config {
	peers := make([]Peer, 0, len(c.Peers))
	for _, p := range c.Peers {
		peers = append(peers, p.clone())
	}
	c.Peers = peers
	return c
}

func (c *Config) index(id string) int {
	return slices.IndexFunc(c.Peers, func(p Peer) bool { return p.ID == id })
}

func (c *Config) put(p Peer) {
	if i := c.index(p.ID); i >= 0 {
		c.Peers[i] = p.clone()
		return
	}
	c.Peers = append(c.Peers, p.clone())
}

func (c *Config) validate() error {
	if c.MaxRate < 0 {
		return errors.New("negative rate")
	}
	for _, p := range c.Peers {
		if p.ID == "" {
			return errors.New("peer without id")
		}
	}
	return nil
}

// Subscriber is told about every change, with copies.
type Subscriber func(from, to Config)

var errStopped = errors.New("settings are not being served")

type change struct {
	fn  func(*Config)
	res chan error
}

// Wrapper owns the active configuration.
type Wrapper struct {
	changes chan change
	stopped chan struct{}

	mu   sync.RWMutex
	cfg  Config
	subs []Subscriber
}

// Wrap returns a wrapper for cfg. Its Serve method has to be running for
// changes to be made.
func Wrap(cfg Config) *Wrapper {
	return &Wrapper{
		cfg:     cfg.Clone(),
		changes: make(chan change),
		stopped: make(chan struct{}),
	}
}

// Serve makes the changes handed to Modify, one after the other.
func (w *Wrapper) Serve(ctx context.Context) {
	defer close(w.stopped)
	for {
		select {
		case c := <-w.changes:
			to := w.Copy()
			c.fn(&to)
			c.res <- w.replace(to)
		case <-ctx.Done():
			return
		}
	}
}

// replace is called by Serve only.
func (w *Wrapper) replace(to Config) error {
	if err := to.validate(); err != nil {
		return err
	}
	w.mu.Lock()
	from := w.cfg
	w.cfg = to
	subs := slices.Clone(w.subs)
	w.mu.Unlock()
	for _, s := range subs {
		s(from.Clone(), to.Clone())
	}
	return nil
}

// Modify changes the configuration with fn, which gets a copy of the active
// one. It must not be called by a subscriber.
func (w *Wrapper) Modify(fn func(*Config)) error {
	c := change{fn: fn, res: make(chan error, 1)}
	select {
	case w.changes <- c:
		return <-c.res
	case <-w.stopped:
		return errStopped
	}
}

// Copy returns a copy of the active configuration.
func (w *Wrapper) Copy() Config {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.cfg.Clone()
}

// Peers returns the configured peers.
func (w *Wrapper) Peers() map[string]Peer {
	w.mu.RLock()
	defer w.mu.RUnlock()
	m := make(map[string]Peer, len(w.cfg.Peers))
	for _, p := range w.cfg.Peers {
		m[p.ID] = p.clone()
	}
	return m
}

// SetPeers adds peers, or overwrites those with the same id.
func (w *Wrapper) SetPeers(peers []Peer) error {
	return w.Modify(func(cfg *Config) {
		for _, p := range peers {
			cfg.put(p)
		}
	})
}

// RemovePeer removes a peer, if there is one with that id.
func (w *Wrapper) RemovePeer(id string) error {
	return w.Modify(func(cfg *Config) {
		if i := cfg.index(id); i >= 0 {
			cfg.Peers = slices.Delete(cfg.Peers, i, i+1)
		}
	})
}

// Subscribe adds a subscriber and returns the configuration in effect.
func (w *Wrapper) Subscribe(s Subscriber) Config {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.subs = append(w.subs, s)
	return w.cfg.Clone()
}

// Service is the HTTP side.
type Service struct {
	cfg *Wrapper
}

// NewService returns a service that edits w.
func NewService(w *Wrapper) *Service { return &Service{cfg: w} }

// Handler returns the routes.
func (s *Service) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /config", func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(s.cfg.Copy())
	})
	mux.HandleFunc("PUT /peers", s.putPeer)
	mux.HandleFunc("DELETE /peers/{id}", func(w http.ResponseWriter, r *http.Request) {
		fail(w, s.cfg.RemovePeer(r.PathValue("id")))
	})
	mux.HandleFunc("POST /pause", s.makePauseHandler(true))
	mux.HandleFunc("POST /resume", s.makePauseHandler(false))
	return mux
}

func (s *Service) putPeer(w http.ResponseWriter, r *http.Request) {
	var p Peer
	if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fail(w, s.cfg.SetPeers([]Peer{p}))
}

// makePauseHandler pauses or resumes the peer given in the query, or all.
func (s *Service) makePauseHandler(paused bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id := r.URL.Query().Get("peer")

		found := true
		err := s.cfg.Modify(func(cfg *Config) {
			if id == "" {
				for i := range cfg.Peers {
					cfg.Peers[i].Paused = paused
				}
				return
			}
			i := cfg.index(id)
			if found = i >= 0; found {
				cfg.Peers[i].Paused = paused
			}
		})
		if !found {
			http.Error(w, "not found", http.StatusNotFound)
			return
		}
		fail(w, err)
	}
}

func fail(w http.ResponseWriter, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
