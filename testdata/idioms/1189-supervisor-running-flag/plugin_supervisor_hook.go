package taskrunner

import (
	"context"
	"log"
	"path/filepath"
	"sync"
	"time"
)

// PluginClient talks to a plugin by its socket.
type PluginClient interface {
	PluginProbe(ctx context.Context) (bool, error)
	Close() error
}

// PluginRegistry is the registry of dynamic plugins.
type PluginRegistry interface {
	SocketPathForAlloc(pluginID, allocID string) string
	Register(pluginID, allocID, socketPath string) (func(), error)
}

// csiPluginSupervisorHook manages supervising plugins that are running as Nomad
// tasks.
type csiPluginSupervisorHook struct {
	logger           *log.Logger
	allocID          string
	pluginID         string
	socketMountPoint string
	registry         PluginRegistry
	newClient        func(socketPath string) PluginClient
	emitEvent        func(msg string)
	kill             func(reason error)

	shutdownCtx      context.Context
	shutdownCancelFn context.CancelFunc

	running     bool
	runningLock sync.Mutex
}

func newCSIPluginSupervisorHook(logger *log.Logger, registry PluginRegistry, allocID, pluginID, mountPoint string,
	newClient func(string) PluginClient, emitEvent func(string), kill func(error)) *csiPluginSupervisorHook {
	ctx, cancel := context.WithCancel(context.Background())
	return &csiPluginSupervisorHook{
		logger:           logger,
		allocID:          allocID,
		pluginID:         pluginID,
		socketMountPoint: mountPoint,
		registry:         registry,
		newClient:        newClient,
		emitEvent:        emitEvent,
		kill:             kill,
		shutdownCtx:      ctx,
		shutdownCancelFn: cancel,
	}
}

func (h *csiPluginSupervisorHook) socketPath() string {
	if path := h.registry.SocketPathForAlloc(h.pluginID, h.allocID); path != "" {
		return path
	}
	return filepath.Join(h.socketMountPoint, "csi.sock")
}

// Poststart is called after the task has started, again after every restart of
// the task. Poststart is not called if the allocation is terminal.
func (h *csiPluginSupervisorHook) Poststart() error {
	// If we're already running the supervisor routine, then we don't need to try
	// and restart it here as it only terminates on `Stop` hooks.
	h.runningLock.Lock()
	if h.running {
		h.runningLock.Unlock()
		return nil
	}
	h.runningLock.Unlock()

	go h.ensureSupervisorLoop(h.shutdownCtx, h.socketPath())
	return nil
}

// ensureSupervisorLoop should be called in a goroutine. It will terminate when
// the passed in context is terminated.
func (h *csiPluginSupervisorHook) ensureSupervisorLoop(ctx context.Context, socketPath string) {
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

	client := h.newClient(socketPath)
	defer client.Close()

	t := time.NewTimer(0)
	defer t.Stop()

	// We're in Poststart at this point, so if we can't connect within
	// this deadline, assume it's broken so we can restart the task
	startCtx, startCancelFn := context.WithTimeout(ctx, 30*time.Second)
	defer startCancelFn()

	// Step 1: Wait for the plugin to initially become available.
WAITFORREADY:
	for {
		select {
		case <-startCtx.Done():
			h.kill(startCtx.Err())
			return
		case <-t.C:
			healthy, err := client.PluginProbe(startCtx)
			if err != nil || !healthy {
				t.Reset(5 * time.Second)
				continue
			}
			h.emitEvent("plugin: " + h.pluginID)
			break WAITFORREADY
		}
	}

	// Step 2: Register the plugin with the catalog.
	deregisterPluginFn, err := h.registry.Register(h.pluginID, h.allocID, socketPath)
	if err != nil {
		h.kill(err)
		return
	}

	// Step 3: Start the lightweight supervisor loop.
	t.Reset(0)
	for {
		select {
		case <-ctx.Done():
			// De-register plugins on task shutdown
			deregisterPluginFn()
			return
		case <-t.C:
			if _, err := client.PluginProbe(ctx); err != nil {
				h.logger.Printf("[ERR] CSI plugin fingerprinting failed: %v", err)
			}
			t.Reset(30 * time.Second)
		}
	}
}

// Stop is called after the task has exited and will not be started again.
func (h *csiPluginSupervisorHook) Stop() error {
	h.shutdownCancelFn()
	return nil
}
