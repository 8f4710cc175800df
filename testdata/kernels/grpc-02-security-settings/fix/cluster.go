// Package fix connects to the endpoints of a cluster with the security
// settings sent by a control plane.
package fix

import (
	"fmt"
	"sync"

	"github.com/atomvet/atomvet/testdata/kernels/grpc-02-security-settings/fix/secinfo"
)

// Config is the security part of a cluster update.
type Config struct {
	Roots    string // name of a source
	Identity string // name of a source, may be empty
	Peers    []string
}

// Policy applies cluster updates in the order they arrive.
type Policy struct {
	sources  map[string]secinfo.Source // not modified
	settings *secinfo.Shared
	updates  chan *Config
	failed   chan error
}

// NewPolicy returns a running policy.
func NewPolicy(sources map[string]secinfo.Source) *Policy {
	p := &Policy{
		sources:  sources,
		settings: new(secinfo.Shared),
		updates:  make(chan *Config),
		failed:   make(chan error, 1),
	}
	go p.run()
	return p
}

// Update applies a cluster update. A nil config turns transport security off.
func (p *Policy) Update(c *Config) { p.updates <- c }

// Failed delivers errors of updates, as far as somebody waits for them.
func (p *Policy) Failed() <-chan error { return p.failed }

// Endpoint returns an address that follows the settings of the cluster.
func (p *Policy) Endpoint(target string) secinfo.Address {
	return secinfo.With(secinfo.Address{Target: target}, p.settings)
}

func (p *Policy) run() {
	for c := range p.updates {
		if err := p.apply(c); err != nil {
			select {
			case p.failed <- err:
			default:
			}
		}
	}
}

// apply runs on the update goroutine only.
func (p *Policy) apply(c *Config) error {
	if c == nil {
		p.settings.Store(nil)
		return nil
	}
	roots, ok := p.sources[c.Roots]
	if !ok {
		return fmt.Errorf("policy: no source named %q", c.Roots)
	}
	var identity secinfo.Source
	if c.Identity != "" {
		if identity, ok = p.sources[c.Identity]; !ok {
			return fmt.Errorf("policy: no source named %q", c.Identity)
		}
	}
	p.settings.Store(secinfo.New(roots, identity, c.Peers))
	return nil
}

// Transport sets up raw connections.
type Transport interface {
	Plain(target string) error
	// Secure calls verify with the name the peer proved to have.
	Secure(target string, k *secinfo.Keys, verify func(name string) error) error
}

// Dialer connects to addresses. It is safe for concurrent use.
type Dialer struct {
	transport Transport

	mu    sync.Mutex
	conns map[string]int
}

// NewDialer returns a dialer over t.
func NewDialer(t Transport) *Dialer {
	return &Dialer{transport: t, conns: make(map[string]int)}
}

// Dial connects to a with the security its settings ask for.
func (d *Dialer) Dial(a secinfo.Address) error {
	if err := d.handshake(a); err != nil {
		return err
	}
	d.mu.Lock()
	d.conns[a.Target]++
	d.mu.Unlock()
	return nil
}

// Conns returns the number of connections made to target.
func (d *Dialer) Conns(target string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.conns[target]
}

func (d *Dialer) handshake(a secinfo.Address) error {
	var s *secinfo.Settings
	if shared := secinfo.From(a); shared != nil {
		s = shared.Load()
	}
	if s == nil || s.Plaintext() {
		return d.transport.Plain(a.Target)
	}
	keys, err := s.Keys()
	if err != nil {
		return err
	}
	return d.transport.Secure(a.Target, keys, func(name string) error {
		if !s.Accepts(name) {
			return fmt.Errorf("dialer: peer name %q not accepted", name)
		}
		return nil
	})
}
