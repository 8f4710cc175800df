package foldermodel

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

var errRunning = errors.New("folder is already running")

// Share is the configuration of a folder.
type Share struct {
	ID      string
	Path    string
	Devices []string
	Paused  bool
}

// Runner synchronises one folder until ctx is done.
type Runner interface {
	Serve(ctx context.Context)
}

type peerLink struct {
	device string
	close  func(reason error)
}

type runnerSlot struct {
	runner Runner
	cancel context.CancelFunc
}

// Model keeps track of the folders and of the connected devices. Folders are
// added by the configuration and by the API.
type Model struct {
	factory func(Share) Runner

	pmut  sync.Mutex
	links map[string]*peerLink

	fmut    sync.Mutex
	shares  map[string]Share
	runners map[string]runnerSlot
}

// NewModel returns an empty model.
func NewModel(factory func(Share) Runner) *Model {
	return &Model{
		factory: factory,
		links:   make(map[string]*peerLink),
		shares:  make(map[string]Share),
		runners: make(map[string]runnerSlot),
	}
}

// Connected registers a connection to a device.
func (m *Model) Connected(device string, closeFn func(error)) {
	m.pmut.Lock()
	defer m.pmut.Unlock()
	m.links[device] = &peerLink{device: device, close: closeFn}
}

func (m *Model) dropLinks(devices []string, reason error) {
	m.pmut.Lock()
	var links []*peerLink
	for _, d := range devices {
		if l, ok := m.links[d]; ok {
			links = append(links, l)
			delete(m.links, d)
		}
	}
	m.pmut.Unlock()
	for _, l := range links {
		l.close(reason)
	}
}

// AddShare adds a folder and starts it unless it is paused.
func (m *Model) AddShare(s Share) error {
	if s.ID == "" || s.Path == "" {
		return errors.New("folder without id or path")
	}
	m.fmut.Lock()
	defer m.fmut.Unlock()
	if !s.Paused {
		return m.startLocked(s)
	}
	m.shares[s.ID] = s
	return nil
}

// Resume starts a paused folder.
func (m *Model) Resume(id string) error {
	m.fmut.Lock()
	defer m.fmut.Unlock()
	s, ok := m.shares[id]
	if !ok {
		return fmt.Errorf("no folder %q", id)
	}
	s.Paused = false
	return m.startLocked(s)
}

// Need to hold lock on m.fmut when calling this.
func (m *Model) startLocked(s Share) error {
	if _, ok := m.runners[s.ID]; ok {
		return errRunning
	}

	// Devices have to reconnect to learn about the folder.
	m.fmut.Unlock()
	m.dropLinks(s.Devices, fmt.Errorf("started folder %s", s.ID))
	m.fmut.Lock()

	ctx, cancel := context.WithCancel(context.Background())
	r := m.factory(s)
	m.shares[s.ID] = s
	m.runners[s.ID] = runnerSlot{runner: r, cancel: cancel}
	go r.Serve(ctx)
	return nil
}

// Remove stops and forgets a folder.
func (m *Model) Remove(id string) {
	m.fmut.Lock()
	defer m.fmut.Unlock()
	if slot, ok := m.runners[id]; ok {
		slot.cancel()
	}
	delete(m.runners, id)
	delete(m.shares, id)
}
