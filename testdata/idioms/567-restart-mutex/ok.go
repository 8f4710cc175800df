// Package ok runs folders and restarts them with a new configuration.
package ok

import (
	"context"
	"sync"
)

// Config describes how a folder runs.
type Config struct {
	ID     string
	Paused bool
}

type runner struct {
	cfg    Config
	cancel context.CancelFunc
	done   chan struct{}
}

// Model holds the running folders.
type Model struct {
	serve func(ctx context.Context, m *Model, cfg Config)

	restartMuts sync.Map // folder ID -> *sync.Mutex, held for a whole restart

	fmut    sync.RWMutex
	runners map[string]*runner
	state   map[string]string
}

// NewModel runs folders with serve, which may call SetState.
func NewModel(serve func(context.Context, *Model, Config)) *Model {
	return &Model{serve: serve, runners: make(map[string]*runner), state: make(map[string]string)}
}

func (m *Model) restartMut(id string) *sync.Mutex {
	mut, _ := m.restartMuts.LoadOrStore(id, new(sync.Mutex))
	return mut.(*sync.Mutex)
}

// SetState records what a folder is doing.
func (m *Model) SetState(id, state string) {
	m.fmut.Lock()
	m.state[id] = state
	m.fmut.Unlock()
}

// State returns what a folder is doing.
func (m *Model) State(id string) string {
	m.fmut.RLock()
	defer m.fmut.RUnlock()
	return m.state[id]
}

// Restart stops a folder if it runs, and starts it unless it is to be paused.
// The folder needs fmut to shut down, so that is not held during the wait.
func (m *Model) Restart(cfg Config) {
	mut := m.restartMut(cfg.ID)
	mut.Lock()
	defer mut.Unlock()

	m.fmut.RLock()
	old := m.runners[cfg.ID]
	m.fmut.RUnlock()
	if old != nil {
		old.cancel()
		<-old.done
	}

	m.fmut.Lock()
	defer m.fmut.Unlock()
	if cfg.Paused {
		delete(m.runners, cfg.ID)
		m.state[cfg.ID] = "paused"
		return
	}
	m.runners[cfg.ID] = m.startLocked(cfg)
	m.state[cfg.ID] = "started"
	if old != nil {
		m.state[cfg.ID] = "restarted"
	}
}

// startLocked starts the folder. fmut should be held.
func (m *Model) startLocked(cfg Config) *runner {
	ctx, cancel := context.WithCancel(context.Background())
	r := &runner{cfg: cfg, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		m.serve(ctx, m, cfg)
	}()
	return r
}

// Running returns the number of folders that are not paused.
func (m *Model) Running() int {
	m.fmut.RLock()
	defer m.fmut.RUnlock()
	return len(m.runners)
}
