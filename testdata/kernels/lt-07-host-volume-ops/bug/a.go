package nomad

import (
	"errors"
	"fmt"
	"sync"
)

type hostVolume struct {
	ID       string
	NodeID   string
	HostPath string
	Capacity int64
}

// stateStore is the replicated state; raftApply writes go through it.
type stateStore struct {
	mu      sync.RWMutex
	index   uint64
	volumes map[string]hostVolume
}

func (s *stateStore) volumeByID(id string) (hostVolume, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	v, ok := s.volumes[id]
	return v, ok
}

func (s *stateStore) upsertVolume(v hostVolume) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index++
	s.volumes[v.ID] = v
	return s.index
}

func (s *stateStore) deleteVolume(id string) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index++
	delete(s.volumes, id)
	return s.index
}

// nodeClient stands for the RPCs to the plugin on a client node.
type nodeClient struct {
	mu    sync.Mutex
	paths map[string]string
}

func (c *nodeClient) create(id string) (string, error) {
	if id == "" {
		return "", errors.New("plugin: missing id")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.paths[id]
	if !ok {
		p = "/srv/volumes/" + id
		c.paths[id] = p
	}
	return p, nil
}

func (c *nodeClient) remove(id string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.paths, id)
	return nil
}

// HostVolume is the RPC endpoint; its methods run once per request.
type HostVolume struct {
	state *stateStore
	node  *nodeClient
}

func newHostVolumeEndpoint() *HostVolume {
	return &HostVolume{
		state: &stateStore{volumes: make(map[string]hostVolume)},
		node:  &nodeClient{paths: make(map[string]string)},
	}
}

func (v *HostVolume) Create(vol hostVolume) (uint64, error) {
	if vol.ID == "" {
		return 0, errors.New("missing volume ID")
	}
	return v.createVolume(vol)
}

// createVolume attempts to create the volume on the client and then
// registers what the plugin answered.
func (v *HostVolume) createVolume(vol hostVolume) (uint64, error) {
	path, err := v.node.create(vol.ID)
	if err != nil {
		return 0, err
	}
	vol.HostPath = path
	return v.state.upsertVolume(vol), nil
}

func (v *HostVolume) Delete(id string) (uint64, error) {
	if id == "" {
		return 0, errors.New("missing volume ID to delete")
	}
	return v.deleteVolume(id)
}

func (v *HostVolume) deleteVolume(id string) (uint64, error) {
	if _, ok := v.state.volumeByID(id); !ok {
		return 0, fmt.Errorf("no such volume: %s", id)
	}
	if err := v.node.remove(id); err != nil {
		return 0, err
	}
	return v.state.deleteVolume(id), nil
}

// Get is used by the mount hook of the client.
func (v *HostVolume) Get(id string) (hostVolume, error) {
	vol, ok := v.state.volumeByID(id)
	if !ok {
		return hostVolume{}, fmt.Errorf("no such volume: %s", id)
	}
	return vol, nil
}
