// Correct: the record of a volume is loaded and stored in separate critical
// sections around a slow call, but all who store hold the volume's turn, a
// channel with room for one that works as a lock one can give up waiting for.
// The mutex only guards the maps.

// Package ok attaches volumes to nodes.
package ok

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

var ErrNotAttached = errors.New("volume: not attached")

type Driver interface {
	Attach(ctx context.Context, volume, node string) (device string, err error)
	Detach(ctx context.Context, volume, node string) error
}

type record struct {
	node   string
	device string
	users  int
}

type Attacher struct {
	driver Driver

	mu      sync.Mutex
	turns   map[string]chan struct{} // one per volume, kept for good
	records map[string]record
}

func NewAttacher(d Driver) *Attacher {
	return &Attacher{
		driver:  d,
		turns:   make(map[string]chan struct{}),
		records: make(map[string]record),
	}
}

func (a *Attacher) turn(volume string) chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	t, ok := a.turns[volume]
	if !ok {
		t = make(chan struct{}, 1)
		a.turns[volume] = t
	}
	return t
}

func (a *Attacher) begin(ctx context.Context, volume string) (end func(), err error) {
	t := a.turn(volume)
	select {
	case t <- struct{}{}:
		return func() { <-t }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (a *Attacher) load(volume string) (record, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r, ok := a.records[volume]
	return r, ok
}

func (a *Attacher) store(volume string, r record) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.users == 0 {
		delete(a.records, volume)
		return
	}
	a.records[volume] = r
}

// Attach makes a volume usable on a node and returns its device.
func (a *Attacher) Attach(ctx context.Context, volume, node string) (string, error) {
	end, err := a.begin(ctx, volume)
	if err != nil {
		return "", err
	}
	defer end()

	r, ok := a.load(volume)
	if ok && r.node != node {
		return "", fmt.Errorf("volume: %s is in use on %s", volume, r.node)
	}
	if !ok {
		dev, err := a.driver.Attach(ctx, volume, node)
		if err != nil {
			return "", err
		}
		r = record{node: node, device: dev}
	}
	r.users++
	a.store(volume, r)
	return r.device, nil
}

// Detach ends one use of the volume; the last one takes it off the node.
func (a *Attacher) Detach(ctx context.Context, volume, node string) error {
	end, err := a.begin(ctx, volume)
	if err != nil {
		return err
	}
	defer end()

	r, ok := a.load(volume)
	if !ok || r.node != node {
		return ErrNotAttached
	}
	if r.users == 1 {
		if err := a.driver.Detach(ctx, volume, node); err != nil {
			return err
		}
	}
	r.users--
	a.store(volume, r)
	return nil
}

// Where tells on which node a volume is.
func (a *Attacher) Where(volume string) (string, bool) {
	r, ok := a.load(volume)
	return r.node, ok
}
