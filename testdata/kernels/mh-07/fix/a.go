// Package a merges the routing configuration of several providers and puts
// the result into force.
package a

import (
	"errors"
	"fmt"
	"sort"
	"sync"
	"sync/atomic"
)

// Route maps a host name to a backend.
type Route struct {
	Host    string
	Backend string
}

// Config is what one provider supplies.
type Config struct {
	Routes   []Route
	Backends map[string][]string // name -> addresses
}

// Merged is the configuration in force. It is immutable.
type Merged struct {
	Routes   map[string]string
	Backends map[string][]string
	Problems []error
}

// Listener is told of every configuration that was put into force. It must
// not update the aggregator from within the call.
type Listener interface {
	ConfigChanged(*Merged)
}

// ErrNoRoute is returned for an unknown host.
var ErrNoRoute = errors.New("no route")

// Aggregator collects the configurations. Providers report to it from
// goroutines of their own.
type Aggregator struct {
	listener Listener
	current  atomic.Pointer[Merged]

	applyMu sync.Mutex // serialises apply
	mu      sync.Mutex
	configs map[string]Config
}

// NewAggregator returns an aggregator with an empty configuration in force.
func NewAggregator(l Listener) *Aggregator {
	a := &Aggregator{listener: l, configs: make(map[string]Config)}
	a.current.Store(&Merged{})
	return a
}

// Update replaces the configuration of one provider.
func (a *Aggregator) Update(provider string, cfg Config) {
	a.mu.Lock()
	a.configs[provider] = cfg
	a.mu.Unlock()
	a.apply()
}

// Withdraw removes all that a provider has supplied.
func (a *Aggregator) Withdraw(provider string) {
	a.mu.Lock()
	_, known := a.configs[provider]
	delete(a.configs, provider)
	a.mu.Unlock()
	if known {
		a.apply()
	}
}

// Providers returns the names of the providers in order.
func (a *Aggregator) Providers() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return sortedKeys(a.configs)
}

// snapshot copies the table of configurations, which are themselves not
// modified once a provider has passed them on.
func (a *Aggregator) snapshot() map[string]Config {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := make(map[string]Config, len(a.configs))
	for name, cfg := range a.configs {
		out[name] = cfg
	}
	return out
}

// apply merges the configurations, which takes a while with many routes, and
// puts the result into force.
func (a *Aggregator) apply() {
	a.applyMu.Lock()
	defer a.applyMu.Unlock()
	m := merge(a.snapshot())
	a.current.Store(m)
	if a.listener != nil {
		a.listener.ConfigChanged(m)
	}
}

// merge builds one configuration. Of two routes for the same host the one of
// the first provider in the order of names wins.
func merge(configs map[string]Config) *Merged {
	m := &Merged{
		Routes:   make(map[string]string),
		Backends: make(map[string][]string),
	}
	for _, provider := range sortedKeys(configs) {
		cfg := configs[provider]
		for name, addrs := range cfg.Backends {
			m.Backends[name+"@"+provider] = addrs
		}
		for _, r := range cfg.Routes {
			target := r.Backend + "@" + provider
			if _, dup := m.Routes[r.Host]; dup {
				m.Problems = append(m.Problems, fmt.Errorf("host %s defined twice", r.Host))
				continue
			}
			if _, ok := m.Backends[target]; !ok {
				m.Problems = append(m.Problems, fmt.Errorf("host %s: no backend %s", r.Host, target))
				continue
			}
			m.Routes[r.Host] = target
		}
	}
	return m
}

// Resolve returns the addresses for a host.
func (a *Aggregator) Resolve(host string) ([]string, error) {
	m := a.current.Load()
	target, ok := m.Routes[host]
	if !ok {
		return nil, fmt.Errorf("%w for %s", ErrNoRoute, host)
	}
	return m.Backends[target], nil
}

// Problems returns what was wrong with the configuration in force.
func (a *Aggregator) Problems() []error {
	return a.current.Load().Problems
}

func sortedKeys(m map[string]Config) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
