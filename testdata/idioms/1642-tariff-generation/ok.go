package a

import (
	"context"
	"maps"
	"sync"
)

type Tariff struct {
	Zone     string
	CentsKWh map[int]float64 // by hour
}

type Source interface {
	Fetch(ctx context.Context, zone string) (Tariff, error)
}

type entry struct {
	gen    uint64
	loaded bool
	tariff Tariff
}

type Tariffs struct {
	src Source

	mu    sync.Mutex
	zones map[string]*entry
}

func NewTariffs(src Source) *Tariffs {
	return &Tariffs{src: src, zones: make(map[string]*entry)}
}

func (t *Tariffs) entryLocked(zone string) *entry {
	e, ok := t.zones[zone]
	if !ok {
		e = &entry{}
		t.zones[zone] = e
	}
	return e
}

func (t *Tariffs) begin(zone string) (tf Tariff, gen uint64, hit bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.entryLocked(zone)
	return e.tariff, e.gen, e.loaded
}

func (t *Tariffs) commit(zone string, gen uint64, tf Tariff) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.entryLocked(zone)
	if e.gen != gen {
		return
	}
	e.tariff = tf
	e.loaded = true
}

func (t *Tariffs) Invalidate(zone string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.entryLocked(zone)
	e.gen++
	e.loaded = false
	e.tariff = Tariff{}
}

// Price returns the price of an hour. The tables are never changed after
// they have been fetched.
func (t *Tariffs) Price(ctx context.Context, zone string, hour int) (float64, error) {
	tf, gen, hit := t.begin(zone)
	if hit {
		return tf.CentsKWh[hour], nil
	}
	tf, err := t.src.Fetch(ctx, zone)
	if err != nil {
		return 0, err
	}
	tf.CentsKWh = maps.Clone(tf.CentsKWh)
	t.commit(zone, gen, tf)
	return tf.CentsKWh[hour], nil
}

func (t *Tariffs) Cached() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := 0
	for _, e := range t.zones {
		if e.loaded {
			n++
		}
	}
	return n
}
