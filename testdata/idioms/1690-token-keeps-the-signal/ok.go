// Package a loads vehicles onto a ferry in the order of their arrival.
package a

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Vehicle waits on the quay.
type Vehicle struct {
	Plate  string
	Metres int
}

// Crew directs a vehicle onto the deck.
type Crew interface {
	Load(v Vehicle) error
}

// Quay is the queue in front of the ramp. One goroutine, started by NewQuay,
// loads the vehicles.
type Quay struct {
	crew   Crew
	arrive chan struct{}
	exited chan struct{}

	mu     sync.Mutex
	line   []Vehicle
	failed []Vehicle
}

// NewQuay opens the ramp until ctx is done.
func NewQuay(ctx context.Context, crew Crew) *Quay {
	q := &Quay{crew: crew, arrive: make(chan struct{}, 1), exited: make(chan struct{})}
	go q.load(ctx)
	return q
}

// Arrive puts a vehicle at the end of the line.
func (q *Quay) Arrive(v Vehicle) error {
	if v.Metres <= 0 {
		return fmt.Errorf("%s: bad length %d", v.Plate, v.Metres)
	}
	q.mu.Lock()
	q.line = append(q.line, v)
	q.mu.Unlock()
	select {
	case q.arrive <- struct{}{}:
	default:
	}
	return nil
}

func (q *Quay) next() (Vehicle, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.line) == 0 {
		return Vehicle{}, false
	}
	v := q.line[0]
	q.line = q.line[1:]
	return v, true
}

func (q *Quay) load(ctx context.Context) {
	defer close(q.exited)
	for ctx.Err() == nil {
		v, ok := q.next()
		if !ok {
			select {
			case <-q.arrive:
			case <-ctx.Done():
			}
			continue
		}
		if err := q.crew.Load(v); err != nil {
			q.mu.Lock()
			q.failed = append(q.failed, v)
			q.mu.Unlock()
		}
	}
}

// Close waits for the ramp to close and reports vehicles left behind.
func (q *Quay) Close() error {
	<-q.exited
	q.mu.Lock()
	defer q.mu.Unlock()
	if n := len(q.line) + len(q.failed); n > 0 {
		return fmt.Errorf("%d vehicles: %w", n, ErrLeftBehind)
	}
	return nil
}

// ErrLeftBehind is returned when the ferry left without some vehicles.
var ErrLeftBehind = errors.New("left on the quay")
