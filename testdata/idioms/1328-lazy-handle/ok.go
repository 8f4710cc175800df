package taskrunner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	retrieveBackoffBaseline = 250 * time.Millisecond
	retrieveBackoffLimit    = 5 * time.Second
	retrieveFailureLimit    = 5
)

// ErrPluginShutdown is returned by the calls of a handle whose plugin exited.
var ErrPluginShutdown = errors.New("plugin is shut down")

// DriverHandle is safe for concurrent use. A call after the plugin has exited
// has no effect.
type DriverHandle interface {
	Exec(timeout time.Duration, cmd string, args []string) ([]byte, int, error)
}

// retrieveHandleFn is used to retrieve the latest driver handle
type retrieveHandleFn func() DriverHandle

// LazyHandle is used to front calls to a DriverHandle where it is expected the
// existing handle may no longer be valid because the backing plugin has
// shutdown. LazyHandle detects the plugin shutting down and retrieves a new
// handle so that the consumer does not need to worry whether the handle is to
// the latest driver instance.
type LazyHandle struct {
	// retrieveHandle is used to retrieve the latest handle
	retrieveHandle retrieveHandleFn

	// h is the current handle and may be nil
	h DriverHandle

	// shutdownCtx is used to cancel retries if the agent is shutting down
	shutdownCtx context.Context

	sync.Mutex
}

// NewLazyHandle takes the function to receive the latest handle
func NewLazyHandle(shutdownCtx context.Context, fn retrieveHandleFn) *LazyHandle {
	return &LazyHandle{
		retrieveHandle: fn,
		h:              fn(),
		shutdownCtx:    shutdownCtx,
	}
}

// getHandle returns the current handle or retrieves a new one
func (l *LazyHandle) getHandle() (DriverHandle, error) {
	l.Lock()
	defer l.Unlock()

	if l.h != nil {
		return l.h, nil
	}

	return l.refreshHandleLocked()
}

// refreshHandle retrieves a new handle
func (l *LazyHandle) refreshHandle() (DriverHandle, error) {
	l.Lock()
	defer l.Unlock()
	return l.refreshHandleLocked()
}

// refreshHandleLocked retrieves a new handle and should be called with the lock
// held. It will retry to give the client time to restart the driver and restore
// the handle.
func (l *LazyHandle) refreshHandleLocked() (DriverHandle, error) {
	for i := range retrieveFailureLimit {
		l.h = l.retrieveHandle()
		if l.h != nil {
			return l.h, nil
		}

		// Calculate the new backoff
		backoff := min((1<<(2*uint64(i)))*retrieveBackoffBaseline, retrieveBackoffLimit)
		select {
		case <-l.shutdownCtx.Done():
			return nil, l.shutdownCtx.Err()
		case <-time.After(backoff):
		}
	}

	return nil, fmt.Errorf("no driver handle")
}

// Exec runs a command in the task; many checks use the handle at a time.
func (l *LazyHandle) Exec(timeout time.Duration, cmd string, args []string) ([]byte, int, error) {
	h, err := l.getHandle()
	if err != nil {
		return nil, 0, err
	}

	// Only retry once
	first := true

TRY:
	out, c, err := h.Exec(timeout, cmd, args)
	if errors.Is(err, ErrPluginShutdown) && first {
		first = false

		h, err = l.refreshHandle()
		if err == nil {
			goto TRY
		}
	}

	return out, c, err
}
