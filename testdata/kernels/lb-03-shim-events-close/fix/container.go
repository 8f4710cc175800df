package task

import (
	"context"
	"errors"
	"sync"
)

// container for operating on a runc container and its processes
type container struct {
	mu sync.Mutex

	// ID of the container
	ID     string
	Bundle string

	pid     int
	status  int
	stopped bool
	exec    func(context.Context) (int, error)
}

// Start a container process
func (c *container) Start(ctx context.Context) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	pid, err := c.exec(ctx)
	if err == nil {
		c.pid = pid
	}
	return pid, err
}

// setExited records the exit status
// The caller must hold c.mu
func (c *container) setExited(status int) {
	c.status = status
	c.stopped = true
}

// Delete the container
func (c *container) Delete(ctx context.Context) (int, int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.stopped {
		return 0, 0, errors.New("cannot delete a running process")
	}
	return c.pid, c.status, nil
}
