package idiom1386

import (
	"errors"
	"fmt"
	"sync"
)

var errShutdown = errors.New("server is shutting down")

type volume struct {
	id   string
	path string
}

type state struct {
	mu   sync.RWMutex
	vols map[string]volume
}

func (s *state) volumeByID(id string) (volume, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	v, ok := s.vols[id]
	return v, ok
}

func (s *state) upsert(v volume) {
	s.mu.Lock()
	s.vols[v.id] = v
	s.mu.Unlock()
}

func (s *state) delete(id string) {
	s.mu.Lock()
	delete(s.vols, id)
	s.mu.Unlock()
}

// Plugin creates and removes volumes on a client.
type Plugin interface {
	Create(id string) (path string, err error)
	Delete(path string) error
}

// HostVolume is the endpoint for host volumes.
type HostVolume struct {
	state      state
	plugin     Plugin
	shutdownCh chan struct{}

	// volOps serializes operations per volume; the value is a channel that is
	// closed when the operation has ended.
	volOps sync.Map
}

// NewHostVolume returns an endpoint; only its operations change the state.
func NewHostVolume(p Plugin) *HostVolume {
	return &HostVolume{state: state{vols: make(map[string]volume)}, plugin: p, shutdownCh: make(chan struct{})}
}

func (h *HostVolume) serializeCall(id string, fn func() error) error {
	done := make(chan struct{})
	for {
		loaded, occupied := h.volOps.LoadOrStore(id, done)
		if !occupied {
			defer func() {
				h.volOps.Delete(id)
				close(done)
			}()
			return fn()
		}
		select {
		case <-loaded.(chan struct{}):
		case <-h.shutdownCh:
			return errShutdown
		}
	}
}

// Create creates a volume.
func (h *HostVolume) Create(id string) error {
	return h.serializeCall(id, func() error {
		if _, ok := h.state.volumeByID(id); ok {
			return fmt.Errorf("volume %s exists", id)
		}
		path, err := h.plugin.Create(id)
		if err != nil {
			return err
		}
		h.state.upsert(volume{id: id, path: path})
		return nil
	})
}

// Delete removes a volume.
func (h *HostVolume) Delete(id string) error {
	return h.serializeCall(id, func() error {
		v, ok := h.state.volumeByID(id)
		if !ok {
			return nil
		}
		if err := h.plugin.Delete(v.path); err != nil {
			return err
		}
		h.state.delete(id)
		return nil
	})
}
