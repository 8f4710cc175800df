package dynamicplugins

import (
	"context"
	"log"
	"sync"
	"time"
)

// Prober probes the plugin over its socket.
type Prober interface {
	PluginProbe(ctx context.Context) (bool, error)
	PluginVersion() string
}

// SupervisorHook manages supervising plugins that are running as tasks. One
// hook runs for each task of each allocation.
type SupervisorHook struct {
	logger   *log.Logger
	registry *Registry
	allocID  string
	pluginID string
	types    []string
	socket   string

	shutdownCtx      context.Context
	shutdownCancelFn context.CancelFunc
	runOnce          sync.Once
}

func NewSupervisorHook(logger *log.Logger, registry *Registry, allocID, pluginID, socket string, types []string) *SupervisorHook {
	ctx, cancel := context.WithCancel(context.Background())
	return &SupervisorHook{
		logger:           logger,
		registry:         registry,
		allocID:          allocID,
		pluginID:         pluginID,
		types:            types,
		socket:           socket,
		shutdownCtx:      ctx,
		shutdownCancelFn: cancel,
	}
}

// Poststart is called after the task has started.
func (h *SupervisorHook) Poststart(client Prober) {
	h.runOnce.Do(func() {
		go h.ensureSupervisorLoop(h.shutdownCtx, client)
	})
}

// ensureSupervisorLoop should be called in a goroutine. It will terminate when
// the passed in context is terminated.
func (h *SupervisorHook) ensureSupervisorLoop(ctx context.Context, client Prober) {
	t := time.NewTicker(5 * time.Second)
	defer t.Stop()

	// Step 1: Wait for the plugin to initially become available.
	for {
		if healthy, err := client.PluginProbe(ctx); err == nil && healthy {
			break
		}
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}

	// Step 2: Register the plugin with the catalog.
	deregisterPluginFn, err := h.registerPlugin(client)
	if err != nil {
		h.logger.Printf("[ERR] plugin failed to register: %v", err)
		return
	}

	// Step 3: Start the lightweight supervisor loop.
	for {
		select {
		case <-ctx.Done():
			// De-register plugins on task shutdown
			deregisterPluginFn()
			return
		case <-t.C:
			if _, err := client.PluginProbe(ctx); err != nil {
				h.logger.Printf("[ERR] plugin fingerprinting failed: %v", err)
			}
		}
	}
}

func (h *SupervisorHook) registerPlugin(client Prober) (func(), error) {
	deregistrationFns := []func(){}

	for _, ptype := range h.types {
		reg := &PluginInfo{
			Type:       ptype,
			Name:       h.pluginID,
			Version:    client.PluginVersion(),
			SocketPath: h.socket,
			AllocID:    h.allocID,
		}
		if err := h.registry.RegisterPlugin(reg); err != nil {
			for _, fn := range deregistrationFns {
				fn()
			}
			return nil, err
		}

		// need to rebind these so that each deregistration function
		// closes over its own registration
		rname := reg.Name
		rtype := reg.Type
		deregistrationFns = append(deregistrationFns, func() {
			err := h.registry.DeregisterPlugin(rtype, rname)
			if err != nil {
				h.logger.Printf("[ERR] failed to deregister csi plugin %s: %v", rname, err)
			}
		})
	}

	return func() {
		for _, fn := range deregistrationFns {
			fn()
		}
	}, nil
}

// Stop is called after the task has exited and will not be started again.
func (h *SupervisorHook) Stop() {
	h.shutdownCancelFn()
}
