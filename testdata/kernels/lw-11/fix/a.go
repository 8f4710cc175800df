package taskwait

import (
	"context"
	"errors"
	"sync"
)

var (
	errNoTask     = errors.New("no such task")
	errNotRunning = errors.New("task is not running")
)

// Condition is the condition of a task.
type Condition string

// The conditions of a task.
const (
	Created Condition = "created"
	Running Condition = "running"
	Stopped Condition = "stopped"
)

// ExitEvent is published when a process ends.
type ExitEvent struct {
	ID     string
	Status uint32
}

type eventStream struct {
	bus *eventBus
	id  string
	ch  chan ExitEvent
}

func (es *eventStream) close() {
	es.bus.mu.Lock()
	defer es.bus.mu.Unlock()
	delete(es.bus.streams, es)
}

// eventBus delivers the events to the streams that are open.
type eventBus struct {
	mu      sync.Mutex
	streams map[*eventStream]struct{}
}

func (b *eventBus) open(id string) *eventStream {
	es := &eventStream{bus: b, id: id, ch: make(chan ExitEvent, 1)}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.streams[es] = struct{}{}
	return es
}

func (b *eventBus) publish(ev ExitEvent) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for es := range b.streams {
		if es.id == ev.ID {
			es.ch <- ev
		}
	}
}

// Runtime runs tasks, one goroutine each. A task is started once.
type Runtime struct {
	events *eventBus

	mu    sync.Mutex
	conds map[string]Condition
	main  map[string]func() uint32
}

// NewRuntime returns a runtime without tasks.
func NewRuntime() *Runtime {
	return &Runtime{
		events: &eventBus{streams: make(map[*eventStream]struct{})},
		conds:  make(map[string]Condition),
		main:   make(map[string]func() uint32),
	}
}

// Create adds a task.
func (rt *Runtime) Create(id string, main func() uint32) *Task {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	rt.conds[id] = Created
	rt.main[id] = main
	return &Task{rt: rt, id: id}
}

func (rt *Runtime) condition(id string) (Condition, error) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	c, ok := rt.conds[id]
	if !ok {
		return "", errNoTask
	}
	return c, nil
}

func (rt *Runtime) start(id string) error {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if rt.conds[id] != Created {
		return errNoTask
	}
	rt.conds[id] = Running
	main := rt.main[id]
	go func() {
		status := main()
		rt.mu.Lock()
		rt.conds[id] = Stopped
		rt.mu.Unlock()
		rt.events.publish(ExitEvent{ID: id, Status: status})
	}()
	return nil
}

// Task is the client side of a task.
type Task struct {
	rt *Runtime
	id string
}

// Start runs the task.
func (t *Task) Start() error { return t.rt.start(t.id) }

// Status returns the condition of the task.
func (t *Task) Status() (Condition, error) { return t.rt.condition(t.id) }

// Wait blocks until the running task exits.
func (t *Task) Wait(ctx context.Context) (uint32, error) {
	stream := t.rt.events.open(t.id)
	defer stream.close()

	// The stream is open, the exit cannot be missed from here on.
	c, err := t.Status()
	if err != nil {
		return 0, err
	}
	if c != Running {
		return 0, errNotRunning
	}
	select {
	case ev := <-stream.ch:
		return ev.Status, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
