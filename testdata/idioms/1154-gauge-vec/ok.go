// Correct: a miss of Load is followed by LoadOrStore, and everybody uses the
// gauge that is in the map, so one made in vain is never written to. Add and
// SetMax read, compute and write, but write by CompareAndSwap and start over
// if the bits have changed.
package ok

import (
	"math"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
)

// Gauge is a number that goes up and down.
type Gauge struct {
	labels []string
	bits   atomic.Uint64
}

func (g *Gauge) Value() float64 { return math.Float64frombits(g.bits.Load()) }

func (g *Gauge) Set(v float64) { g.bits.Store(math.Float64bits(v)) }

// Add adds d, which may be negative.
func (g *Gauge) Add(d float64) {
	for {
		old := g.bits.Load()
		sum := math.Float64bits(math.Float64frombits(old) + d)
		if g.bits.CompareAndSwap(old, sum) {
			return
		}
	}
}

// SetMax raises the gauge to v if it is lower.
func (g *Gauge) SetMax(v float64) {
	for old := g.bits.Load(); math.Float64frombits(old) < v; old = g.bits.Load() {
		if g.bits.CompareAndSwap(old, math.Float64bits(v)) {
			return
		}
	}
}

// GaugeVec has a gauge for each set of label values.
type GaugeVec struct {
	name   string
	gauges sync.Map // string -> *Gauge
}

func NewGaugeVec(name string) *GaugeVec { return &GaugeVec{name: name} }

// With returns the gauge for the values.
func (v *GaugeVec) With(values ...string) *Gauge {
	key := strings.Join(values, "\xff")
	if g, ok := v.gauges.Load(key); ok {
		return g.(*Gauge)
	}
	fresh := &Gauge{labels: append([]string(nil), values...)}
	g, _ := v.gauges.LoadOrStore(key, fresh)
	return g.(*Gauge)
}

// Sample is a gauge as it is shown.
type Sample struct {
	Labels []string
	Value  float64
}

// Collect returns all gauges in order.
func (v *GaugeVec) Collect() []Sample {
	var out []Sample
	v.gauges.Range(func(_, g any) bool {
		gauge := g.(*Gauge)
		out = append(out, Sample{Labels: gauge.labels, Value: gauge.Value()})
		return true
	})
	sort.Slice(out, func(i, j int) bool {
		return strings.Join(out[i].Labels, "\xff") < strings.Join(out[j].Labels, "\xff")
	})
	return out
}
