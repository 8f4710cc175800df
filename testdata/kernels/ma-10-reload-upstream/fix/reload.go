// Package edge is the reverse proxy in front of the tenants' clusters.
package edge

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// Spec is an upstream in the configuration file.
type Spec struct {
	Addrs      []string `json:"addrs"`
	ServerName string   `json:"server_name"`
}

// Reloader reads the configuration file and feeds the upstreams.
type Reloader struct {
	path string

	mu        sync.RWMutex
	upstreams map[string]*Upstream
}

// NewReloader returns a reloader for the file.
func NewReloader(path string) *Reloader {
	return &Reloader{path: path, upstreams: make(map[string]*Upstream)}
}

// Upstream returns the named upstream, or nil.
func (r *Reloader) Upstream(name string) *Upstream {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.upstreams[name]
}

func (r *Reloader) ensure(name string) *Upstream {
	r.mu.Lock()
	defer r.mu.Unlock()
	u, ok := r.upstreams[name]
	if !ok {
		u = NewUpstream(name)
		r.upstreams[name] = u
	}
	return u
}

func (r *Reloader) read() (map[string]Spec, error) {
	raw, err := os.ReadFile(r.path)
	if err != nil {
		return nil, err
	}
	var specs map[string]Spec
	if err := json.Unmarshal(raw, &specs); err != nil {
		return nil, fmt.Errorf("edge: %s: %w", r.path, err)
	}
	for name, s := range specs {
		if len(s.Addrs) == 0 || s.ServerName == "" {
			return nil, fmt.Errorf("edge: %s: upstream %s is incomplete", r.path, name)
		}
	}
	return specs, nil
}

// Apply takes over the given specs.
func (r *Reloader) Apply(specs map[string]Spec) {
	for name, s := range specs {
		u := r.ensure(name)
		u.Update(s.Addrs, s.ServerName)
	}
}

// Watch reloads on SIGHUP until stop is closed.
func (r *Reloader) Watch(stop <-chan struct{}) {
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	for {
		select {
		case <-stop:
			return
		case <-hup:
		}
		specs, err := r.read()
		if err != nil {
			log.Printf("edge: reload: %v", err)
			continue
		}
		r.Apply(specs)
	}
}
