package a

import (
	"context"
	"sync"
	"time"
)

type pluginClient interface {
	Probe(ctx context.Context) bool
}

// pluginSupervisorHook supervises the plugin that a task provides.
type pluginSupervisorHook struct {
	client pluginClient
	emit   func(event string)

	shutdownCtx    context.Context
	shutdownCancel context.CancelFunc

	running     bool
	runningLock sync.Mutex
}

func newPluginSupervisorHook(c pluginClient, emit func(string)) *pluginSupervisorHook {
	ctx, cancel := context.WithCancel(context.Background())
	return &pluginSupervisorHook{client: c, emit: emit, shutdownCtx: ctx, shutdownCancel: cancel}
}

// Poststart is called each time the task has been started.
func (h *pluginSupervisorHook) Poststart() {
	// The supervisor only terminates on Stop, so it need not be started again.
	h.runningLock.Lock()
	if h.running {
		h.runningLock.Unlock()
		return
	}
	h.runningLock.Unlock()

	go h.ensureSupervisorLoop(h.shutdownCtx)
}

// ensureSupervisorLoop runs the loop unless another goroutine does so.
func (h *pluginSupervisorHook) ensureSupervisorLoop(ctx context.Context) {
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

	t := time.NewTicker(time.Second)
	defer t.Stop()
	healthy := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			now := h.client.Probe(ctx)
			if now != healthy {
				h.emit(map[bool]string{true: "plugin healthy", false: "plugin unhealthy"}[now])
			}
			healthy = now
		}
	}
}

// Stop ends the supervisor.
func (h *pluginSupervisorHook) Stop() { h.shutdownCancel() }

// Running tells whether a supervisor is active, for the status page.
func (h *pluginSupervisorHook) Running() bool {
	h.runningLock.Lock()
	defer h.runningLock.Unlock()
	return h.running
}

// TaskRunner restarts its task for ever.
type TaskRunner struct {
	hook *pluginSupervisorHook
	run  func(ctx context.Context) error
}

func NewTaskRunner(c pluginClient, emit func(string), run func(context.Context) error) *TaskRunner {
	return &TaskRunner{hook: newPluginSupervisorHook(c, emit), run: run}
}

func (tr *TaskRunner) Run(ctx context.Context) {
	defer tr.hook.Stop()
	for ctx.Err() == nil {
		go tr.hook.Poststart()
		if tr.run(ctx) != nil {
			return
		}
	}
}
