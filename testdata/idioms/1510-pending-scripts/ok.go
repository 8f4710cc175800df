package ok

import (
	"log"
	"sync"
)

type Event interface {
	String() string
}

type EventFilter struct {
	Event string
}

func (f *EventFilter) Invoke(e Event) bool {
	return f.Event == "*" || f.Event == e.String()
}

type EventScript struct {
	EventFilter
	Script string
}

type invoker func(script string, e Event) error

// ScriptEventHandler invokes scripts for the events that it receives.
// HandleEvent is called by the event loop only.
type ScriptEventHandler struct {
	Scripts []EventScript
	Logger  *log.Logger
	invoke  invoker

	scriptLock sync.Mutex
	newScripts []EventScript
}

func (h *ScriptEventHandler) HandleEvent(e Event) {
	// Swap in the new scripts if any
	h.scriptLock.Lock()
	if h.newScripts != nil {
		h.Scripts = h.newScripts
		h.newScripts = nil
	}
	h.scriptLock.Unlock()

	for _, script := range h.Scripts {
		if !script.Invoke(e) {
			continue
		}
		// The script may run for long; UpdateScripts must not wait for it.
		if err := h.invoke(script.Script, e); err != nil {
			h.Logger.Printf("[ERR] agent: Error invoking script '%s': %s", script.Script, err)
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

type Agent struct {
	eventCh    chan Event
	reloadCh   chan []EventScript
	shutdownCh chan struct{}
	handler    *ScriptEventHandler
}

func NewAgent(inv invoker, scripts []EventScript, logger *log.Logger) *Agent {
	a := &Agent{
		eventCh:    make(chan Event, 64),
		reloadCh:   make(chan []EventScript),
		shutdownCh: make(chan struct{}),
		handler:    &ScriptEventHandler{Scripts: scripts, Logger: logger, invoke: inv},
	}
	go a.eventLoop()
	go a.reloadLoop()
	return a
}

func (a *Agent) eventLoop() {
	for {
		select {
		case e := <-a.eventCh:
			a.handler.HandleEvent(e)
		case <-a.shutdownCh:
			return
		}
	}
}

func (a *Agent) reloadLoop() {
	for {
		select {
		case scripts := <-a.reloadCh:
			a.handler.UpdateScripts(scripts)
		case <-a.shutdownCh:
			return
		}
	}
}
