package a

import (
	"context"
	"log/slog"
	"sync"
)

type Stage int

const (
	Announced Stage = iota
	InTransit
	OutForDelivery
	Delivered
)

type Event struct {
	Number string
	Stage  Stage
	Place  string
}

type Geocoder interface {
	Locate(ctx context.Context, place string) (lat, lon float64, err error)
}

// parcel only ever moves forward.
type parcel struct {
	mu       sync.Mutex
	stage    Stage
	lat, lon float64
}

func (p *parcel) Stage() Stage {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stage
}

func (p *parcel) advance(s Stage, lat, lon float64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s <= p.stage {
		return false
	}
	p.stage, p.lat, p.lon = s, lat, lon
	return true
}

type Tracker struct {
	parcels sync.Map // number -> *parcel
	geo     Geocoder
	notify  func(number string, s Stage)
	log     *slog.Logger
}

func NewTracker(geo Geocoder, notify func(string, Stage), log *slog.Logger) *Tracker {
	return &Tracker{geo: geo, notify: notify, log: log}
}

func (t *Tracker) parcel(number string) *parcel {
	if v, ok := t.parcels.Load(number); ok {
		return v.(*parcel)
	}
	v, _ := t.parcels.LoadOrStore(number, &parcel{})
	return v.(*parcel)
}

// Ingest handles one carrier event; carriers repeat and reorder them.
func (t *Tracker) Ingest(ctx context.Context, e Event) {
	p := t.parcel(e.Number)
	if e.Stage <= p.Stage() {
		return
	}
	lat, lon, err := t.geo.Locate(ctx, e.Place)
	if err != nil {
		t.log.Warn("no coordinates", "place", e.Place, "err", err)
	}
	if p.advance(e.Stage, lat, lon) && e.Stage == Delivered {
		t.notify(e.Number, e.Stage)
	}
}

// Consume runs one worker per carrier feed.
func (t *Tracker) Consume(ctx context.Context, feeds ...<-chan Event) {
	var wg sync.WaitGroup
	for _, f := range feeds {
		wg.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case e, ok := <-f:
					if !ok {
						return
					}
					t.Ingest(ctx, e)
				}
			}
		})
	}
	wg.Wait()
}

func (t *Tracker) Position(number string) (lat, lon float64, s Stage, ok bool) {
	v, ok := t.parcels.Load(number)
	if !ok {
		return 0, 0, 0, false
	}
	p := v.(*parcel)
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lat, p.lon, p.stage, true
}
