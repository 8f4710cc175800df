package a

import (
	"context"
	"sync"
	"time"
)

type exposure struct {
	target string
	start  time.Time
	cancel context.CancelFunc
}

// Camera reads out the detector.
type Camera interface {
	Integrate(ctx context.Context, target string) ([]byte, error)
}

// Observatory runs exposures, one for each target.
type Observatory struct {
	base context.Context
	cam  Camera
	wg   sync.WaitGroup

	mu      sync.Mutex
	running map[string]*exposure
	frames  map[string][][]byte
	failed  int
}

func NewObservatory(base context.Context, cam Camera) *Observatory {
	return &Observatory{
		base:    base,
		cam:     cam,
		running: make(map[string]*exposure),
		frames:  make(map[string][][]byte),
	}
}

// Expose starts an exposure; one already under way for the target is given up.
func (o *Observatory) Expose(target string, d time.Duration) {
	ctx, cancel := context.WithTimeout(o.base, d)
	e := &exposure{target: target, start: time.Now(), cancel: cancel}

	o.mu.Lock()
	if prev, ok := o.running[target]; ok {
		prev.cancel()
	}
	o.running[target] = e
	o.mu.Unlock()

	o.wg.Go(func() { o.integrate(ctx, e) })
}

func (o *Observatory) integrate(ctx context.Context, e *exposure) {
	defer o.finish(e)
	img, err := o.cam.Integrate(ctx, e.target)

	o.mu.Lock()
	defer o.mu.Unlock()
	if err != nil {
		o.failed++
		return
	}
	o.frames[e.target] = append(o.frames[e.target], img)
}

func (o *Observatory) finish(e *exposure) {
	e.cancel()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.running[e.target] == e {
		delete(o.running, e.target)
	}
}

// Abort ends the exposure of a target.
func (o *Observatory) Abort(target string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	e, ok := o.running[target]
	if ok {
		e.cancel()
	}
	return ok
}

// Busy tells how many targets are being exposed.
func (o *Observatory) Busy() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.running)
}

// Wait returns when all exposures are over; no Expose may follow.
func (o *Observatory) Wait() { o.wg.Wait() }
