package a

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"slices"
	"sync"
	"time"
)

// ErrClosed is returned when the station shuts down.
var ErrClosed = errors.New("labels: station is closed")

// Printer is a label printer on the packing line.
type Printer struct {
	Name string
	Addr string

	labels int // by the holder only
}

// Device talks to a printer.
type Device interface {
	Print(ctx context.Context, addr string, zpl []byte) error
}

// Station shares a few printers among the packing tables.
type Station struct {
	dev Device

	mu     sync.Mutex
	freed  *sync.Cond
	idle   []*Printer
	broken map[string]error
	closed bool
}

func NewStation(d Device, printers ...*Printer) *Station {
	s := &Station{dev: d, idle: slices.Clone(printers), broken: make(map[string]error)}
	s.freed = sync.NewCond(&s.mu)
	return s
}

func (s *Station) awaitIdle() error {
	if len(s.idle) == 0 && !s.closed {
		s.freed.Wait()
	}
	if s.closed {
		return ErrClosed
	}
	return nil
}

// checkout hands out an idle printer and waits for one if need be.
func (s *Station) checkout() (*Printer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.awaitIdle(); err != nil {
		return nil, err
	}
	p := s.idle[len(s.idle)-1]
	s.idle = s.idle[:len(s.idle)-1]
	return p, nil
}

func (s *Station) giveBack(p *Printer) {
	s.mu.Lock()
	s.idle = append(s.idle, p)
	s.mu.Unlock()
	s.freed.Signal()
}

// Print prints a label on any printer. One that fails is put aside until it
// has been tested.
func (s *Station) Print(ctx context.Context, zpl []byte) error {
	p, err := s.checkout()
	if err != nil {
		return err
	}
	if err := s.dev.Print(ctx, p.Addr, zpl); err != nil {
		s.mu.Lock()
		s.broken[p.Name] = err
		s.mu.Unlock()
		go s.mend(p)
		return fmt.Errorf("labels: %s: %w", p.Name, err)
	}
	p.labels++
	if p.labels%5000 == 0 {
		log.Printf("labels: %s needs a new roll soon", p.Name)
	}
	s.giveBack(p)
	return nil
}

func (s *Station) mend(p *Printer) {
	for pause := time.Second; ; pause = min(2*pause, time.Minute) {
		time.Sleep(pause)
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		err := s.dev.Print(ctx, p.Addr, []byte("~WC"))
		cancel()
		s.mu.Lock()
		if err == nil {
			delete(s.broken, p.Name)
		}
		closed := s.closed
		s.mu.Unlock()
		if closed {
			return
		}
		if err == nil {
			s.giveBack(p)
			return
		}
	}
}

// Close wakes everybody who waits for a printer.
func (s *Station) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.freed.Broadcast()
}

// ServeHTTP shows the broken printers.
func (s *Station) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(w, "idle %d\n", len(s.idle))
	for name, err := range s.broken {
		fmt.Fprintf(w, "%s: %v\n", name, err)
	}
}
