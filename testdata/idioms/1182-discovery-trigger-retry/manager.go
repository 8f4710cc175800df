package discovery

import (
	"context"
	"log"
	"sync"
	"time"
)

// Group is a set of targets with a common label set. It is not changed once it was sent.
type Group struct {
	Source  string
	Targets []string
}

type poolKey struct {
	setName  string
	provider string
}

// Discoverer provides information about target groups.
type Discoverer interface {
	Run(ctx context.Context, up chan<- []*Group)
}

// Manager maintains a set of discovery providers and sends each update to a map channel.
type Manager struct {
	ctx context.Context

	// Some Discoverers(e.g. k8s) send only the updates for a given target group,
	// so we use map[tg.Source]*Group to know which group to update.
	targets    map[poolKey]map[string]*Group
	targetsMtx sync.Mutex

	// The sync channel sends the updates as a map where the key is the job value from the scrape config.
	syncCh chan map[string][]*Group

	// How long to wait before sending updates to the channel. The variable
	// should only be modified in unit tests.
	updatert time.Duration

	// The triggerSend channel signals to the Manager that new updates have been received from providers.
	triggerSend chan struct{}
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
func (m *Manager) Run() {
	go m.sender()
	<-m.ctx.Done()
}

// SyncCh returns a read only channel used by all the clients to receive target updates.
func (m *Manager) SyncCh() <-chan map[string][]*Group {
	return m.syncCh
}

// StartProvider starts one discoverer of a scrape config.
func (m *Manager) StartProvider(key poolKey, d Discoverer) {
	updates := make(chan []*Group)
	go d.Run(m.ctx, updates)
	go m.updater(key, updates)
}

func (m *Manager) updater(key poolKey, updates chan []*Group) {
	for {
		select {
		case <-m.ctx.Done():
			return
		case tgs, ok := <-updates:
			if !ok {
				return
			}
			m.updateGroup(key, tgs)

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
				select {
				case m.syncCh <- m.allGroups():
				default:
					log.Print("Discovery receiver's channel was full so will retry the next cycle")
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

func (m *Manager) updateGroup(key poolKey, tgs []*Group) {
	m.targetsMtx.Lock()
	defer m.targetsMtx.Unlock()

	if _, ok := m.targets[key]; !ok {
		m.targets[key] = make(map[string]*Group)
	}
	for _, tg := range tgs {
		// Some Discoverers send nil target group so need to check for it to avoid panics.
		if tg == nil {
			continue
		}
		if len(tg.Targets) > 0 {
			m.targets[key][tg.Source] = tg
		} else {
			// The target group is empty, drop the corresponding entry to avoid leaks.
			delete(m.targets[key], tg.Source)
		}
	}
}

func (m *Manager) allGroups() map[string][]*Group {
	m.targetsMtx.Lock()
	defer m.targetsMtx.Unlock()

	tSets := map[string][]*Group{}
	for key, tsets := range m.targets {
		for _, tg := range tsets {
			tSets[key.setName] = append(tSets[key.setName], tg)
		}
	}
	return tSets
}
