// Package ok passes the targets of several discoverers to one consumer.
package ok

import (
	"context"
	"maps"
	"sync"
	"time"
)

// Group is a set of targets from one source.
type Group struct {
	Source  string
	Targets []string
}

// Discoverer sends groups until ctx ends. An empty group is gone.
type Discoverer interface {
	Run(ctx context.Context, up chan<- []Group)
}

type poolKey struct{ job, provider string }

// Manager merges what the discoverers find.
type Manager struct {
	ctx      context.Context
	interval time.Duration
	syncCh   chan map[string][]Group
	trigger  chan struct{}

	mtx     sync.RWMutex
	targets map[poolKey]map[string]Group
	cancel  map[string]context.CancelFunc
}

// NewManager starts the sender.
func NewManager(ctx context.Context, interval time.Duration) *Manager {
	m := &Manager{
		ctx:      ctx,
		interval: interval,
		syncCh:   make(chan map[string][]Group),
		trigger:  make(chan struct{}, 1),
		targets:  make(map[poolKey]map[string]Group),
		cancel:   make(map[string]context.CancelFunc),
	}
	go m.sender()
	return m
}

// SyncCh receives all targets whenever some have changed.
func (m *Manager) SyncCh() <-chan map[string][]Group { return m.syncCh }

// Start runs a discoverer for a job. The name of a provider is used once.
func (m *Manager) Start(job, provider string, d Discoverer) {
	ctx, cancel := context.WithCancel(m.ctx)
	m.mtx.Lock()
	m.cancel[provider] = cancel
	m.mtx.Unlock()
	updates := make(chan []Group)
	go d.Run(ctx, updates)
	go m.updater(ctx, poolKey{job, provider}, updates)
}

// updater stores what one discoverer sends.
func (m *Manager) updater(ctx context.Context, key poolKey, updates <-chan []Group) {
	defer m.remove(key)
	for {
		select {
		case <-ctx.Done():
			return
		case groups, ok := <-updates:
			if !ok {
				<-ctx.Done()
				return
			}
			m.updateGroups(key, groups)
			m.signal()
		}
	}
}

func (m *Manager) updateGroups(key poolKey, groups []Group) {
	m.mtx.Lock()
	defer m.mtx.Unlock()
	if m.targets[key] == nil {
		m.targets[key] = make(map[string]Group)
	}
	for _, g := range groups {
		if len(g.Targets) == 0 {
			delete(m.targets[key], g.Source)
		} else {
			m.targets[key][g.Source] = g
		}
	}
}

func (m *Manager) remove(key poolKey) {
	m.mtx.Lock()
	delete(m.targets, key)
	m.mtx.Unlock()
	m.signal()
}

// signal makes the sender look. It never blocks.
func (m *Manager) signal() {
	select {
	case m.trigger <- struct{}{}:
	default:
	}
}

// sender sends at most once per interval.
func (m *Manager) sender() {
	ticker := time.NewTicker(m.interval)
	defer ticker.Stop()
	defer close(m.syncCh)
	for {
		select {
		case <-m.ctx.Done():
			return
		case <-ticker.C:
		}
		select {
		case <-m.trigger:
		default:
			continue
		}
		select {
		case m.syncCh <- m.allGroups():
		default:
			// The consumer is busy; try again with the next tick.
			m.signal()
		}
	}
}

func (m *Manager) allGroups() map[string][]Group {
	m.mtx.RLock()
	defer m.mtx.RUnlock()
	all := make(map[string][]Group)
	for key, groups := range m.targets {
		for g := range maps.Values(groups) {
			all[key.job] = append(all[key.job], g)
		}
	}
	return all
}

// Stop ends a discoverer.
func (m *Manager) Stop(provider string) {
	m.mtx.Lock()
	cancel := m.cancel[provider]
	delete(m.cancel, provider)
	m.mtx.Unlock()
	if cancel != nil {
		cancel()
	}
}
