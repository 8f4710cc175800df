// Package charging manages the bays of a charging station. A car gets any
// bay that is free and owns it until it leaves.
package charging

import (
	"context"
	"log"
	"sync/atomic"
	"time"
)

// inspectEvery is the number of sessions after which a bay is inspected.
const inspectEvery = 500

// Bay is one charging point.
type Bay struct {
	Number int

	// Changed by whoever has the bay, read by the status page as well.
	sessions  atomic.Int64
	wattHours atomic.Int64
	car       atomic.Pointer[string]
}

// Inspector checks the contacts of a bay.
type Inspector interface {
	Inspect(bay int) error
}

// Station is safe for concurrent use.
type Station struct {
	bays    []*Bay
	free    chan *Bay // every bay in service is in here or has one owner
	inspect Inspector
}

// NewStation returns a station with n free bays.
func NewStation(n int, ins Inspector) *Station {
	s := &Station{free: make(chan *Bay, n), inspect: ins}
	for i := range n {
		b := &Bay{Number: i + 1}
		s.bays = append(s.bays, b)
		s.free <- b
	}
	return s
}

// Session is a car in a bay. It is used by the goroutine that serves the car.
type Session struct {
	station *Station
	bay     *Bay
	started time.Time
	over    bool
}

// Plug waits for a free bay and begins a session in it.
func (s *Station) Plug(ctx context.Context, car string) (*Session, error) {
	select {
	case b := <-s.free:
		b.car.Store(&car)
		return &Session{station: s, bay: b, started: time.Now()}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Bay returns the number of the bay.
func (x *Session) Bay() int { return x.bay.Number }

// Meter adds the energy that went into the car since the last call.
func (x *Session) Meter(wattHours int64) {
	if x.over {
		return
	}
	total := x.bay.wattHours.Load()
	x.bay.wattHours.Store(total + wattHours)
}

// Unplug ends the session and frees the bay, after an inspection if one is
// due. A second call does nothing.
func (x *Session) Unplug() time.Duration {
	took := time.Since(x.started)
	if x.over {
		return took
	}
	x.over = true
	b := x.bay
	b.car.Store(nil)
	done := b.sessions.Load() + 1
	b.sessions.Store(done)
	if done%inspectEvery == 0 {
		go x.station.check(b)
		return took
	}
	x.station.free <- b
	return took
}

// check has the bay inspected before the next car gets it. A bay that fails
// is not given out any more.
func (s *Station) check(b *Bay) {
	if err := s.inspect.Inspect(b.Number); err != nil {
		log.Printf("charging: bay %d stays out of service: %v", b.Number, err)
		return
	}
	s.free <- b
}

// BayStatus is one line of the status page.
type BayStatus struct {
	Number    int
	Car       string // empty when there is none
	Sessions  int64
	WattHours int64
}

// Status describes the bays for the status page. Each figure is up to date by
// itself.
func (s *Station) Status() []BayStatus {
	out := make([]BayStatus, 0, len(s.bays))
	for _, b := range s.bays {
		st := BayStatus{
			Number:    b.Number,
			Sessions:  b.sessions.Load(),
			WattHours: b.wattHours.Load(),
		}
		if car := b.car.Load(); car != nil {
			st.Car = *car
		}
		out = append(out, st)
	}
	return out
}
