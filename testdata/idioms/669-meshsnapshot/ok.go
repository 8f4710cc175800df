// Package mesh keeps the endpoints of services for a sidecar proxy.
package mesh

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync/atomic"
)

// ErrUnknown is returned for services that are not in the mesh.
var ErrUnknown = errors.New("mesh: unknown service")

// Delta is an incremental update.
type Delta struct {
	Service string
	Add     []string
	Remove  []string
	Gone    bool
	reply   chan uint64
}

// snapshot is immutable.
type snapshot struct {
	version  uint64
	services map[string][]string
	subset   map[string]int
}

// View keeps the snapshot that readers see.
type View struct {
	cur    atomic.Pointer[snapshot]
	deltas chan Delta
}

// Start runs a view until ctx ends.
func Start(ctx context.Context) *View {
	v := &View{deltas: make(chan Delta, 64)}
	v.cur.Store(&snapshot{})
	go v.run(ctx)
	return v
}

func (v *View) run(ctx context.Context) {
	for {
		select {
		case d := <-v.deltas:
			ver := v.apply(d)
			if d.reply != nil {
				d.reply <- ver
			}
		case <-ctx.Done():
			return
		}
	}
}

func (v *View) apply(d Delta) uint64 {
	old := v.cur.Load()
	next := &snapshot{
		version:  old.version + 1,
		services: maps.Clone(old.services),
		subset:   maps.Clone(old.subset),
	}
	if next.services == nil {
		next.services, next.subset = make(map[string][]string), make(map[string]int)
	}
	if d.Gone {
		delete(next.services, d.Service)
		delete(next.subset, d.Service)
	} else {
		eps := slices.Clone(next.services[d.Service])
		eps = slices.DeleteFunc(eps, func(e string) bool { return slices.Contains(d.Remove, e) })
		for _, e := range d.Add {
			if !slices.Contains(eps, e) {
				eps = append(eps, e)
			}
		}
		next.services[d.Service] = eps
		next.subset[d.Service] = min(len(eps), 20)
	}
	v.cur.Store(next)
	return next.version
}

// Update sends a delta and waits until readers can see it.
func (v *View) Update(ctx context.Context, d Delta) (uint64, error) {
	d.reply = make(chan uint64, 1)
	select {
	case v.deltas <- d:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	select {
	case ver := <-d.reply:
		return ver, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// Pick returns an endpoint of a service.
func (v *View) Pick(service string) (string, error) {
	s := v.cur.Load()
	eps, ok := s.services[service]
	if !ok || len(eps) == 0 {
		return "", fmt.Errorf("%w: %s at version %d", ErrUnknown, service, s.version)
	}
	return eps[rand.IntN(s.subset[service])], nil
}

// Version returns the number of the newest snapshot.
func (v *View) Version() uint64 { return v.cur.Load().version }
