// Package ok starts containers for the kubelet.
package ok

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Status is the status of a container.
type Status struct {
	Pid      uint32
	ExitCode int32
	Exited   bool
	// Starting indicates that the container is in starting state.
	Starting bool
	// Removing indicates that the container is in removing state.
	Removing bool
}

// UpdateFunc is function used to update the container status. If there
// is an error, the update will be rolled back.
type UpdateFunc func(Status) (Status, error)

// StatusStorage manages the container status with a storage backend.
type StatusStorage interface {
	Get() Status
	UpdateSync(UpdateFunc) error
}

type statusStorage struct {
	sync.RWMutex
	path       string
	checkpoint func(path string, s Status) error
	status     Status
}

// Get a copy of container status.
func (s *statusStorage) Get() Status {
	s.RLock()
	defer s.RUnlock()
	return s.status
}

// UpdateSync updates the container status and the on disk checkpoint.
func (s *statusStorage) UpdateSync(u UpdateFunc) error {
	s.Lock()
	defer s.Unlock()
	newStatus, err := u(s.status)
	if err != nil {
		return err
	}
	if err := s.checkpoint(s.path, newStatus); err != nil {
		return fmt.Errorf("failed to checkpoint status to %q: %w", s.path, err)
	}
	s.status = newStatus
	return nil
}

// Container is one container; only its status changes.
type Container struct {
	ID     string
	Status StatusStorage
}

// Runtime starts tasks.
type Runtime interface {
	Start(ctx context.Context, id string) (pid uint32, err error)
	Delete(ctx context.Context, id string) error
}

type criService struct {
	runtime Runtime

	mu         sync.RWMutex
	containers map[string]*Container
}

func (c *criService) get(id string) (*Container, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	cntr, ok := c.containers[id]
	if !ok {
		return nil, errors.New("not found")
	}
	return cntr, nil
}

// StartContainer starts the container.
func (c *criService) StartContainer(ctx context.Context, id string) (retErr error) {
	cntr, err := c.get(id)
	if err != nil {
		return err
	}

	// Set starting state to prevent other start/remove operations against this
	// container while it's being started.
	if err := setContainerStarting(cntr); err != nil {
		return fmt.Errorf("failed to set starting state for container %q: %w", id, err)
	}
	defer func() {
		if retErr != nil {
			// Set container to exited if fail to start.
			if err := cntr.Status.UpdateSync(func(status Status) (Status, error) {
				status.Pid = 0
				status.Exited = true
				status.ExitCode = 128
				return status, nil
			}); err != nil {
				fmt.Printf("failed to set start failure state for container %q: %v\n", id, err)
			}
		}
		if err := resetContainerStarting(cntr); err != nil {
			fmt.Printf("failed to reset starting state for container %q: %v\n", id, err)
		}
	}()

	pid, err := c.runtime.Start(ctx, id)
	if err != nil {
		return fmt.Errorf("failed to start %q (status %+v): %w", id, cntr.Status.Get(), err)
	}

	// Update container start timestamp.
	return cntr.Status.UpdateSync(func(status Status) (Status, error) {
		status.Pid = pid
		return status, nil
	})
}

// setContainerStarting sets the container into starting state.
func setContainerStarting(container *Container) error {
	return container.Status.UpdateSync(func(status Status) (Status, error) {
		// Return error if container is not in created state.
		if status.Pid != 0 || status.Exited {
			return status, errors.New("container is not in created state")
		}
		// Do not start the container when there is a removal in progress.
		if status.Removing {
			return status, errors.New("container is in removing state, can't be started")
		}
		if status.Starting {
			return status, errors.New("container is already in starting state")
		}
		status.Starting = true
		return status, nil
	})
}

func resetContainerStarting(container *Container) error {
	return container.Status.UpdateSync(func(status Status) (Status, error) {
		status.Starting = false
		return status, nil
	})
}

// RemoveContainer removes the container.
func (c *criService) RemoveContainer(ctx context.Context, id string) error {
	cntr, err := c.get(id)
	if err != nil {
		return nil
	}
	if err := cntr.Status.UpdateSync(func(status Status) (Status, error) {
		if status.Starting {
			return status, errors.New("container is in starting state, can't be removed")
		}
		if status.Removing {
			return status, errors.New("container is already in removing state")
		}
		status.Removing = true
		return status, nil
	}); err != nil {
		return err
	}
	if err := c.runtime.Delete(ctx, id); err != nil {
		// Reset removing if the removal failed.
		return errors.Join(err, cntr.Status.UpdateSync(func(status Status) (Status, error) {
			status.Removing = false
			return status, nil
		}))
	}
	c.mu.Lock()
	delete(c.containers, id)
	c.mu.Unlock()
	return nil
}
