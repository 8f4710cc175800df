package a

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// ErrContended is returned when a plan changed too often to be improved.
var ErrContended = errors.New("planner: plan keeps changing")

// Stop is one address on a waste collection tour.
type Stop struct {
	Address string
	Bins    int
}

// Optimizer returns a better order of the stops.
type Optimizer interface {
	Improve(stops []Stop) ([]Stop, error)
}

// Plan is the tour of one truck.
type Plan struct {
	mu      sync.Mutex
	stops   []Stop
	version uint64
	opt     Optimizer
}

// NewPlan returns an empty tour.
func NewPlan(opt Optimizer) *Plan { return &Plan{opt: opt} }

// Append adds a stop at the end of the tour.
func (p *Plan) Append(s Stop) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stops = append(p.stops, s)
	p.version++
}

// Skip removes the stop with the given address.
func (p *Plan) Skip(address string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.stops, func(s Stop) bool { return s.Address == address })
	if i < 0 {
		return false
	}
	p.stops = slices.Delete(p.stops, i, i+1)
	p.version++
	return true
}

// Snapshot returns a copy of the tour and its version.
func (p *Plan) Snapshot() ([]Stop, uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.stops), p.version
}

// replace installs the stops if the plan still has the given version.
func (p *Plan) replace(stops []Stop, version uint64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.version != version {
		return false
	}
	p.stops = stops
	p.version++
	return true
}

// Optimize reorders the tour. The optimizer takes seconds, so that it runs
// without the lock.
func (p *Plan) Optimize(attempts int) error {
	for range attempts {
		stops, version := p.Snapshot()
		if len(stops) < 3 {
			return nil
		}
		better, err := p.opt.Improve(stops)
		if err != nil {
			return fmt.Errorf("optimize %d stops: %w", len(stops), err)
		}
		if p.replace(slices.Clone(better), version) {
			return nil
		}
	}
	return ErrContended
}
