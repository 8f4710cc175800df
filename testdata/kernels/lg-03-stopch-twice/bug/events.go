package server

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"
)

// killContainerTimeout is the timeout for waiting the stop of a sandbox container.
const killContainerTimeout = 2 * time.Minute

// Task is the task of a sandbox container.
type Task interface {
	Kill(ctx context.Context) error
	Delete(ctx context.Context) error
}

// TaskExit is sent when the init process of a sandbox container exits.
type TaskExit struct {
	ContainerID string
	Pid         uint32
}

type criService struct {
	sandboxStore *Store
	task         func(ctx context.Context, id string) (Task, error)
	eventCh      chan *TaskExit
}

func newCRIService(task func(ctx context.Context, id string) (Task, error)) *criService {
	return &criService{
		sandboxStore: NewStore(),
		task:         task,
		eventCh:      make(chan *TaskExit, 16),
	}
}

// recover loads the sandboxes that existed before the restart. The event monitor
// already runs, an exit may be found by both.
func (c *criService) recover(ctx context.Context, ids []string) error {
	for _, id := range ids {
		sb := NewSandbox(id, Status{State: StateReady, CreatedAt: time.Now()})
		if err := c.sandboxStore.Add(sb); err != nil {
			return err
		}
		if _, err := c.task(ctx, id); err != nil {
			if err := c.handleSandboxExit(ctx, sb); err != nil {
				return err
			}
		}
	}
	return nil
}

// Run starts the event monitor and recovers the state.
func (c *criService) Run(ctx context.Context, ids []string) error {
	go c.monitor(ctx)
	return c.recover(ctx, ids)
}

// monitor handles the exit events of the sandbox containers.
func (c *criService) monitor(ctx context.Context) {
	for {
		select {
		case e := <-c.eventCh:
			sb, err := c.sandboxStore.Get(e.ContainerID)
			if err != nil {
				continue
			}
			if err := c.handleSandboxExit(ctx, sb); err != nil {
				log.Printf("Failed to handle exit of %q: %v", e.ContainerID, err)
			}
		case <-ctx.Done():
			return
		}
	}
}

// handleSandboxExit handles TaskExit event for sandbox.
func (c *criService) handleSandboxExit(ctx context.Context, sb Sandbox) error {
	if sb.Status.Get().State != StateReady {
		return nil
	}
	// No stream attached to sandbox container.
	task, err := c.task(ctx, sb.ID)
	if err == nil {
		if err := task.Delete(ctx); err != nil && !errors.Is(err, ErrNotExist) {
			return fmt.Errorf("failed to delete sandbox task: %v", err)
		}
	}
	err = sb.Status.Update(func(status Status) (Status, error) {
		status.State = StateNotReady
		status.Pid = 0
		return status, nil
	})
	if err != nil {
		return fmt.Errorf("failed to update sandbox state: %v", err)
	}
	// Using channel to propagate the information of sandbox stop
	sb.Stop()
	return nil
}

// StopPodSandbox stops the sandbox.
func (c *criService) StopPodSandbox(ctx context.Context, id string) error {
	sb, err := c.sandboxStore.Get(id)
	if err != nil {
		return err
	}
	// Only stop sandbox container when it's running.
	if sb.Status.Get().State != StateReady {
		return nil
	}
	task, err := c.task(ctx, id)
	if err != nil {
		return err
	}
	if err := task.Kill(ctx); err != nil {
		return err
	}
	return c.waitSandboxStop(ctx, sb, killContainerTimeout)
}

// waitSandboxStop waits for sandbox to be stopped until timeout exceeds or context is cancelled.
func (c *criService) waitSandboxStop(ctx context.Context, sb Sandbox, timeout time.Duration) error {
	timeoutTimer := time.NewTimer(timeout)
	defer timeoutTimer.Stop()
	select {
	case <-ctx.Done():
		return fmt.Errorf("wait sandbox container %q is cancelled", sb.ID)
	case <-timeoutTimer.C:
		return fmt.Errorf("wait sandbox container %q stop timeout", sb.ID)
	case <-sb.Stopped():
		return nil
	}
}
