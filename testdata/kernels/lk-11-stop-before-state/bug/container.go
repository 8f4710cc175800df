package server

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"sync"
	"time"
)

const (
	// stopCheckPollInterval is the the interval to check whether a container
	// is stopped successfully.
	stopCheckPollInterval = 100 * time.Millisecond

	// killContainerTimeout is the timeout that we wait for the container to
	// be SIGKILLed.
	killContainerTimeout = 2 * time.Minute

	sigTerm = 15
	sigKill = 9
)

var (
	errContainerNotExist = errors.New("container does not exist")
	errNotExist          = errors.New("metadata does not exist")
)

type ContainerState int

const (
	ContainerCreated ContainerState = iota
	ContainerRunning
	ContainerExited
)

// ContainerMetadata is the record of a container.
type ContainerMetadata struct {
	ID         string
	Pid        uint32
	StartedAt  int64
	FinishedAt int64
	ExitCode   int32
	Removing   bool
}

func (c ContainerMetadata) State() ContainerState {
	switch {
	case c.FinishedAt != 0:
		return ContainerExited
	case c.StartedAt != 0:
		return ContainerRunning
	}
	return ContainerCreated
}

// containerStore keeps the records.
type containerStore struct {
	lock  sync.RWMutex
	metas map[string]ContainerMetadata
}

func (s *containerStore) Create(meta ContainerMetadata) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.metas[meta.ID] = meta
}

func (s *containerStore) Get(id string) (ContainerMetadata, error) {
	s.lock.RLock()
	defer s.lock.RUnlock()
	m, ok := s.metas[id]
	if !ok {
		return m, errNotExist
	}
	return m, nil
}

func (s *containerStore) Update(id string, f func(ContainerMetadata) (ContainerMetadata, error)) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	m, ok := s.metas[id]
	if !ok {
		return errNotExist
	}
	m, err := f(m)
	if err != nil {
		return err
	}
	s.metas[id] = m
	return nil
}

func (s *containerStore) Delete(id string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	delete(s.metas, id)
}

// Event is told by containerd.
type Event struct {
	ID         string
	Pid        uint32
	ExitStatus uint32
	ExitedAt   time.Time
}

// containerService is the client of containerd. Delete kills the container if
// it still runs. The Exit event of a container is sent when its process ends.
type containerService interface {
	Kill(ctx context.Context, id string, signal uint32) error
	Delete(ctx context.Context, id string) error
	Events(ctx context.Context) (<-chan Event, error)
}

// criService serves the kubelet.
type criService struct {
	containerService containerService
	containerStore   *containerStore
	removeAll        func(dir string) error
}

func newService(cs containerService, removeAll func(string) error) *criService {
	c := &criService{
		containerService: cs,
		containerStore:   &containerStore{metas: make(map[string]ContainerMetadata)},
		removeAll:        removeAll,
	}
	c.startEventMonitor()
	return c
}

// StopContainer stops a running container with a grace period (i.e., timeout).
func (c *criService) StopContainer(ctx context.Context, id string, timeout time.Duration) error {
	// Get container config from container store.
	meta, err := c.containerStore.Get(id)
	if err != nil {
		return fmt.Errorf("an error occurred when try to find container %q: %v", id, err)
	}

	// Return without error if container is not running. This makes sure that
	// stop only takes real action after the container is started.
	if meta.State() != ContainerRunning {
		log.Printf("Container to stop %q is not running", id)
		return nil
	}

	if timeout > 0 {
		log.Printf("Stop container %q with signal %v", id, sigTerm)
		err = c.containerService.Kill(ctx, id, sigTerm)
		if err != nil {
			if isContainerdContainerNotExistError(err) {
				return nil
			}
			return fmt.Errorf("failed to stop container %q: %v", id, err)
		}

		err = c.waitContainerStop(ctx, id, timeout)
		if err == nil {
			return nil
		}
		log.Printf("Stop container %q timed out: %v", id, err)
	}

	log.Printf("Delete container from containerd %q", id)
	// Delete sends SIGKILL to the container in the containerd version we are using.
	err = c.containerService.Delete(ctx, id)
	if err != nil {
		if isContainerdContainerNotExistError(err) {
			return nil
		}
		return fmt.Errorf("failed to delete container %q: %v", id, err)
	}

	// Wait forever until container stop is observed by event monitor.
	if err := c.waitContainerStop(ctx, id, killContainerTimeout); err != nil {
		return fmt.Errorf("error occurs during waiting for container %q to stop: %v", id, err)
	}
	return nil
}

