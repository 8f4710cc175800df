// Package fix keeps discovery providers running as configured.
package fix

import (
	"context"
	"sync"
)

// Group is a set of targets of one source.
type Group struct {
	Source  string
	Targets []string
}

// Discoverer sends groups until the context ends.
type Discoverer interface {
	Run(ctx context.Context, up chan<- []*Group)
}

type poolKey struct{ set, provider string }

// Provider holds a Discoverer instance, its configuration, cancel func and its subscribers.
type Provider struct {
	name string
	d    Discoverer

	mu     sync.RWMutex
	cancel context.CancelFunc
	// done should be called after cleaning up resources associated with cancelled provider.
	done func()
	subs map[string]struct{}
	// newSubs is used to temporarily store subs until a reload is complete.
	newSubs map[string]struct{}
}

// IsStarted reports whether the Discoverer is started.
func (p *Provider) IsStarted() bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.cancel != nil
}

// Manager maintains a set of discovery providers.
type Manager struct {
	ctx         context.Context
	make        func(name string) Discoverer
	triggerSend chan struct{}

	mtx       sync.RWMutex
	providers []*Provider

	targetsMtx sync.Mutex
	targets    map[poolKey]map[string]*Group
}

// Run stops all providers when the context of the manager ends.
func (m *Manager) Run() error {
	<-m.ctx.Done()
	m.cancelDiscoverers()
	return m.ctx.Err()
}

// registerProviders is called with the lock held.
func (m *Manager) registerProviders(names []string, set string) {
next:
	for _, name := range names {
		for _, p := range m.providers {
			if p.name == name {
				p.mu.Lock()
				p.newSubs[set] = struct{}{}
				p.mu.Unlock()
				continue next
			}
		}
		m.providers = append(m.providers, &Provider{name: name, d: m.make(name), newSubs: map[string]struct{}{set: {}}})
	}
}

// ApplyConfig keeps providers that are running, stops obsolete ones and starts new ones.
func (m *Manager) ApplyConfig(cfg map[string][]string) error {
	m.mtx.Lock()
	defer m.mtx.Unlock()
	for set, names := range cfg {
		m.registerProviders(names, set)
	}
	var (
		wg           sync.WaitGroup
		newProviders []*Provider
	)
	for _, prov := range m.providers {
		prov.mu.Lock()
		// Cancel obsolete providers.
		if len(prov.newSubs) == 0 {
			if prov.cancel != nil {
				wg.Add(1)
				prov.done = func() { wg.Done() }
				prov.cancel()
			}
			prov.mu.Unlock()
			continue
		}
		newProviders = append(newProviders, prov)
		m.targetsMtx.Lock()
		for s := range prov.subs {
			if _, ok := prov.newSubs[s]; !ok {
				delete(m.targets, poolKey{s, prov.name})
			}
		}
		m.targetsMtx.Unlock()
		prov.subs = prov.newSubs
		prov.newSubs = map[string]struct{}{}
		prov.mu.Unlock()
		if !prov.IsStarted() {
			m.startProvider(m.ctx, prov)
		}
	}
	m.providers = newProviders
	wg.Wait()
	return nil
}

func (m *Manager) startProvider(ctx context.Context, p *Provider) {
	ctx, cancel := context.WithCancel(ctx)
	updates := make(chan []*Group)
	p.mu.Lock()
	p.cancel = cancel
	p.mu.Unlock()
	go p.d.Run(ctx, updates)
	go m.updater(ctx, p, updates)
}

// cleaner cleans resources associated with provider.
func (m *Manager) cleaner(p *Provider) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m.targetsMtx.Lock()
	for s := range p.subs {
		delete(m.targets, poolKey{s, p.name})
	}
	m.targetsMtx.Unlock()
	if p.done != nil {
		p.done()
	}
	// Provider was cleaned so mark it as down.
	p.cancel = nil
}

func (m *Manager) updater(ctx context.Context, p *Provider, updates chan []*Group) {
	// Ensure targets from this provider are cleaned up.
	defer m.cleaner(p)
	for {
		select {
		case <-ctx.Done():
			return
		case tgs := <-updates:
			p.mu.RLock()
			for s := range p.subs {
				m.updateGroup(poolKey{s, p.name}, tgs)
			}
			p.mu.RUnlock()
			select {
			case m.triggerSend <- struct{}{}:
			default:
			}
		}
	}
}

func (m *Manager) cancelDiscoverers() {
	m.mtx.RLock()
	defer m.mtx.RUnlock()
	for _, p := range m.providers {
		p.mu.RLock()
		if p.cancel != nil {
			p.cancel()
		}
		p.mu.RUnlock()
	}
}

func (m *Manager) updateGroup(key poolKey, tgs []*Group) {
	m.targetsMtx.Lock()
	defer m.targetsMtx.Unlock()
	if m.targets[key] == nil {
		m.targets[key] = make(map[string]*Group)
	}
	for _, tg := range tgs {
		m.targets[key][tg.Source] = tg
	}
}
