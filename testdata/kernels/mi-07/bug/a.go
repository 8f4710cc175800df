// Package a tracks the peer connections of a file synchroniser.
package a

import (
	"errors"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

// DeviceID names a peer.
type DeviceID string

var (
	ErrReplaced     = errors.New("model: replaced by a newer connection")
	ErrNotConnected = errors.New("model: device is not connected")
	ErrPaused       = errors.New("model: device is paused")
)

// Connection is an authenticated connection to a device.
type Connection interface {
	ID() DeviceID
	Request(folder, name string, off int64, size int) ([]byte, error)
	// Close ends the connection; its reader then calls Model.Closed.
	Close(err error)
}

// Hello is what the peer said at the start.
type Hello struct {
	Name, Version string
}

// Indexer sends our file lists to connections.
type Indexer interface {
	Start(c Connection)
	// Stop waits until the sender of c has ended.
	Stop(c Connection)
}

// Model is the hub between the folders and the connections.
type Model struct {
	indexer Indexer

	mu       sync.RWMutex
	conns    map[DeviceID]Connection
	hellos   map[DeviceID]Hello
	since    map[DeviceID]time.Time
	lastSeen map[DeviceID]time.Time
	paused   map[DeviceID]bool

	connects    atomic.Int64
	disconnects atomic.Int64
}

// NewModel returns a model without connections.
func NewModel(ix Indexer) *Model {
	return &Model{
		indexer:  ix,
		conns:    make(map[DeviceID]Connection),
		hellos:   make(map[DeviceID]Hello),
		since:    make(map[DeviceID]time.Time),
		lastSeen: make(map[DeviceID]time.Time),
		paused:   make(map[DeviceID]bool),
	}
}

// AddConnection registers a new connection. A device has one connection; an
// older one is closed. The reader of c is started after this has returned.
func (m *Model) AddConnection(c Connection, h Hello) error {
	id := c.ID()
	now := time.Now()
	m.mu.Lock()
	if m.paused[id] {
		m.mu.Unlock()
		return ErrPaused
	}
	old := m.conns[id]
	m.conns[id] = c
	m.hellos[id] = h
	m.since[id] = now
	m.lastSeen[id] = now
	m.indexer.Start(c)
	m.mu.Unlock()

	m.connects.Add(1)
	if old != nil {
		m.indexer.Stop(old)
		old.Close(ErrReplaced)
	}
	log.Printf("model: %s connected (%s %s)", id, h.Name, h.Version)
	return nil
}

// Closed is called once by the reader of a connection when it has ended.
func (m *Model) Closed(c Connection, cause error) {
	id := c.ID()
	m.mu.RLock()
	current, ok := m.conns[id]
	m.mu.RUnlock()
	if !ok || current != c {
		log.Printf("model: old connection to %s ended: %v", id, cause)
		return
	}

	m.indexer.Stop(c)

	m.mu.Lock()
	start := m.since[id]
	delete(m.conns, id)
	delete(m.hellos, id)
	delete(m.since, id)
	m.lastSeen[id] = time.Now()
	m.mu.Unlock()
	m.disconnects.Add(1)
	log.Printf("model: %s gone after %v: %v", id, time.Since(start), cause)
}

// Pause closes the connection of a device and refuses new ones.
func (m *Model) Pause(id DeviceID, on bool) {
	m.mu.Lock()
	m.paused[id] = on
	c := m.conns[id]
	m.mu.Unlock()
	if on && c != nil {
		c.Close(ErrPaused)
	}
}

// Request fetches a block from a device.
func (m *Model) Request(id DeviceID, folder, name string, off int64, size int) ([]byte, error) {
	m.mu.RLock()
	c, ok := m.conns[id]
	m.mu.RUnlock()
	if !ok {
		return nil, ErrNotConnected
	}
	return c.Request(folder, name, off, size)
}

// Connected lists the devices with their greetings.
func (m *Model) Connected() map[DeviceID]Hello {
	m.mu.RLock()
	defer m.mu.RUnlock()
	out := make(map[DeviceID]Hello, len(m.conns))
	for id := range m.conns {
		out[id] = m.hellos[id]
	}
	return out
}

// LastSeen is when the device was last connected.
func (m *Model) LastSeen(id DeviceID) time.Time {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.lastSeen[id]
}
