package server

import (
	"errors"
	"sync"
	"sync/atomic"
)

// StreamConfig is the configuration of a stream.
type StreamConfig struct {
	Name     string
	Replicas int
}

// stream is the local part of a stream.
type stream struct {
	cfg       StreamConfig
	inMonitor atomic.Bool

	mu   sync.RWMutex
	node *raftNode
}

func (mset *stream) raftNode() *raftNode {
	mset.mu.RLock()
	defer mset.mu.RUnlock()
	return mset.node
}

func (mset *stream) setRaftNode(n *raftNode) {
	mset.mu.Lock()
	mset.node = n
	mset.mu.Unlock()
}

func (mset *stream) isMonitorRunning() bool { return mset.inMonitor.Load() }

// Account has the streams of one account.
type Account struct {
	Name string

	mu      sync.RWMutex
	streams map[string]*stream
}

var errStreamNotFound = errors.New("stream not found")

// NewAccount returns an account with the streams that were found on disk.
func NewAccount(name string, recovered []StreamConfig) *Account {
	a := &Account{Name: name, streams: make(map[string]*stream)}
	for _, cfg := range recovered {
		a.streams[cfg.Name] = &stream{cfg: cfg}
	}
	return a
}

func (a *Account) lookupStream(name string) (*stream, error) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	mset, ok := a.streams[name]
	if !ok {
		return nil, errStreamNotFound
	}
	return mset, nil
}

// lookupOrAddStream returns a stream; it is added if it was not recovered.
func (a *Account) lookupOrAddStream(cfg StreamConfig) *stream {
	a.mu.Lock()
	defer a.mu.Unlock()
	mset, ok := a.streams[cfg.Name]
	if !ok {
		mset = &stream{cfg: cfg}
		a.streams[cfg.Name] = mset
	}
	return mset
}
