package a

import (
	"sync"
	"time"
)

type Reading struct {
	At  time.Time
	KWh float64
}

type Batch struct {
	Meter    string
	Readings []Reading
}

type Sink interface {
	Write(batches []Batch)
}

type meter struct {
	mu   sync.Mutex
	buf  []Reading
	seen time.Time
	gone bool
}

func (m *meter) add(r Reading, now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.gone {
		return false
	}
	m.buf = append(m.buf, r)
	m.seen = now
	return true
}

func (m *meter) drain() []Reading {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := m.buf
	m.buf = nil
	return out
}

type Ingest struct {
	sink Sink
	idle time.Duration

	mu     sync.Mutex
	meters map[string]*meter
}

func NewIngest(s Sink, idle time.Duration) *Ingest {
	return &Ingest{sink: s, idle: idle, meters: make(map[string]*meter)}
}

func (in *Ingest) lookup(id string, now time.Time) *meter {
	in.mu.Lock()
	defer in.mu.Unlock()
	m, ok := in.meters[id]
	if !ok {
		m = &meter{seen: now}
		in.meters[id] = m
	}
	return m
}

func (in *Ingest) Accept(id string, r Reading) {
	now := time.Now()
	for !in.lookup(id, now).add(r, now) {
	}
}

// Flush writes what has been collected by all meters.
func (in *Ingest) Flush() {
	in.mu.Lock()
	var out []Batch
	for id, m := range in.meters {
		if rs := m.drain(); len(rs) > 0 {
			out = append(out, Batch{Meter: id, Readings: rs})
		}
	}
	in.mu.Unlock()
	in.sink.Write(out)
}

// Sweep forgets the meters that have been silent for long.
func (in *Ingest) Sweep(now time.Time) {
	in.mu.Lock()
	var out []Batch
	for id, m := range in.meters {
		m.mu.Lock()
		if now.Sub(m.seen) > in.idle {
			if len(m.buf) > 0 {
				out = append(out, Batch{Meter: id, Readings: m.buf})
				m.buf = nil
			}
			m.gone = true
			delete(in.meters, id)
		}
		m.mu.Unlock()
	}
	in.mu.Unlock()
	in.sink.Write(out)
}