// waitContainerStop polls container state until timeout exceeds or container is stopped.
func (c *criService) waitContainerStop(ctx context.Context, id string, timeout time.Duration) error {
	ticker := time.NewTicker(stopCheckPollInterval)
	defer ticker.Stop()
	timeoutTimer := time.NewTimer(timeout)
	defer timeoutTimer.Stop()
	for {
		// Poll once before waiting for stopCheckPollInterval.
		meta, err := c.containerStore.Get(id)
		if err != nil {
			if err != errNotExist {
				return fmt.Errorf("failed to get container %q metadata: %v", id, err)
			}
			// Do not return error here because container was removed means
			// it is already stopped.
			log.Printf("Container %q was removed during stopping", id)
			return nil
		}
		if meta.State() == ContainerExited {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait container %q is cancelled", id)
		case <-timeoutTimer.C:
			return fmt.Errorf("wait container %q stop timeout", id)
		case <-ticker.C:
			continue
		}
	}
}

// RemoveContainer removes the container. The kubelet calls it after
// StopContainer has returned.
func (c *criService) RemoveContainer(ctx context.Context, id string) (retErr error) {
	// Set removing state to prevent other start/remove operations against this container
	// while it's being removed.
	if err := c.setContainerRemoving(id); err != nil {
		if err != errNotExist {
			return fmt.Errorf("failed to set removing state for container %q: %v", id, err)
		}
		// Do not return error if container metadata doesn't exist.
		return nil
	}
	if err := c.removeAll(id); err != nil {
		// Reset removing if remove failed.
		c.containerStore.Update(id, func(meta ContainerMetadata) (ContainerMetadata, error) {
			meta.Removing = false
			return meta, nil
		})
		return fmt.Errorf("failed to remove container root directory %q: %v", id, err)
	}
	c.containerStore.Delete(id)
	return nil
}

// setContainerRemoving sets the container into removing state. In removing state, the
// container will not be started or removed again.
func (c *criService) setContainerRemoving(id string) error {
	return c.containerStore.Update(id, func(meta ContainerMetadata) (ContainerMetadata, error) {
		// Do not remove container if it's still running.
		if meta.State() == ContainerRunning {
			return meta, fmt.Errorf("container %q is still running", id)
		}
		if meta.Removing {
			return meta, fmt.Errorf("container is already in removing state")
		}
		meta.Removing = true
		return meta, nil
	})
}

// startEventMonitor starts an event monitor which monitors and handles all
// container events.
func (c *criService) startEventMonitor() {
	go func() {
		for {
			events, err := c.containerService.Events(context.Background())
			if err != nil {
				log.Printf("Failed to connect to containerd event stream: %v", err)
				time.Sleep(time.Second)
				continue
			}
			for e := range events {
				c.handleExit(e)
			}
		}
	}()
}

// handleExit handles the exit event of a container.
func (c *criService) handleExit(e Event) {
	meta, err := c.containerStore.Get(e.ID)
	if err != nil {
		log.Printf("Failed to get container %q metadata: %v", e.ID, err)
		return
	}
	if e.Pid != meta.Pid {
		// Non-init process died, ignore the event.
		return
	}
	// Delete the container from containerd.
	err = c.containerService.Delete(context.Background(), e.ID)
	if err != nil && !isContainerdContainerNotExistError(err) {
		log.Printf("Failed to delete container %q: %v", e.ID, err)
		return
	}
	err = c.containerStore.Update(e.ID, func(meta ContainerMetadata) (ContainerMetadata, error) {
		// If FinishedAt has been set (e.g. with start failure), keep as
		// it is.
		if meta.FinishedAt != 0 {
			return meta, nil
		}
		meta.Pid = 0
		meta.FinishedAt = e.ExitedAt.UnixNano()
		meta.ExitCode = int32(e.ExitStatus)
		return meta, nil
	})
	if err != nil {
		log.Printf("Failed to update container %q state: %v", e.ID, err)
	}
}

// isContainerdContainerNotExistError checks whether an error is containerd
// ErrContainerNotExist error.
func isContainerdContainerNotExistError(err error) bool {
	return strings.Contains(err.Error(), errContainerNotExist.Error())
}
