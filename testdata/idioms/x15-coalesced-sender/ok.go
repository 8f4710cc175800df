// Package ok sends updates of targets to one consumer.
package ok

import (
	"context"
	"sync"
	"time"
)

// Group is replaced, never changed.
type Group struct {
	Source  string
	Targets []string
}

type poolKey struct{ set, provider string }

// Manager is safe for concurrent use.
type Manager struct {
	ctx         context.Context
	updatert    time.Duration
	syncCh      chan map[string][]*Group
	triggerSend chan struct{}

	targetsMtx sync.Mutex
	targets    map[poolKey]map[string]*Group

	sent, delayed int // only used by the sender
}

// NewManager starts to send.
func NewManager(ctx context.Context, every time.Duration) *Manager {
	m := &Manager{
		ctx: ctx, updatert: every,
		syncCh:      make(chan map[string][]*Group),
		triggerSend: make(chan struct{}, 1),
		targets:     make(map[poolKey]map[string]*Group),
	}
	go m.sender()
	return m
}

// Update is called by providers.
func (m *Manager) Update(set, provider string, tgs []*Group) {
	m.updateGroup(poolKey{set, provider}, tgs)
	select {
	case m.triggerSend <- struct{}{}:
	default:
	}
}

func (m *Manager) updateGroup(key poolKey, tgs []*Group) {
	m.targetsMtx.Lock()
	defer m.targetsMtx.Unlock()
	if m.targets[key] == nil {
		m.targets[key] = make(map[string]*Group)
	}
	for _, tg := range tgs {
		if len(tg.Targets) > 0 {
			m.targets[key][tg.Source] = tg
		} else {
			delete(m.targets[key], tg.Source)
		}
	}
}

func (m *Manager) allGroups() map[string][]*Group {
	tSets := map[string][]*Group{}
	m.targetsMtx.Lock()
	defer m.targetsMtx.Unlock()
	for pkey, tsets := range m.targets {
		for _, tg := range tsets {
			tSets[pkey.set] = append(tSets[pkey.set], tg)
		}
	}
	return tSets
}

func (m *Manager) sender() {
	ticker := time.NewTicker(m.updatert)
	defer ticker.Stop()
	for {
		select {
		case <-m.ctx.Done():
			return
		case <-ticker.C: // Some discoverers send updates too often, so we throttle these with the ticker.
			select {
			case <-m.triggerSend:
				m.sent++
				select {
				case m.syncCh <- m.allGroups():
				default:
					m.delayed++
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
