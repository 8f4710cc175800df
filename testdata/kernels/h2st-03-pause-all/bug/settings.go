// Package settings holds the configuration of a set of peers and serves the
// part of it that can be changed by hand.
package settings

import (
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

// Subscriber is told about every change, with copies. It must not call the
// Wrapper.
type Subscriber func(from, to Config)

// Wrapper owns the active configuration.
type Wrapper struct {
	mu   sync.RWMutex
	cfg  Config
	subs []Subscriber
}

// Wrap returns a wrapper for cfg.
func Wrap(cfg Config) *Wrapper {
	return &Wrapper{cfg: cfg.Clone()}
}

// replaceLocked makes to the active configuration and tells the subscribers.
func (w *Wrapper) replaceLocked(to Config) error {
	if err := to.validate(); err != nil {
		return err
	}
	from := w.cfg
	w.cfg = to
	for _, s := range w.subs {
		s(from.Clone(), to.Clone())
	}
	return nil
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
	w.mu.Lock()
	defer w.mu.Unlock()
	to := w.cfg.Clone()
	for _, p := range peers {
		to.put(p)
	}
	return w.replaceLocked(to)
}

// RemovePeer removes a peer, if there is one with that id.
func (w *Wrapper) RemovePeer(id string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	to := w.cfg.Clone()
	i := to.index(id)
	if i < 0 {
		return nil
	}
	to.Peers = slices.Delete(to.Peers, i, i+1)
	return w.replaceLocked(to)
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

		var changed []Peer
		if id == "" {
			for _, p := range s.cfg.Peers() {
				p.Paused = paused
				changed = append(changed, p)
			}
		} else {
			p, ok := s.cfg.Peers()[id]
			if !ok {
				http.Error(w, "not found", http.StatusNotFound)
				return
			}
			p.Paused = paused
			changed = append(changed, p)
		}
		fail(w, s.cfg.SetPeers(changed))
	}
}

func fail(w http.ResponseWriter, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
