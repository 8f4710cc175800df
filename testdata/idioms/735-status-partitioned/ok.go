package telemetry

import (
	"context"
	"hash/crc32"
	"sync"
	"time"
)

// Report is one message of a device.
type Report struct {
	Device   string
	At       time.Time
	Battery  int
	Position [2]float64
	Alarm    bool
}

// State is what is known of a device. It is replaced, never changed.
type State struct {
	LastSeen time.Time
	Battery  int
	Position [2]float64
	Reports  int
	Alarms   int
}

func (s State) apply(r Report) State {
	s.Reports++
	if r.Alarm {
		s.Alarms++
	}
	if r.At.After(s.LastSeen) {
		s.LastSeen = r.At
		s.Battery = r.Battery
		s.Position = r.Position
	}
	return s
}

// Tracker keeps the state of all devices.
type Tracker struct {
	states sync.Map // device to State
	queues []chan Report
	wg     sync.WaitGroup
}

// NewTracker returns a tracker with n workers, which run until ctx is done.
func NewTracker(ctx context.Context, n int) *Tracker {
	t := &Tracker{queues: make([]chan Report, n)}
	for i := range t.queues {
		q := make(chan Report, 256)
		t.queues[i] = q
		t.wg.Go(func() { t.work(ctx, q) })
	}
	return t
}

func (t *Tracker) work(ctx context.Context, q <-chan Report) {
	for {
		select {
		case r := <-q:
			t.update(r)
		case <-ctx.Done():
			return
		}
	}
}

// State returns the state of a device.
func (t *Tracker) State(device string) (State, bool) {
	v, ok := t.states.Load(device)
	if !ok {
		return State{}, false
	}
	return v.(State), true
}

func (t *Tracker) update(r Report) {
	s, _ := t.State(r.Device)
	t.states.Store(r.Device, s.apply(r))
}

func (t *Tracker) queue(device string) chan<- Report {
	h := crc32.ChecksumIEEE([]byte(device))
	return t.queues[h%uint32(len(t.queues))]
}

// Ingest takes a report from any connection.
func (t *Tracker) Ingest(ctx context.Context, r Report) error {
	select {
	case t.queue(r.Device) <- r:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Silent returns the devices that have not reported since the given time.
func (t *Tracker) Silent(since time.Time) []string {
	var out []string
	t.states.Range(func(k, v any) bool {
		if v.(State).LastSeen.Before(since) {
			out = append(out, k.(string))
		}
		return true
	})
	return out
}

// Wait returns when the workers have ended.
func (t *Tracker) Wait() { t.wg.Wait() }
