package discovery

import (
	"context"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

// Group is a set of targets with a common label set.
type Group struct {
	Targets []string
	Source  string
}

// Discoverer provides information about target groups.
type Discoverer interface {
	Run(ctx context.Context, up chan<- []*Group)
}

type poolKey struct {
	setName  string
	provider string
}

// Provider holds a Discoverer instance, its configuration, cancel func and its subscribers.
type Provider struct {
	name string
	d    Discoverer

	mu   sync.RWMutex
	subs map[string]struct{}
}

// Manager maintains a set of discovery providers and sends each update to a map channel.
// Targets are grouped by the target set name.
type Manager struct {
	mtx sync.RWMutex
	ctx context.Context

	// Some Discoverers(e.g. k8s) send only the updates for a given target group,
	// so we use map[tg.Source]*Group to know which group to update.
	targets    map[poolKey]map[string]*Group
	targetsMtx sync.Mutex

	// providers keeps track of SD providers.
	providers []*Provider
	// The sync channel sends the updates as a map where the key is the job value from the scrape config.
	syncCh chan map[string][]*Group

	// How long to wait before sending updates to the channel. The variable
	// should only be modified in unit tests.
	updatert time.Duration

	// The triggerSend channel signals to the Manager that new updates have been received from providers.
	triggerSend chan struct{}

	sentUpdates    atomic.Uint64
	delayedUpdates atomic.Uint64
}

// NewManager is the Discovery Manager constructor.
func NewManager(ctx context.Context) *Manager {
	return &Manager{
		ctx:         ctx,
		targets:     make(map[poolKey]map[string]*Group),
		syncCh:      make(chan map[string][]*Group),
		updatert:    5 * time.Second,
		triggerSend: make(chan struct{}, 1),
	}
}

// Run starts the background processing.
func (m *Manager) Run() error {
	go m.sender()
	<-m.ctx.Done()
	return m.ctx.Err()
}

// SyncCh returns a read only channel used by all the clients to receive target updates.
func (m *Manager) SyncCh() <-chan map[string][]*Group {
	return m.syncCh
}

// StartCustomProvider is used for sdtool. Only use this if you know what you're doing.
func (m *Manager) StartCustomProvider(ctx context.Context, name string, worker Discoverer) {
	p := &Provider{
		name: name,
		d:    worker,
		subs: map[string]struct{}{name: {}},
	}
	m.mtx.Lock()
	m.providers = append(m.providers, p)
	m.mtx.Unlock()
	updates := make(chan []*Group)
	go p.d.Run(ctx, updates)
	go m.updater(ctx, p, updates)
}

func (m *Manager) updater(ctx context.Context, p *Provider, updates chan []*Group) {
	for {
		select {
		case <-ctx.Done():
			return
		case tgs, ok := <-updates:
			if !ok {
				log.Println("Discoverer channel closed", p.name)
				return
			}

			p.mu.RLock()
			for s := range p.subs {
				m.updateGroup(poolKey{setName: s, provider: p.name}, tgs)
			}
			p.mu.RUnlock()

			select {
			case m.triggerSend <- struct{}{}:
			default:
			}
		}
	}
}

func (m *Manager) sender() {
	ticker := time.NewTicker(m.updatert)
	defer func() {
		ticker.Stop()
		close(m.syncCh)
	}()

	for {
		select {
		case <-m.ctx.Done():
			return
		case <-ticker.C: // Some discoverers send updates too often, so we throttle these with the ticker.
			select {
			case <-m.triggerSend:
				m.sentUpdates.Add(1)
				select {
				case m.syncCh <- m.allGroups():
				default:
					m.delayedUpdates.Add(1)
					// Ensure we don't miss this update.
					select {
					case m.triggerSend <- struct{}{}:
					default:
					}
				}
			default:
			}
		}
	}
}

func (m *Manager) updateGroup(poolKey poolKey, tgs []*Group) {
	m.targetsMtx.Lock()
	defer m.targetsMtx.Unlock()

	if _, ok := m.targets[poolKey]; !ok {
		m.targets[poolKey] = make(map[string]*Group)
	}
	for _, tg := range tgs {
		// Some Discoverers send nil target group so need to check for it to avoid panics.
		if tg == nil {
			continue
		}
		if len(tg.Targets) > 0 {
			m.targets[poolKey][tg.Source] = tg
		} else {
			// The target group is empty, drop the corresponding entry to avoid leaks.
			// In case the group yielded targets before, allGroups() will take care of making consumers drop them.
			delete(m.targets[poolKey], tg.Source)
		}
	}
}

func (m *Manager) allGroups() map[string][]*Group {
	tSets := map[string][]*Group{}

	m.mtx.RLock()
	for _, p := range m.providers {
		p.mu.RLock()
		m.targetsMtx.Lock()
		for s := range p.subs {
			// Send empty lists for subs without any targets to make sure old stale targets are dropped by consumers.
			if _, ok := tSets[s]; !ok {
				tSets[s] = []*Group{}
			}
			for _, tg := range m.targets[poolKey{s, p.name}] {
				tSets[s] = append(tSets[s], tg)
			}
		}
		m.targetsMtx.Unlock()
		p.mu.RUnlock()
	}
	m.mtx.RUnlock()

	return tSets
}

// scrapeManager is the consumer of the updates.
type scrapeManager struct {
	mtx        sync.Mutex
	targetSets map[string][]*Group
}

func (s *scrapeManager) run(tsets <-chan map[string][]*Group) {
	for ts := range tsets {
		s.mtx.Lock()
		s.targetSets = ts
		s.mtx.Unlock()
	}
}
