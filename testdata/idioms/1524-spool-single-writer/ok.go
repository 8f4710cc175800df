// Package spool watches printers; its loop is the only one that changes their rows.
package spool

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"
)

var ErrClosed = errors.New("spool: monitor is closed")

type Status struct {
	Ready   bool
	Jobs    int
	Printed int
	Failed  int
	Asked   time.Time
}

// Printer is the management port of a printer.
type Printer interface {
	Depth(ctx context.Context, name string) (int, error)
	Print(ctx context.Context, name string, doc []byte) error
}

type request struct {
	printer string
	doc     []byte
	reply   chan error
}

type Monitor struct {
	dev  Printer
	reqs chan request
	done chan struct{}

	mu   sync.RWMutex
	rows map[string]Status
}

// New starts the monitor; it ends with ctx.
func New(ctx context.Context, dev Printer, names ...string) *Monitor {
	m := &Monitor{
		dev:  dev,
		reqs: make(chan request),
		done: make(chan struct{}),
		rows: make(map[string]Status),
	}
	for _, n := range names {
		m.rows[n] = Status{}
	}
	go m.loop(ctx)
	return m
}

func (m *Monitor) row(name string) Status {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.rows[name]
}

func (m *Monitor) setRow(name string, s Status) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rows[name] = s
}

func (m *Monitor) loop(ctx context.Context) {
	defer close(m.done)
	t := time.NewTicker(30 * time.Second)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case r := <-m.reqs:
			r.reply <- m.print(ctx, r)
		case <-t.C:
			for name := range m.All() {
				m.poll(ctx, name)
			}
		}
	}
}

func (m *Monitor) print(ctx context.Context, r request) error {
	s := m.row(r.printer)
	err := m.dev.Print(ctx, r.printer, r.doc)
	if err != nil {
		s.Failed++
	} else {
		s.Printed++
		s.Jobs++
	}
	m.setRow(r.printer, s)
	return err
}

func (m *Monitor) poll(ctx context.Context, name string) {
	s := m.row(name)
	n, err := m.dev.Depth(ctx, name)
	s.Ready = err == nil
	if err == nil {
		s.Jobs = n
	}
	s.Asked = time.Now()
	m.setRow(name, s)
}

// All returns a copy of the table.
func (m *Monitor) All() map[string]Status {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return maps.Clone(m.rows)
}

// Print hands the document to the loop and waits for the printer.
func (m *Monitor) Print(printer string, doc []byte) error {
	r := request{printer: printer, doc: doc, reply: make(chan error, 1)}
	select {
	case m.reqs <- r:
		return <-r.reply
	case <-m.done:
		return ErrClosed
	}
}
