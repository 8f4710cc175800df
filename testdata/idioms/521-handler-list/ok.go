// Package ok runs event handlers that come and go.
package ok

import (
	"log"
	"sync"
)

// Event is what the cluster reports.
type Event struct {
	Kind string
	Node string
}

// Handler is told about events; one that has been removed may still see the
// events that were on their way.
type Handler interface{ Handle(e Event) }

// Agent runs the handlers.
type Agent struct {
	events <-chan Event
	logger *log.Logger

	handlersMu  sync.Mutex
	handlers    map[Handler]struct{}
	handlerList []Handler

	shutdownMu sync.Mutex
	shutdown   bool
	shutdownCh chan struct{}
	wg         sync.WaitGroup
}

// New returns an agent that reads events.
func New(events <-chan Event, l *log.Logger) *Agent {
	return &Agent{
		events:     events,
		logger:     l,
		handlers:   make(map[Handler]struct{}),
		shutdownCh: make(chan struct{}),
	}
}

// Start begins to dispatch; it is called once.
func (a *Agent) Start() {
	a.wg.Add(1)
	go a.loop()
}

// Register adds a handler.
func (a *Agent) Register(h Handler) {
	a.handlersMu.Lock()
	defer a.handlersMu.Unlock()
	a.handlers[h] = struct{}{}
	a.handlerList = nil
	for h := range a.handlers {
		a.handlerList = append(a.handlerList, h)
	}
}

// Deregister removes a handler.
func (a *Agent) Deregister(h Handler) {
	a.handlersMu.Lock()
	defer a.handlersMu.Unlock()
	delete(a.handlers, h)
	a.handlerList = nil
	for h := range a.handlers {
		a.handlerList = append(a.handlerList, h)
	}
}

func (a *Agent) loop() {
	defer a.wg.Done()
	for {
		select {
		case e, ok := <-a.events:
			if !ok {
				return
			}
			a.handlersMu.Lock()
			list := a.handlerList
			a.handlersMu.Unlock()
			for _, h := range list {
				h.Handle(e)
			}
		case <-a.shutdownCh:
			return
		}
	}
}

// Handlers returns the number of handlers.
func (a *Agent) Handlers() int {
	a.handlersMu.Lock()
	defer a.handlersMu.Unlock()
	return len(a.handlers)
}

// Shutdown ends the agent; every call returns when the loop has ended.
func (a *Agent) Shutdown() {
	a.shutdownMu.Lock()
	if !a.shutdown {
		a.logger.Print("agent: shutting down")
		a.shutdown = true
		close(a.shutdownCh)
	}
	a.shutdownMu.Unlock()
	a.wg.Wait()
}
