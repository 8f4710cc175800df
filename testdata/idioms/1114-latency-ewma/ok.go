// Correct: the average is read and written back in separate critical sections,
// but only the one goroutine started by NewTracker ever writes; everybody else
// only reads. Samples reach that goroutine by a channel.

// Package ok tracks the latency of endpoints.
package ok

import (
	"maps"
	"sync"
	"time"
)

type Sample struct {
	Endpoint string
	Took     time.Duration
	Failed   bool
}

type Stat struct {
	Mean     float64 // seconds
	Samples  uint64
	Failures uint64
}

type Tracker struct {
	alpha   float64
	samples chan Sample
	quit    chan struct{}
	done    chan struct{}
	once    sync.Once

	mu    sync.RWMutex
	stats map[string]Stat
}

func NewTracker(alpha float64) *Tracker {
	t := &Tracker{
		alpha:   alpha,
		samples: make(chan Sample, 256),
		quit:    make(chan struct{}),
		done:    make(chan struct{}),
		stats:   make(map[string]Stat),
	}
	go t.run()
	return t
}

// Observe hands in a sample; when the tracker is behind, the sample is dropped.
func (t *Tracker) Observe(s Sample) {
	select {
	case t.samples <- s:
	default:
	}
}

func (t *Tracker) run() {
	defer close(t.done)
	for {
		select {
		case s := <-t.samples:
			t.fold(s)
		case <-t.quit:
			return
		}
	}
}

func (t *Tracker) fold(s Sample) {
	st := t.Stat(s.Endpoint)
	st.Samples++
	if s.Failed {
		st.Failures++
	}
	sec := s.Took.Seconds()
	if st.Samples == 1 {
		st.Mean = sec
	} else {
		st.Mean += t.alpha * (sec - st.Mean)
	}
	t.set(s.Endpoint, st)
}

func (t *Tracker) set(endpoint string, st Stat) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stats[endpoint] = st
}

// Stat returns the figures of one endpoint.
func (t *Tracker) Stat(endpoint string) Stat {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.stats[endpoint]
}

// All returns the figures of all endpoints.
func (t *Tracker) All() map[string]Stat {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return maps.Clone(t.stats)
}

// Close ends the tracker; its figures stay readable.
func (t *Tracker) Close() {
	t.once.Do(func() { close(t.quit) })
	<-t.done
}
