package serf

import "log"

// Agent starts and manages a Serf instance, adding some niceties
// on top of Serf such as storing logs that you can later retrieve,
// and invoking EventHandlers when events occur.
type Agent struct {
	conf    *Config
	eventCh chan Event
	logger  *log.Logger
	serf    *Serf
	handle  func(Event)
}

// newAgent creates a serf instance and starts its event loop.
func newAgent(conf *Config, handle func(Event)) (*Agent, error) {
	a := &Agent{conf: conf, logger: conf.Logger, handle: handle, eventCh: make(chan Event, 64)}
	conf.EventCh = a.eventCh
	serf, err := Create(conf)
	if err != nil {
		return nil, err
	}
	a.serf = serf
	return a, nil
}

// eventLoop listens to events from Serf and fans out to event handlers. It
// returns when Serf was shut down.
func (a *Agent) eventLoop() {
	serfShutdownCh := a.serf.ShutdownCh()
	for {
		select {
		case e := <-a.eventCh:
			a.handle(e)

		case <-serfShutdownCh:
			a.logger.Printf("[WARN] agent: Serf shutdown detected, quitting")
			return
		}
	}
}

// supervise runs an agent and starts it again with the same bind address when
// its Serf instance was shut down.
func supervise(conf *Config, handle func(Event), started chan<- *Agent) error {
	for {
		a, err := newAgent(conf, handle)
		if err != nil {
			return err
		}
		started <- a
		a.eventLoop()
	}
}
