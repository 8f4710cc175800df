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

var ErrPluginShutdown = errors.New("plugin is shut down")

// DriverHandle runs commands in a task. It returns ErrPluginShutdown, and does
// nothing, after the plugin has gone away.
type DriverHandle interface {
	ID() string
	Exec(timeout time.Duration, cmd string, args []string) ([]byte, int, error)
}

// retrieveHandleFn is used to retrieve the latest driver handle
type retrieveHandleFn func() DriverHandle

// LazyHandle is used to front calls to a DriverHandle where it is expected the
// existing handle may no longer be valid because the backing plugin has
// shutdown.
type LazyHandle struct {
	// retrieveHandle is used to retrieve the latest handle
	retrieveHandle retrieveHandleFn

	// h is the current handle and may be nil
	h DriverHandle

	// shutdownCtx is used to cancel retries if the agent is shutting down
	shutdownCtx context.Context

	sync.Mutex
}

// NewLazyHandle takes the function to receive the latest handle and a logger
// and returns a LazyHandle
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
	backoff := retrieveBackoffBaseline
	for i := 0; i < retrieveFailureLimit; i++ {
		l.h = l.retrieveHandle()
		if l.h != nil {
			return l.h, nil
		}
		select {
		case <-l.shutdownCtx.Done():
			return nil, l.shutdownCtx.Err()
		case <-time.After(backoff):
		}
		backoff *= 2
		if backoff > retrieveBackoffLimit {
			backoff = retrieveBackoffLimit
		}
	}

	return nil, fmt.Errorf("no driver handle")
}

func (l *LazyHandle) Exec(timeout time.Duration, cmd string, args []string) ([]byte, int, error) {
	h, err := l.getHandle()
	if err != nil {
		return nil, 0, err
	}

	// Only retry once
	first := true

TRY:
	out, c, err := h.Exec(timeout, cmd, args)
	if err == ErrPluginShutdown && first {
		first = false

		h, err = l.refreshHandle()
		if err == nil {
			goto TRY
		}
	}

	return out, c, err
}
