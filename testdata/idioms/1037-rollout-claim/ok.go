// Package rollout brings new firmware to a fleet of devices.
package rollout

import (
	"context"
	"errors"
	"sync"
)

type phase int

const (
	waiting phase = iota
	flashing
	updated
	failed
	skipped
)

var ErrBusy = errors.New("rollout: device is not waiting any more")

type device struct {
	phase    phase
	attempts int
	err      error
}

// Flasher writes the image to one device.
type Flasher interface {
	Flash(ctx context.Context, id, image string) error
}

// Rollout is the state of one campaign.
type Rollout struct {
	image   string
	flasher Flasher

	mu      sync.Mutex
	order   []string
	devices map[string]*device
}

func New(image string, f Flasher, ids []string) *Rollout {
	r := &Rollout{image: image, flasher: f, devices: make(map[string]*device)}
	for _, id := range ids {
		if r.devices[id] == nil {
			r.devices[id] = &device{}
			r.order = append(r.order, id)
		}
	}
	return r
}

// Run flashes with the given number of workers until no device waits.
func (r *Rollout) Run(ctx context.Context, workers int) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() { r.work(ctx) })
	}
	wg.Wait()
}

func (r *Rollout) work(ctx context.Context) {
	for ctx.Err() == nil {
		id, ok := r.claim()
		if !ok {
			return
		}
		err := r.flasher.Flash(ctx, id, r.image)
		r.finish(id, err)
	}
}

func (r *Rollout) claim() (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range r.order {
		if d := r.devices[id]; d.phase == waiting {
			d.phase = flashing
			d.attempts++
			return id, true
		}
	}
	return "", false
}

func (r *Rollout) finish(id string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := r.devices[id]
	d.err = err
	switch {
	case err == nil:
		d.phase = updated
	case d.attempts < 3:
		d.phase = waiting
	default:
		d.phase = failed
	}
}

// Skip takes a device out of the campaign while it is not being flashed.
func (r *Rollout) Skip(id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := r.devices[id]
	if d == nil || d.phase != waiting {
		return ErrBusy
	}
	d.phase = skipped
	return nil
}

// Left reports how many devices are still to be done.
func (r *Rollout) Left() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, d := range r.devices {
		if d.phase == waiting || d.phase == flashing {
			n++
		}
	}
	return n
}
