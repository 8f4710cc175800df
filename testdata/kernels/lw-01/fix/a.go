package gatedlog

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
)

// Gate is an io.Writer that holds everything back until it is opened.
type Gate struct {
	Out io.Writer

	held [][]byte
	open bool
	mu   sync.Mutex
}

// Open passes the held data on and stops holding back.
func (g *Gate) Open() {
	g.mu.Lock()
	defer g.mu.Unlock()

	g.open = true
	for _, p := range g.held {
		_, _ = g.Out.Write(p)
	}
	g.held = nil
}

func (g *Gate) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()

	if g.open {
		return g.Out.Write(p)
	}
	g.held = append(g.held, bytes.Clone(p))
	return len(p), nil
}

// Task is a part of the agent that logs.
type Task interface {
	Name() string
	Run(log func(format string, args ...any), stop <-chan struct{})
}

// Agent starts its tasks before the configuration of the log is known.
type Agent struct {
	gate  *Gate
	tasks []Task
	stop  chan struct{}
	wg    sync.WaitGroup
}

// NewAgent returns an agent that logs to w once the gate is open.
func NewAgent(w io.Writer, tasks ...Task) *Agent {
	return &Agent{gate: &Gate{Out: w}, tasks: tasks, stop: make(chan struct{})}
}

func (a *Agent) logf(format string, args ...any) {
	line := time.Now().Format(time.RFC3339Nano) + " " + fmt.Sprintf(format, args...) + "\n"
	_, _ = a.gate.Write([]byte(line))
}

// Start runs the tasks, loads the configuration and opens the gate.
func (a *Agent) Start(load func() error) error {
	for _, t := range a.tasks {
		a.logf("starting %s", t.Name())
		a.wg.Go(func() { t.Run(a.logf, a.stop) })
	}
	if err := load(); err != nil {
		a.Stop()
		return err
	}
	a.gate.Open()
	a.logf("agent is up")
	return nil
}

// Stop ends the tasks.
func (a *Agent) Stop() {
	close(a.stop)
	a.wg.Wait()
	a.gate.Open()
}
