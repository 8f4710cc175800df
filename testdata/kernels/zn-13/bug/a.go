package a

import (
	"sync"
	"time"
)

type reading struct {
	station string
	level   float64
	at      time.Time
}

type journal struct {
	mu   sync.RWMutex
	recs []reading
}

func (j *journal) add(r reading) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.recs = append(j.recs, r)
	return len(j.recs) - 1
}

func (j *journal) at(pos int) (reading, bool) {
	j.mu.RLock()
	defer j.mu.RUnlock()
	if pos >= len(j.recs) {
		return reading{}, false
	}
	return j.recs[pos], true
}

func (j *journal) replace(recs []reading) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.recs = recs
}

type latest struct {
	mu  sync.RWMutex
	pos map[string]int
}

func (x *latest) find(station string) (int, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	p, ok := x.pos[station]
	return p, ok
}

func (x *latest) put(station string, p int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.pos[station] = p
}

func (x *latest) snapshot() map[string]int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	out := make(map[string]int, len(x.pos))
	for k, v := range x.pos {
		out[k] = v
	}
	return out
}

// Gauges stores the levels that tide gauges send.
type Gauges struct {
	mu    sync.Mutex
	log   journal
	index latest
}

func NewGauges() *Gauges {
	return &Gauges{index: latest{pos: make(map[string]int)}}
}

// Record stores one level.
func (g *Gauges) Record(station string, level float64, at time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.log.add(reading{station: station, level: level, at: at})
	g.index.put(station, p)
}

// Level tells the last level of a station.
func (g *Gauges) Level(station string) (float64, bool) {
	p, ok := g.index.find(station)
	if !ok {
		return 0, false
	}
	r, ok := g.log.at(p)
	return r.level, ok
}

// Compact drops all but the last level of each station.
func (g *Gauges) Compact() {
	g.mu.Lock()
	defer g.mu.Unlock()
	var keep []reading
	for station, p := range g.index.snapshot() {
		r, ok := g.log.at(p)
		if !ok {
			continue
		}
		g.index.put(station, len(keep))
		keep = append(keep, r)
	}
	g.log.replace(keep)
}
