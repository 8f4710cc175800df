package container

import (
	"context"
	"fmt"
	"sync"
)

// Runtime starts processes in containers.
type Runtime interface {
	Start(id string) (pid int, exited <-chan ExitStatus, err error)
}

// Daemon keeps the containers of the host.
type Daemon struct {
	rt Runtime

	mu         sync.RWMutex
	containers map[string]*State
}

// NewDaemon returns a daemon without containers.
func NewDaemon(rt Runtime) *Daemon {
	return &Daemon{rt: rt, containers: make(map[string]*State)}
}

// Create registers a container.
func (d *Daemon) Create(id string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.containers[id]; ok {
		return fmt.Errorf("container: %s exists", id)
	}
	d.containers[id] = &State{}
	return nil
}

func (d *Daemon) get(id string) (*State, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	s, ok := d.containers[id]
	if !ok {
		return nil, fmt.Errorf("container: no container %s", id)
	}
	return s, nil
}

// Start runs the container and monitors it in the background.
func (d *Daemon) Start(id string) error {
	s, err := d.get(id)
	if err != nil {
		return err
	}
	if !s.beginStart() {
		return fmt.Errorf("container: %s is running", id)
	}
	pid, exited, err := d.rt.Start(id)
	if err != nil {
		s.abortStart()
		return fmt.Errorf("container: start %s: %w", id, err)
	}
	s.SetRunning(pid)
	go func() { s.SetStopped(<-exited) }()
	return nil
}

// Wait serves POST /containers/{id}/wait.
func (d *Daemon) Wait(ctx context.Context, id string) (ExitStatus, error) {
	s, err := d.get(id)
	if err != nil {
		return ExitStatus{}, err
	}
	return s.Wait(ctx)
}
