package agent

import (
	"log"
	"os"
	"strings"
	"sync"
)

// Event is an event of the cluster.
type Event struct {
	Type    string
	Name    string
	Payload []byte
}

// EventHandler is a handler that does things when events happen.
type EventHandler interface {
	HandleEvent(Event)
}

// EventScript is a single event script that will be executed in the
// case of an event, and is configured from the command-line or from
// a configuration file.
type EventScript struct {
	Event  string
	Script string
}

// Invoke tests whether or not this event script should be invoked
// for the given Serf event.
func (s *EventScript) Invoke(e Event) bool {
	if s.Event == "*" {
		return true
	}
	kind, name, ok := strings.Cut(s.Event, ":")
	return kind == e.Type && (!ok || name == e.Name)
}

// ScriptEventHandler invokes scripts for the events that it receives.
type ScriptEventHandler struct {
	SelfFunc func() string
	Scripts  []EventScript
	Logger   *log.Logger

	run func(script, self string, e Event) error

	scriptLock sync.Mutex
	newScripts []EventScript
}

// HandleEvent is only called by the event loop of the agent.
func (h *ScriptEventHandler) HandleEvent(e Event) {
	// Swap in the new scripts if any
	h.scriptLock.Lock()
	if h.newScripts != nil {
		h.Scripts = h.newScripts
		h.newScripts = nil
	}
	h.scriptLock.Unlock()

	if h.Logger == nil {
		h.Logger = log.New(os.Stderr, "", log.LstdFlags)
	}

	self := h.SelfFunc()
	for _, script := range h.Scripts {
		if !script.Invoke(e) {
			continue
		}

		err := h.run(script.Script, self, e)
		if err != nil {
			h.Logger.Printf("[ERR] agent: Error invoking script '%s': %s",
				script.Script, err)
		}
	}
}

// UpdateScripts is used to safely update the scripts we invoke in
// a thread safe manner
func (h *ScriptEventHandler) UpdateScripts(scripts []EventScript) {
	h.scriptLock.Lock()
	defer h.scriptLock.Unlock()
	h.newScripts = scripts
}

// Agent starts and manages a Serf instance, adding some niceties
// on top of Serf such as storing logs that you can later retrieve,
// and invoking EventHandlers when events occur.
type Agent struct {
	eventCh    chan Event
	shutdownCh chan struct{}

	eventHandlers     map[EventHandler]struct{}
	eventHandlerList  []EventHandler
	eventHandlersLock sync.Mutex
}

// NewAgent starts an agent.
func NewAgent() *Agent {
	a := &Agent{
		eventCh:       make(chan Event, 64),
		shutdownCh:    make(chan struct{}),
		eventHandlers: make(map[EventHandler]struct{}),
	}
	go a.eventLoop()
	return a
}

// RegisterEventHandler adds an event handler to receive event notifications
func (a *Agent) RegisterEventHandler(eh EventHandler) {
	a.eventHandlersLock.Lock()
	defer a.eventHandlersLock.Unlock()

	a.eventHandlers[eh] = struct{}{}
	a.eventHandlerList = nil
	for eh := range a.eventHandlers {
		a.eventHandlerList = append(a.eventHandlerList, eh)
	}
}

// DeregisterEventHandler removes an EventHandler and prevents more invocations
func (a *Agent) DeregisterEventHandler(eh EventHandler) {
	a.eventHandlersLock.Lock()
	defer a.eventHandlersLock.Unlock()

	delete(a.eventHandlers, eh)
	a.eventHandlerList = nil
	for eh := range a.eventHandlers {
		a.eventHandlerList = append(a.eventHandlerList, eh)
	}
}

// eventLoop listens to events from Serf and fans out to event handlers
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

// handleReload is invoked when we should reload our configs, e.g. SIGHUP
func handleReload(h *ScriptEventHandler, read func() ([]EventScript, error)) {
	scripts, err := read()
	if err != nil {
		log.Printf("[ERR] agent: Failed to reload configs: %v", err)
		return
	}
	h.UpdateScripts(scripts)
}
