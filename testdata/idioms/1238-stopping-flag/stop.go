package server

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var ErrNotExist = errors.New("does not exist")

type Status struct {
	StartedAt  int64
	FinishedAt int64
	// Starting indicates that the container is in starting state.
	Starting bool
	// Removing indicates that the container is in removing state.
	Removing bool
}

// State returns current state of the container based on the container status.
func (s Status) State() string {
	if s.FinishedAt != 0 {
		return "exited"
	}
	if s.StartedAt != 0 {
		return "running"
	}
	return "created"
}

type StatusStorage struct {
	sync.RWMutex
	status Status
}

func (s *StatusStorage) Get() Status {
	s.RLock()
	defer s.RUnlock()
	return s.status
}

func (s *StatusStorage) UpdateSync(u func(Status) (Status, error)) error {
	s.Lock()
	defer s.Unlock()
	newStatus, err := u(s.status)
	if err != nil {
		return err
	}
	s.status = newStatus
	return nil
}

type Container struct {
	ID     string
	Status *StatusStorage
}

type Store struct {
	lock       sync.RWMutex
	containers map[string]Container
}

func (s *Store) Get(id string) (Container, error) {
	s.lock.RLock()
	defer s.lock.RUnlock()
	c, ok := s.containers[id]
	if !ok {
		return Container{}, ErrNotExist
	}
	return c, nil
}

func (s *Store) Delete(id string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	delete(s.containers, id)
}

type service struct {
	store     *Store
	startTask func(ctx context.Context, id string) error
	deleteCtr func(ctx context.Context, id string) error
}

// setContainerStarting sets the container into starting state. In starting state, the
// container will not be removed or started again.
func setContainerStarting(container Container) error {
	return container.Status.UpdateSync(func(status Status) (Status, error) {
		// Return error if container is not in created state.
		if status.State() != "created" {
			return status, fmt.Errorf("container is in %s state", status.State())
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

// resetContainerStarting resets the container starting state on start failure.
func resetContainerStarting(container Container) error {
	return container.Status.UpdateSync(func(status Status) (Status, error) {
		status.Starting = false
		return status, nil
	})
}

// StartContainer starts the container.
func (c *service) StartContainer(ctx context.Context, id string) (retErr error) {
	cntr, err := c.store.Get(id)
	if err != nil {
		return err
	}
	// Set starting state to prevent other start/remove operations against this container
	// while it's being started.
	if err := setContainerStarting(cntr); err != nil {
		return fmt.Errorf("failed to set starting state for container %q: %w", id, err)
	}
	defer func() {
		if retErr != nil {
			// Reset starting if start container failed.
			_ = resetContainerStarting(cntr)
		}
	}()
	if err := c.startTask(ctx, id); err != nil {
		return err
	}
	// Update container start timestamp.
	return cntr.Status.UpdateSync(func(status Status) (Status, error) {
		status.Starting = false
		status.StartedAt = time.Now().UnixNano()
		return status, nil
	})
}

// RemoveContainer removes the container.
func (c *service) RemoveContainer(ctx context.Context, id string) (retErr error) {
	cntr, err := c.store.Get(id)
	if err != nil {
		return nil
	}
	err = cntr.Status.UpdateSync(func(status Status) (Status, error) {
		if status.State() == "running" || status.Starting || status.Removing {
			return status, errors.New("container is in use")
		}
		status.Removing = true
		return status, nil
	})
	if err != nil {
		return err
	}
	defer func() {
		if retErr != nil {
			_ = cntr.Status.UpdateSync(func(status Status) (Status, error) {
				status.Removing = false
				return status, nil
			})
		}
	}()
	if err := c.deleteCtr(ctx, id); err != nil {
		return err
	}
	c.store.Delete(id)
	return nil
}
