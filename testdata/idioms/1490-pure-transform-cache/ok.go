package namemangle

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
)

const (
	sweepEvery = 60
	idleLimit  = 300
	maxKeyLen  = 256
)

type mangled struct {
	lastUse atomic.Int64
	s       string
}

// Mangler remembers the results of a function from strings to strings. The
// function must return the same result for the same input.
type Mangler struct {
	lastSweep atomic.Int64
	m         sync.Map
	fn        func(string) string
}

// NewMangler returns a mangler for fn.
func NewMangler(fn func(string) string) *Mangler {
	mg := &Mangler{fn: fn}
	mg.lastSweep.Store(time.Now().Unix())
	return mg
}

// Apply returns fn(s).
func (mg *Mangler) Apply(s string) string {
	if len(s) > maxKeyLen {
		return mg.fn(s)
	}
	now := time.Now().Unix()
	if v, ok := mg.m.Load(s); ok {
		e := v.(*mangled)
		if e.lastUse.Load()+10 < now {
			e.lastUse.Store(now)
		}
		return e.s
	}
	res := mg.fn(s)
	e := &mangled{s: strings.Clone(res)}
	e.lastUse.Store(now)
	mg.m.Store(strings.Clone(s), e)

	if mg.sweepDue(now) {
		mg.sweep(now - idleLimit)
	}
	return res
}

func (mg *Mangler) sweepDue(now int64) bool {
	last := mg.lastSweep.Load()
	return last+sweepEvery < now && mg.lastSweep.CompareAndSwap(last, now)
}

func (mg *Mangler) sweep(deadline int64) {
	mg.m.Range(func(k, v any) bool {
		if v.(*mangled).lastUse.Load() < deadline {
			mg.m.Delete(k)
		}
		return true
	})
}

var metricNames = NewMangler(func(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == ':' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, s)
})

// Row is one parsed line.
type Row struct {
	Metric string
	Value  float64
}

// Sanitize fixes the names of all rows, blocks of rows at a time.
func Sanitize(blocks [][]Row) {
	var wg sync.WaitGroup
	for _, rows := range blocks {
		wg.Go(func() {
			for i := range rows {
				rows[i].Metric = metricNames.Apply(rows[i].Metric)
			}
		})
	}
	wg.Wait()
}
