// Package a surveys the turbines of a wind farm.
package a

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// Reader fetches the current output of one turbine in watts.
type Reader interface {
	Output(ctx context.Context, turbine string) (int64, error)
}

// Farm is a set of turbines behind one controller.
type Farm struct {
	name     string
	turbines []string
	reader   Reader
}

// Survey is the outcome of polling all turbines once.
type Survey struct {
	Peak   int64
	Total  int64
	Failed int64
}

// NewFarm returns a farm of the given turbines.
func NewFarm(name string, r Reader, turbines ...string) (*Farm, error) {
	if len(turbines) == 0 {
		return nil, errors.New("farm has no turbines")
	}
	return &Farm{name: name, reader: r, turbines: turbines}, nil
}

// each runs fn for every turbine, in parallel, and waits for all of them.
func (f *Farm) each(fn func(turbine string)) {
	var wg sync.WaitGroup
	for _, t := range f.turbines {
		wg.Add(1)
		go func() {
			defer wg.Done()
			fn(t)
		}()
	}
	wg.Wait()
}

// Poll asks all turbines for their output.
func (f *Farm) Poll(ctx context.Context) (Survey, error) {
	var peak, total, failed atomic.Int64
	f.each(func(turbine string) {
		w, err := f.reader.Output(ctx, turbine)
		if err != nil {
			failed.Add(1)
			return
		}
		total.Add(w)
		if w > peak.Load() {
			peak.Store(w)
		}
	})
	s := Survey{Peak: peak.Load(), Total: total.Load(), Failed: failed.Load()}
	if int(s.Failed) == len(f.turbines) {
		return s, fmt.Errorf("farm %s: no turbine answered", f.name)
	}
	return s, nil
}

// Mean is the average output of the turbines that answered.
func (s Survey) Mean(turbines int) float64 {
	n := int64(turbines) - s.Failed
	if n <= 0 {
		return 0
	}
	return float64(s.Total) / float64(n)
}

// Size is the number of turbines.
func (f *Farm) Size() int { return len(f.turbines) }
