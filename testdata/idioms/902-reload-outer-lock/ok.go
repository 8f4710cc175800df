// Package proxyconf holds the live configuration of the reverse proxy. It can
// be replaced as a whole, patched by one upstream, and rolled back.
package proxyconf

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"sync"
	"time"
)

// ErrNoHistory is returned by Rollback when there is nothing to go back to.
var ErrNoHistory = errors.New("proxyconf: no earlier configuration")

// Config is a configuration. It is not changed once it is live.
type Config struct {
	Generation int               `json:"-"`
	Upstreams  map[string]string `json:"upstreams"` // name to URL
	Routes     map[string]string `json:"routes"`    // path prefix to name
}

// Resolver looks host names up, which may take seconds.
type Resolver interface {
	LookupHost(host string) ([]string, error)
}

type systemResolver struct{}

func (systemResolver) LookupHost(host string) ([]string, error) { return net.LookupHost(host) }

// Live is the configuration in use. It is safe for concurrent use.
type Live struct {
	resolver Resolver

	// editMu is held by whoever replaces the configuration, from the first
	// look at it to the end. It is taken before mu.
	editMu  sync.Mutex
	history []*Config

	// mu guards what request handlers read, and is held for moments only.
	mu      sync.RWMutex
	current *Config
	since   time.Time
}

// New returns a live configuration with nothing in it.
func New() *Live {
	return &Live{
		resolver: systemResolver{},
		current:  &Config{Upstreams: map[string]string{}, Routes: map[string]string{}},
		since:    time.Now(),
	}
}

// Current returns the configuration in use.
func (l *Live) Current() *Config {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.current
}

// Age returns the generation in use and for how long it has been.
func (l *Live) Age() (int, time.Duration) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.current.Generation, time.Since(l.since)
}

// Replace takes a whole configuration.
func (l *Live) Replace(data []byte) error {
	next := new(Config)
	if err := json.Unmarshal(data, next); err != nil {
		return fmt.Errorf("proxyconf: %w", err)
	}
	l.editMu.Lock()
	defer l.editMu.Unlock()
	return l.apply(next)
}

// SetUpstream changes the URL of one upstream.
func (l *Live) SetUpstream(name, target string) error {
	l.editMu.Lock()
	defer l.editMu.Unlock()
	old := l.Current()
	next := &Config{Upstreams: maps.Clone(old.Upstreams), Routes: old.Routes}
	if next.Upstreams == nil {
		next.Upstreams = make(map[string]string)
	}
	next.Upstreams[name] = target
	return l.apply(next)
}

// Rollback returns to the configuration before the present one.
func (l *Live) Rollback() error {
	l.editMu.Lock()
	defer l.editMu.Unlock()
	n := len(l.history)
	if n == 0 {
		return ErrNoHistory
	}
	earlier := l.history[n-1]
	l.history = l.history[:n-1]
	l.publish(&Config{
		Generation: l.Current().Generation + 1,
		Upstreams:  earlier.Upstreams,
		Routes:     earlier.Routes,
	})
	return nil
}

// apply checks next and makes it the live one. editMu is held.
func (l *Live) apply(next *Config) error {
	if err := l.check(next); err != nil {
		return err
	}
	old := l.Current()
	next.Generation = old.Generation + 1
	l.history = append(l.history, old)
	l.publish(next)
	return nil
}

// publish puts next in use. editMu is held.
func (l *Live) publish(next *Config) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.current, l.since = next, time.Now()
}

// check resolves all upstreams and follows all routes.
func (l *Live) check(c *Config) error {
	for name, target := range c.Upstreams {
		u, err := url.Parse(target)
		if err != nil {
			return fmt.Errorf("proxyconf: upstream %s: %w", name, err)
		}
		if _, err := l.resolver.LookupHost(u.Hostname()); err != nil {
			return fmt.Errorf("proxyconf: upstream %s: %w", name, err)
		}
	}
	for prefix, name := range c.Routes {
		if _, ok := c.Upstreams[name]; !ok {
			return fmt.Errorf("proxyconf: route %s: no upstream %s", prefix, name)
		}
	}
	return nil
}
