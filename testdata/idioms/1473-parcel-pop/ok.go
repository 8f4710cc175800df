// Package sorting moves parcels from the inbound belt to delivery tours.
package sorting

import (
	"context"
	"sync"
)

// Parcel is handled by one station at a time.
type Parcel struct {
	Code  string
	Zip   string
	Grams int
	Tour  string
	Scans int
}

// Scale weighs a parcel; that takes a second.
type Scale interface {
	Weigh(ctx context.Context, code string) (grams int, err error)
}

// belt is a LIFO buffer; a popped parcel belongs to whoever popped it.
type belt struct {
	mu      sync.Mutex
	parcels []*Parcel
}

func (b *belt) push(p *Parcel) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parcels = append(b.parcels, p)
}

func (b *belt) pop() *Parcel {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(b.parcels)
	if n == 0 {
		return nil
	}
	p := b.parcels[n-1]
	b.parcels[n-1] = nil
	b.parcels = b.parcels[:n-1]
	return p
}

// Hall is a sorting hall with several stations.
type Hall struct {
	scale   Scale
	inbound belt
	work    chan struct{} // one token per parcel on the belt

	mu    sync.Mutex
	tours map[string][]*Parcel
}

func NewHall(scale Scale, capacity int) *Hall {
	return &Hall{
		scale: scale,
		work:  make(chan struct{}, capacity),
		tours: make(map[string][]*Parcel),
	}
}

// Arrive is called by the unloading docks.
func (h *Hall) Arrive(code, zip string) {
	h.inbound.push(&Parcel{Code: code, Zip: zip})
	h.work <- struct{}{}
}

// Run operates the stations until ctx ends.
func (h *Hall) Run(ctx context.Context, stations int) {
	var wg sync.WaitGroup
	for range stations {
		wg.Add(1)
		go func() {
			defer wg.Done()
			h.station(ctx)
		}()
	}
	wg.Wait()
}

func (h *Hall) station(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.work:
		}
		p := h.inbound.pop()
		if p == nil {
			continue
		}
		p.Scans++
		grams, err := h.scale.Weigh(ctx, p.Code)
		if err != nil {
			h.inbound.push(p)
			go func() { h.work <- struct{}{} }()
			continue
		}
		p.Grams = grams
		h.load(p)
	}
}

// load puts a weighed parcel on its tour.
func (h *Hall) load(p *Parcel) {
	p.Tour = tourOf(p.Zip, p.Grams)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tours[p.Tour] = append(h.tours[p.Tour], p)
}

// Depart hands the parcels of a tour to the driver.
func (h *Hall) Depart(tour string) []*Parcel {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := h.tours[tour]
	delete(h.tours, tour)
	return out
}

func tourOf(zip string, grams int) string {
	if grams > 31500 {
		return "freight"
	}
	return "van-" + zip[:min(2, len(zip))]
}
