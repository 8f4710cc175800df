// Package fix spools documents to the printers of an office.
package fix

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

var (
	ErrUnknownPrinter = errors.New("spooler: unknown printer")
	ErrNotQueued      = errors.New("spooler: document is not queued")
)

// Document is one thing to print.
type Document struct {
	ID        string
	Owner     string
	Pages     int
	Submitted time.Time
}

// Printer is the driver of one machine.
type Printer interface {
	Print(ctx context.Context, d Document) error
}

// Spooler has one lane for each printer. The set of lanes does not change.
type Spooler struct {
	lanes map[string]*lane
	log   *slog.Logger
}

func New(printers map[string]Printer, log *slog.Logger) *Spooler {
	s := &Spooler{lanes: make(map[string]*lane, len(printers)), log: log}
	for name, p := range printers {
		s.lanes[name] = newLane(p)
	}
	return s
}

// Start feeds the printers until ctx is done.
func (s *Spooler) Start(ctx context.Context) {
	for name, l := range s.lanes {
		go s.feed(ctx, name, l)
	}
}

func (s *Spooler) feed(ctx context.Context, name string, l *lane) {
	for {
		d, err := l.next(ctx)
		if err != nil {
			return
		}
		if err := l.printer.Print(ctx, d); err != nil {
			s.log.Error("print failed", "printer", name, "doc", d.ID, "err", err)
		}
	}
}

func (s *Spooler) lane(printer string) (*lane, error) {
	l, ok := s.lanes[printer]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrUnknownPrinter, printer)
	}
	return l, nil
}

// Submit queues a document at the end of a printer's lane.
func (s *Spooler) Submit(printer string, d Document) error {
	l, err := s.lane(printer)
	if err != nil {
		return err
	}
	d.Submitted = time.Now()
	l.push(d)
	return nil
}

// Cancel takes a document out of its lane.
func (s *Spooler) Cancel(printer, id string) error {
	l, err := s.lane(printer)
	if err != nil {
		return err
	}
	if !l.drop(id) {
		return ErrNotQueued
	}
	return nil
}

// Promote makes a document the next one of its lane.
func (s *Spooler) Promote(printer, id string) error {
	l, err := s.lane(printer)
	if err != nil {
		return err
	}
	pos, err := l.raise(id)
	if err != nil {
		return err
	}
	s.log.Info("promote", "printer", printer, "doc", id, "from", pos)
	return nil
}
