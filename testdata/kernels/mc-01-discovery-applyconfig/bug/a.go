package a

import (
	"context"
	"sync"
)

// Group is a set of targets with a common label set.
type Group struct {
	Source  string
	Targets []string
}

type poolKey struct {
	setName  string
	provider string
}

// provider holds a Discoverer instance, its configuration, cancel func and its subscribers.
type provider struct {
	name    string
	updates chan []*Group
	cancel  context.CancelFunc

	mu   sync.RWMutex
	subs map[string]struct{}

	// newSubs is used to temporary store subs to be used upon config reload completion.
	newSubs map[string]struct{}
}

// Manager maintains a set of discovery providers and sends each update to a map channel.
type Manager struct {
	mtx sync.RWMutex
	ctx context.Context

	targets    map[poolKey]map[string]*Group
	targetsMtx sync.Mutex

	providers   []*provider
	syncCh      chan map[string][]*Group
	triggerSend chan struct{}
}

// NewManager is the Discovery Manager constructor.
func NewManager(ctx context.Context) *Manager {
	return &Manager{
		ctx:         ctx,
		syncCh:      make(chan map[string][]*Group),
		targets:     make(map[poolKey]map[string]*Group),
		triggerSend: make(chan struct{}, 1),
	}
}

// Run does the background processing.
func (m *Manager) Run() { m.sender() }

// ApplyConfig keeps the running providers and moves their targets to the new sets.
func (m *Manager) ApplyConfig(cfg map[string]map[string]struct{}) error {
	m.mtx.Lock()
	defer m.mtx.Unlock()

	var newProviders []*provider
	keep := false
	for _, prov := range m.providers {
		prov.newSubs = cfg[prov.name]
		if len(prov.newSubs) == 0 {
			prov.cancel()
			continue
		}
		newProviders = append(newProviders, prov)
		// refTargets keeps reference targets used to populate new subs' targets
		var refTargets map[string]*Group
		prov.mu.Lock()
		for s := range prov.subs {
			keep = true
			m.targetsMtx.Lock()
			refTargets = m.targets[poolKey{s, prov.name}]
			// Remove obsolete subs' targets.
			if _, ok := prov.newSubs[s]; !ok {
				delete(m.targets, poolKey{s, prov.name})
			}
			m.targetsMtx.Unlock()
		}
		// Set targets for new subs.
		for s := range prov.newSubs {
			if l := len(refTargets); l > 0 {
				tgs := make(map[string]*Group, l)
				for k, v := range refTargets {
					tgs[k] = v
				}
				m.targetsMtx.Lock()
				m.targets[poolKey{s, prov.name}] = tgs
				m.targetsMtx.Unlock()
			}
		}
		prov.subs = prov.newSubs
		prov.mu.Unlock()
	}
	if keep {
		m.trigger()
	}
	m.providers = newProviders
	return nil
}

// StartProvider registers and runs a provider for the given set.
func (m *Manager) StartProvider(name, set string, updates chan []*Group) {
	m.mtx.Lock()
	defer m.mtx.Unlock()
	ctx, cancel := context.WithCancel(m.ctx)
	p := &provider{name: name, updates: updates, cancel: cancel, subs: map[string]struct{}{set: {}}}
	m.providers = append(m.providers, p)
	go m.updater(ctx, p)
}

func (m *Manager) updater(ctx context.Context, p *provider) {
	for {
		select {
		case <-ctx.Done():
			return
		case tgs := <-p.updates:
			p.mu.RLock()
			for s := range p.subs {
				m.updateGroup(poolKey{setName: s, provider: p.name}, tgs)
			}
			p.mu.RUnlock()
			m.trigger()
		}
	}
}

func (m *Manager) trigger() {
	select {
	case m.triggerSend <- struct{}{}:
	default:
	}
}

func (m *Manager) sender() {
	for {
		select {
		case <-m.ctx.Done():
			return
		case <-m.triggerSend:
			m.syncCh <- m.allGroups()
		}
	}
}

func (m *Manager) updateGroup(key poolKey, tgs []*Group) {
	m.targetsMtx.Lock()
	defer m.targetsMtx.Unlock()
	if _, ok := m.targets[key]; !ok {
		m.targets[key] = make(map[string]*Group)
	}
	for _, tg := range tgs {
		m.targets[key][tg.Source] = tg
	}
}

func (m *Manager) allGroups() map[string][]*Group {
	tSets := map[string][]*Group{}
	m.targetsMtx.Lock()
	defer m.targetsMtx.Unlock()
	for key, groups := range m.targets {
		for _, tg := range groups {
			tSets[key.setName] = append(tSets[key.setName], tg)
		}
	}
	return tSets
}
