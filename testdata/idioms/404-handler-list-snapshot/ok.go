// Package ok runs a member of a cluster and hands its events to handlers.
package ok

import (
	"errors"
	"sync"
)

// Event is something that happened in the cluster.
type Event struct {
	Kind string
	Node string
	Time uint64
	Body []byte
}

// Handler takes events. It is called by one goroutine, without a lock, so it
// may register and deregister handlers.
type Handler interface {
	Handle(Event)
}

// Cluster is the member itself.
type Cluster interface {
	Join(addrs []string) (int, error)
	Send(name string, body []byte) error
	Leave() error
	Shutdown() error
}

// Agent owns a member.
type Agent struct {
	cluster Cluster
	events  chan Event

	handlerLock sync.Mutex
	handlers    map[Handler]struct{}
	list        []Handler

	shutdownLock sync.Mutex
	shutdown     bool
	done         chan struct{}
}

// New returns an agent that is not started.
func New(c Cluster, events chan Event) *Agent {
	return &Agent{
		cluster:  c,
		events:   events,
		handlers: make(map[Handler]struct{}),
		done:     make(chan struct{}),
	}
}

// Start begins to hand events out.
func (a *Agent) Start() {
	go a.loop()
}

// Join contacts other members.
func (a *Agent) Join(addrs []string) (int, error) {
	if len(addrs) == 0 {
		return 0, errors.New("no addresses")
	}
	return a.cluster.Join(addrs)
}

// Register adds a handler. It gets the events from now on.
func (a *Agent) Register(h Handler) {
	a.handlerLock.Lock()
	defer a.handlerLock.Unlock()
	a.handlers[h] = struct{}{}
	a.rebuild()
}

// Deregister takes a handler off. An event that is being handed out may still
// reach it.
func (a *Agent) Deregister(h Handler) {
	a.handlerLock.Lock()
	defer a.handlerLock.Unlock()
	delete(a.handlers, h)
	a.rebuild()
}

// rebuild makes a new list; the old one may be in use. The lock is held.
func (a *Agent) rebuild() {
	list := make([]Handler, 0, len(a.handlers))
	for h := range a.handlers {
		list = append(list, h)
	}
	a.list = list
}

func (a *Agent) loop() {
	for {
		select {
		case e := <-a.events:
			a.handlerLock.Lock()
			list := a.list
			a.handlerLock.Unlock()
			for _, h := range list {
				h.Handle(e)
			}
		case <-a.done:
			return
		}
	}
}

// Leave leaves the cluster.
func (a *Agent) Leave() error {
	return a.cluster.Leave()
}

// Shutdown ends the agent. It may be called more than once.
func (a *Agent) Shutdown() error {
	a.shutdownLock.Lock()
	defer a.shutdownLock.Unlock()
	if a.shutdown {
		return nil
	}
	if err := a.cluster.Shutdown(); err != nil {
		return err
	}
	a.shutdown = true
	close(a.done)
	return nil
}

// Done is closed when the agent has ended.
func (a *Agent) Done() <-chan struct{} { return a.done }
