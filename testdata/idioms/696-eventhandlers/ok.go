// Package agent runs a node and hands its events to handlers.
package agent

import (
	"errors"
	"fmt"
	"log"
	"strings"
	"sync"
)

// Event is something that happened in the cluster.
type Event interface {
	EventType() string
	String() string
}

type UserEvent struct {
	Name    string
	Payload []byte
}

func (u UserEvent) EventType() string { return "user" }
func (u UserEvent) String() string    { return "user-event: " + u.Name }

// EventHandler is a handler that does things when events happen. A handler
// may see one more event while it is being deregistered.
type EventHandler interface {
	HandleEvent(Event)
}

// eventStream is the handler of a client that follows the events.
type eventStream struct {
	eventCh chan Event
	filter  string
	logger  *log.Logger
	send    func(Event) error
	stopCh  chan struct{}
	once    sync.Once
}

func newEventStream(filter string, send func(Event) error, logger *log.Logger) *eventStream {
	es := &eventStream{
		eventCh: make(chan Event, 512),
		filter:  filter,
		logger:  logger,
		send:    send,
		stopCh:  make(chan struct{}),
	}
	go es.stream()
	return es
}

func (es *eventStream) HandleEvent(e Event) {
	if es.filter != "*" && !strings.HasPrefix(e.String(), es.filter) {
		return
	}
	select {
	case es.eventCh <- e:
	default:
		es.logger.Printf("[WARN] agent: Dropping event to a slow client")
	}
}

func (es *eventStream) stream() {
	for {
		select {
		case e := <-es.eventCh:
			if err := es.send(e); err != nil {
				es.logger.Printf("[ERR] agent: Failed to stream event: %v", err)
				return
			}
		case <-es.stopCh:
			return
		}
	}
}

func (es *eventStream) Stop() { es.once.Do(func() { close(es.stopCh) }) }

// Node is the part of serf the agent needs.
type Node interface {
	UserEvent(name string, payload []byte) error
	ShutdownCh() <-chan struct{}
	Shutdown() error
}

// Agent starts and manages a node.
type Agent struct {
	node    Node
	eventCh chan Event
	logger  *log.Logger

	// eventHandlers is the registered handlers for events
	eventHandlers     map[EventHandler]struct{}
	eventHandlerList  []EventHandler
	eventHandlersLock sync.Mutex

	shutdown     bool
	shutdownCh   chan struct{}
	shutdownLock sync.Mutex
}

func Create(n Node, eventCh chan Event, logger *log.Logger) *Agent {
	return &Agent{
		node:          n,
		eventCh:       eventCh,
		logger:        logger,
		eventHandlers: make(map[EventHandler]struct{}),
		shutdownCh:    make(chan struct{}),
	}
}

// Start is used to initiate the event listeners.
func (a *Agent) Start() { go a.eventLoop() }

// UserEvent sends a UserEvent on Serf.
func (a *Agent) UserEvent(name string, payload []byte) error {
	if err := a.node.UserEvent(name, payload); err != nil {
		return fmt.Errorf("sending user event %q: %w", name, err)
	}
	return nil
}

// RegisterEventHandler adds an event handler to receive event notifications
func (a *Agent) RegisterEventHandler(eh EventHandler) {
	a.eventHandlersLock.Lock()
	defer a.eventHandlersLock.Unlock()
	a.eventHandlers[eh] = struct{}{}
	a.rebuildList()
}

// DeregisterEventHandler removes an EventHandler and prevents more invocations
func (a *Agent) DeregisterEventHandler(eh EventHandler) {
	a.eventHandlersLock.Lock()
	defer a.eventHandlersLock.Unlock()
	delete(a.eventHandlers, eh)
	a.rebuildList()
}

// rebuildList makes a new list, it must be called with the lock held.
func (a *Agent) rebuildList() {
	list := make([]EventHandler, 0, len(a.eventHandlers))
	for eh := range a.eventHandlers {
		list = append(list, eh)
	}
	a.eventHandlerList = list
}

// Stream follows the events until done is closed.
func (a *Agent) Stream(filter string, send func(Event) error, done <-chan struct{}) {
	es := newEventStream(filter, send, a.logger)
	a.RegisterEventHandler(es)
	go func() {
		select {
		case <-done:
		case <-a.shutdownCh:
		}
		a.DeregisterEventHandler(es)
		es.Stop()
	}()
}

// eventLoop listens to events from Serf and fans out to event handlers
func (a *Agent) eventLoop() {
	serfShutdownCh := a.node.ShutdownCh()
	for {
		select {
		case e := <-a.eventCh:
			a.logger.Printf("[INFO] agent: Received event: %s", e.String())
			a.eventHandlersLock.Lock()
			handlers := a.eventHandlerList
			a.eventHandlersLock.Unlock()
			for _, eh := range handlers {
				eh.HandleEvent(e)
			}
		case <-serfShutdownCh:
			a.logger.Printf("[WARN] agent: Serf shutdown detected, quitting")
			if err := a.Shutdown(); err != nil {
				a.logger.Printf("[ERR] agent: %v", err)
			}
			return
		case <-a.shutdownCh:
			return
		}
	}
}

// Shutdown does a graceful shutdown of this agent and all of its processes.
func (a *Agent) Shutdown() error {
	a.shutdownLock.Lock()
	defer a.shutdownLock.Unlock()
	if a.shutdown {
		return nil
	}
	a.shutdown = true
	close(a.shutdownCh)
	if err := a.node.Shutdown(); err != nil {
		return errors.Join(errors.New("shutting down serf"), err)
	}
	return nil
}
