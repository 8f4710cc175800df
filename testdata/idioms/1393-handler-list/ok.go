package agent

import "sync"

type Event struct {
	Name    string
	Payload []byte
}

type EventHandler interface {
	HandleEvent(Event)
}

// Agent fans the events out to the registered handlers.
type Agent struct {
	eventCh    chan Event
	shutdownCh chan struct{}
	once       sync.Once

	eventHandlersLock sync.Mutex
	eventHandlers     map[EventHandler]struct{}
	eventHandlerList  []EventHandler
}

func Create() *Agent {
	return &Agent{
		eventCh:       make(chan Event, 64),
		shutdownCh:    make(chan struct{}),
		eventHandlers: make(map[EventHandler]struct{}),
	}
}

func (a *Agent) RegisterEventHandler(eh EventHandler) {
	a.eventHandlersLock.Lock()
	defer a.eventHandlersLock.Unlock()
	a.eventHandlers[eh] = struct{}{}
	a.rebuildLocked()
}

func (a *Agent) DeregisterEventHandler(eh EventHandler) {
	a.eventHandlersLock.Lock()
	defer a.eventHandlersLock.Unlock()
	delete(a.eventHandlers, eh)
	a.rebuildLocked()
}

func (a *Agent) rebuildLocked() {
	a.eventHandlerList = nil
	for eh := range a.eventHandlers {
		a.eventHandlerList = append(a.eventHandlerList, eh)
	}
}

func (a *Agent) eventLoop() {
	for {
		select {
		case e := <-a.eventCh:
			a.eventHandlersLock.Lock()
			handlers := a.eventHandlerList
			a.eventHandlersLock.Unlock()
			for _, eh := range handlers {
				eh.HandleEvent(e)
			}
		case <-a.shutdownCh:
			return
		}
	}
}

func (a *Agent) Start() { go a.eventLoop() }

func (a *Agent) Shutdown() { a.once.Do(func() { close(a.shutdownCh) }) }
