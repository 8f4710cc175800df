package v2

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"sync"
	"time"
)

const (
	// TaskExitEventTopic for task exit
	TaskExitEventTopic = "/tasks/exit"
	// TaskDeleteEventTopic for task delete
	TaskDeleteEventTopic = "/tasks/delete"
)

var errClosed = errors.New("ttrpc: closed")

// TaskEvent is published when a task has exited or was deleted.
type TaskEvent struct {
	ContainerID string
	Pid         uint32
	ExitStatus  uint32
	ExitedAt    time.Time
}

// Exchange broadcasts events.
type Exchange struct {
	mu   sync.Mutex
	subs []func(topic string, e *TaskEvent)
}

// Publish packages and sends an event.
func (e *Exchange) Publish(topic string, ev *TaskEvent) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.subs {
		s(topic, ev)
	}
}

// Subscribe to events on the exchange.
func (e *Exchange) Subscribe(fn func(topic string, e *TaskEvent)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.subs = append(e.subs, fn)
}

// TaskList holds and provides locking around tasks
type TaskList struct {
	mu    sync.Mutex
	tasks map[string]Task
}

// NewTaskList returns a new TaskList
func NewTaskList() *TaskList {
	return &TaskList{tasks: make(map[string]Task)}
}

// Get a task
func (l *TaskList) Get(id string) (Task, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t, ok := l.tasks[id]
	if !ok {
		return nil, errNotFound
	}
	return t, nil
}

// Add a task
func (l *TaskList) Add(t Task) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.tasks[t.ID()]; ok {
		return errors.New("task already exists")
	}
	l.tasks[t.ID()] = t
	return nil
}

// Delete a task
func (l *TaskList) Delete(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.tasks, id)
}

// client is the connection to a shim.
type client struct {
	conn            net.Conn
	closeOnce       sync.Once
	userCloseFunc   func()
	userCloseWaitCh chan struct{}
}

func newClient(conn net.Conn, onClose func()) *client {
	return &client{
		conn:            conn,
		userCloseFunc:   onClose,
		userCloseWaitCh: make(chan struct{}),
	}
}

// run reads from the connection until it is closed, by us or by the shim.
func (c *client) run() {
	defer func() {
		c.Close()
		c.userCloseFunc()
		close(c.userCloseWaitCh)
	}()
	io.Copy(io.Discard, c.conn)
}

// Close closes the ttrpc connection and underlying connection
func (c *client) Close() error {
	c.closeOnce.Do(func() {
		c.conn.Close()
	})
	return nil
}

// UserOnCloseWait is used to blocks until the user's on-close callback
// finishes.
func (c *client) UserOnCloseWait(ctx context.Context) error {
	select {
	case <-c.userCloseWaitCh:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TaskManager manages v2 shim's and their tasks
type TaskManager struct {
	state  string
	tasks  *TaskList
	events *Exchange
}

// New task manager for v2 shims
func New(state string, events *Exchange) *TaskManager {
	return &TaskManager{
		state:  state,
		tasks:  NewTaskList(),
		events: events,
	}
}

// Create a new task
func (m *TaskManager) Create(ctx context.Context, ns, id string, start func(*Bundle) (*binary, net.Conn, taskService, error)) (_ Task, err error) {
	bundle, err := NewBundle(m.state, ns, id)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			bundle.Delete()
		}
	}()
	b, conn, svc, err := start(bundle)
	if err != nil {
		return nil, err
	}
	c := newClient(conn, func() {
		log.Printf("shim disconnected id=%s", id)

		cleanupAfterDeadShim(context.Background(), id, ns, m.tasks, m.events, b)
		// Remove self from the runtime task list. Even though the cleanupAfterDeadShim()
		// would publish taskExit event, but the shim.Delete() would always failed with ttrpc
		// disconnect and there is no chance to remove this dead task from runtime task lists.
		// Thus it's better to delete it here.
		m.tasks.Delete(id)
	})
	s := &shim{
		bundle:  bundle,
		client:  c,
		task:    svc,
		events:  m.events,
		rtTasks: m.tasks,
	}
	if err := s.Create(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	if err := m.tasks.Add(s); err != nil {
		conn.Close()
		return nil, err
	}
	go c.run()
	return s, nil
}

// Get a specific task
func (m *TaskManager) Get(id string) (Task, error) {
	return m.tasks.Get(id)
}
