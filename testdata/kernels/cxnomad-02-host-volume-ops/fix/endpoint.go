// Package fix is the server's endpoint for dynamic host volumes.
package fix

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var errShutdown = errors.New("server is shutting down")

// Volume describes a volume.
type Volume struct {
	ID       string
	Name     string
	HostPath string
}

// StateStore holds the replicated state.
type StateStore struct {
	mu      sync.RWMutex
	index   uint64
	volumes map[string]*Volume
}

// HostVolumeByID returns a volume or nil.
func (s *StateStore) HostVolumeByID(id string) *Volume {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.volumes[id]
}

func (s *StateStore) upsertHostVolume(vol *Volume) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index++
	s.volumes[vol.ID] = vol
	return s.index
}

func (s *StateStore) deleteHostVolume(id string) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index++
	delete(s.volumes, id)
	return s.index
}

// ClientRPC reaches the plugin on the node. Both operations are idempotent.
type ClientRPC interface {
	HostVolumeCreate(vol *Volume) (hostPath string, err error)
	HostVolumeDelete(id, hostPath string) error
}

// Server is the part of the server that the endpoint uses.
type Server struct {
	state       *StateStore
	client      ClientRPC
	shutdownCtx context.Context
}

// NewServer returns a server without volumes.
func NewServer(ctx context.Context, client ClientRPC) *Server {
	return &Server{
		state:       &StateStore{volumes: make(map[string]*Volume)},
		client:      client,
		shutdownCtx: ctx,
	}
}

// HostVolume is the server RPC endpoint for host volumes.
type HostVolume struct {
	srv *Server

	// volOps is used to serialize operations per volume ID
	volOps sync.Map
}

// NewHostVolumeEndpoint returns the endpoint that all connections share.
func NewHostVolumeEndpoint(srv *Server) *HostVolume {
	return &HostVolume{srv: srv}
}

// Create creates or updates a volume. The id is chosen by the caller.
func (v *HostVolume) Create(vol *Volume) (uint64, error) {
	if vol.ID == "" {
		return 0, errors.New("missing volume ID")
	}
	vol = &Volume{ID: vol.ID, Name: vol.Name}

	// serialize client RPC and raft write per volume ID
	return v.serializeCall(vol.ID, func() (uint64, error) {
		// Attempt to create the volume on the client.
		if err := v.createVolume(vol); err != nil {
			return 0, err
		}

		// Write a newly created or modified volume to raft.
		return v.srv.state.upsertHostVolume(vol), nil
	})
}

// Delete deletes a volume.
func (v *HostVolume) Delete(id string) (uint64, error) {
	vol := v.srv.state.HostVolumeByID(id)
	if vol == nil {
		return 0, fmt.Errorf("no such volume: %s", id)
	}

	// serialize client RPC and raft write per volume ID
	return v.serializeCall(vol.ID, func() (uint64, error) {
		if err := v.deleteVolume(vol); err != nil {
			return 0, err
		}
		return v.srv.state.deleteHostVolume(id), nil
	})
}

func (v *HostVolume) createVolume(vol *Volume) error {
	path, err := v.srv.client.HostVolumeCreate(vol)
	if err != nil {
		return fmt.Errorf("could not create volume %q: %w", vol.Name, err)
	}
	vol.HostPath = path
	return nil
}

func (v *HostVolume) deleteVolume(vol *Volume) error {
	ctx, cancel := context.WithTimeout(v.srv.shutdownCtx, time.Minute)
	defer cancel()
	if ctx.Err() != nil {
		return errShutdown
	}
	return v.srv.client.HostVolumeDelete(vol.ID, vol.HostPath)
}

// serializeCall serializes fn() per volume. Concurrent calls should all run
// eventually, but not in the order received.
func (v *HostVolume) serializeCall(volumeID string, fn func() (uint64, error)) (uint64, error) {
	for {
		ctx, done := context.WithTimeout(v.srv.shutdownCtx, 2*time.Minute)

		loaded, occupied := v.volOps.LoadOrStore(volumeID, ctx)

		if !occupied {
			// run the fn!
			index, err := fn()

			// done() must come after Delete, so that other unblocked requests
			// will Store a fresh context when they continue.
			v.volOps.Delete(volumeID)
			done()

			return index, err
		}

		// another one is running; wait for it to finish.
		done()
		otherCtx := loaded.(context.Context)
		select {
		case <-otherCtx.Done():
			continue
		case <-v.srv.shutdownCtx.Done():
			return 0, errShutdown
		}
	}
}
