package a

import (
	"context"
	"sync"
	"time"
)

type csiClient interface {
	PluginProbe(ctx context.Context) (bool, error)
	Close() error
}

type csiPluginSupervisorHook struct {
	newClient func() csiClient
	register  func() (func(), error)
	emit      func(healthy bool)

	shutdownCtx      context.Context
	shutdownCancelFn context.CancelFunc

	running     bool
	runningLock sync.Mutex
}

// Poststart is called after the task has started. Poststart is not
// called if the allocation is terminal.
//
// The context is cancelled if the task is killed.
func (h *csiPluginSupervisorHook) Poststart(_ context.Context) error {

	// If we're already running the supervisor routine, then we don't need to try
	// and restart it here as it only terminates on `Stop` hooks.
	h.runningLock.Lock()
	if h.running {
		h.runningLock.Unlock()
		return nil
	}
	h.runningLock.Unlock()

	go h.ensureSupervisorLoop(h.shutdownCtx)
	return nil
}

// ensureSupervisorLoop should be called in a goroutine. It will terminate when
// the passed in context is terminated.
func (h *csiPluginSupervisorHook) ensureSupervisorLoop(ctx context.Context) {
	h.runningLock.Lock()
	if h.running {
		h.runningLock.Unlock()
		return
	}
	h.running = true
	h.runningLock.Unlock()

	defer func() {
		h.runningLock.Lock()
		h.running = false
		h.runningLock.Unlock()
	}()

	client := h.newClient()
	defer client.Close()

	// Register the plugin with the catalog.
	deregisterPluginFn, err := h.register()
	if err != nil {
		return
	}
	defer deregisterPluginFn()

	previousHealthState := false
	t := time.NewTicker(5 * time.Second)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			pluginHealthy, err := client.PluginProbe(ctx)
			if err == nil && pluginHealthy != previousHealthState {
				h.emit(pluginHealthy)
				previousHealthState = pluginHealthy
			}
		}
	}
}

// Stop is called after the task has exited and will not be started
// again. It is the only hook guaranteed to be executed whenever
// TaskRunner.Run is called (and not gracefully shutting down).
func (h *csiPluginSupervisorHook) Stop(_ context.Context) error {
	h.shutdownCancelFn()
	return nil
}
