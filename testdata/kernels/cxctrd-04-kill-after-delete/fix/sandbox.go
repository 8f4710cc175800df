// Package fix controls the pause containers of pods.
package fix

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

var (
	errNotFound    = errors.New("not found")
	errTTRPCClosed = errors.New("ttrpc: closed")
)

// Task is a running container.
type Task interface {
	Kill(ctx context.Context) error
	Delete(ctx context.Context) error
}

// shimTask talks to the shim of the container.
type shimTask struct {
	owner *Container

	mu     sync.Mutex
	closed bool
	exitCh chan struct{}
	exited bool
}

// Kill kills the process.
func (t *shimTask) Kill(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return errTTRPCClosed
	}
	if !t.exited {
		t.exited = true
		close(t.exitCh)
	}
	return nil
}

// Delete removes the task and shuts the shim down.
func (t *shimTask) Delete(ctx context.Context) error {
	t.owner.forget()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	return nil
}

// Container is the pause container.
type Container struct {
	mu   sync.Mutex
	task *shimTask
}

// Task returns the task of the container.
func (c *Container) Task(ctx context.Context) (Task, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.task == nil {
		return nil, fmt.Errorf("no running task: %w", errNotFound)
	}
	return c.task, nil
}

func (c *Container) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.task = nil
}

// PodSandbox is one pod.
type PodSandbox struct {
	ID        string
	Container *Container
	stopOnce  sync.Once
	stoppedCh chan struct{}
}

// Exit records the end of the pod.
func (p *PodSandbox) Exit() { p.stopOnce.Do(func() { close(p.stoppedCh) }) }

// Wait waits for Exit.
func (p *PodSandbox) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-p.stoppedCh:
		return nil
	}
}

// keyMutex is a mutex for each key.
type keyMutex struct {
	mu    sync.Mutex
	locks map[string]*klock
}

type klock struct {
	sync.Mutex
	ref int
}

func (km *keyMutex) Lock(key string) {
	km.mu.Lock()
	l, ok := km.locks[key]
	if !ok {
		l = &klock{}
		km.locks[key] = l
	}
	l.ref++
	km.mu.Unlock()
	l.Lock()
}

func (km *keyMutex) Unlock(key string) {
	km.mu.Lock()
	defer km.mu.Unlock()
	l := km.locks[key]
	l.Unlock()
	l.ref--
	if l.ref == 0 {
		delete(km.locks, key)
	}
}

// Controller controls all pods.
type Controller struct {
	mu        sync.RWMutex
	sandboxes map[string]*PodSandbox
	// make sure task.Kill run before task.delete
	locker keyMutex
}

func newController() *Controller {
	return &Controller{
		sandboxes: make(map[string]*PodSandbox),
		locker:    keyMutex{locks: make(map[string]*klock)},
	}
}

// Start runs a pod; ids are unique.
func (c *Controller) Start(id string) {
	t := &shimTask{exitCh: make(chan struct{})}
	sb := &PodSandbox{ID: id, Container: &Container{task: t}, stoppedCh: make(chan struct{})}
	t.owner = sb.Container
	c.mu.Lock()
	c.sandboxes[id] = sb
	c.mu.Unlock()
	go c.waitSandboxExit(sb, t.exitCh)
}

func (c *Controller) waitSandboxExit(sb *PodSandbox, exitCh <-chan struct{}) {
	<-exitCh
	if err := c.handleSandboxTaskExit(context.Background(), sb); err != nil {
		fmt.Printf("sandbox %s: %v\n", sb.ID, err)
	}
}

// HandleEvent handles the exit event of the daemon; it may repeat the exit.
func (c *Controller) HandleEvent(ctx context.Context, id string) error {
	c.mu.RLock()
	sb := c.sandboxes[id]
	c.mu.RUnlock()
	if sb == nil {
		return nil
	}
	return c.handleSandboxTaskExit(ctx, sb)
}

// handleSandboxTaskExit handles TaskExit event for sandbox.
func (c *Controller) handleSandboxTaskExit(ctx context.Context, sb *PodSandbox) error {
	c.locker.Lock(sb.ID)
	defer c.locker.Unlock(sb.ID)
	task, err := sb.Container.Task(ctx)
	if err != nil {
		if !errors.Is(err, errNotFound) {
			return fmt.Errorf("failed to load task for sandbox: %w", err)
		}
	} else if err := task.Delete(ctx); err != nil && !errors.Is(err, errNotFound) {
		return fmt.Errorf("failed to stop sandbox: %w", err)
	}
	sb.Exit()
	return nil
}

// Stop stops a pod.
func (c *Controller) Stop(ctx context.Context, id string) error {
	c.mu.RLock()
	sb := c.sandboxes[id]
	c.mu.RUnlock()
	if sb == nil {
		return errNotFound
	}
	return c.stopSandboxContainer(ctx, sb)
}

func (c *Controller) stopSandboxContainer(ctx context.Context, podSandbox *PodSandbox) error {
	c.locker.Lock(podSandbox.ID)
	task, err := podSandbox.Container.Task(ctx)
	if err != nil {
		c.locker.Unlock(podSandbox.ID)
		if !errors.Is(err, errNotFound) {
			return fmt.Errorf("failed to get pod sandbox container: %w", err)
		}
		return nil
	}

	// Kill the pod sandbox container.
	if err = task.Kill(ctx); err != nil && !errors.Is(err, errNotFound) {
		c.locker.Unlock(podSandbox.ID)
		return fmt.Errorf("failed to kill pod sandbox container: %w", err)
	}
	c.locker.Unlock(podSandbox.ID)

	return podSandbox.Wait(ctx)
}
