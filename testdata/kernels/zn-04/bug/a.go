package a

import (
	"fmt"
	"sync"
	"time"
)

// Box holds a value that several goroutines use.
type Box[T any] struct {
	mu sync.RWMutex
	v  T
}

func (b *Box[T]) Get() T {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.v
}

func (b *Box[T]) Set(v T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.v = v
}

func (b *Box[T]) Update(fn func(v *T)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fn(&b.v)
}

type bedState struct {
	moisture  float64
	litres    float64
	waterings int
	lastWater time.Time
}

// Bed is one bed of a greenhouse.
type Bed struct {
	name  string
	want  float64
	state Box[bedState]
	valve func(open bool)
}

func NewBed(name string, want float64, valve func(bool)) *Bed {
	return &Bed{name: name, want: want, valve: valve}
}

// Sense stores a measurement of the soil probe.
func (b *Bed) Sense(moisture float64) {
	b.state.Update(func(s *bedState) {
		s.moisture = moisture
	})
}

// Water opens the valve for the given amount.
func (b *Bed) Water(litres float64, d time.Duration) {
	b.valve(true)
	time.Sleep(d)
	b.valve(false)

	s := b.state.Get()
	s.litres += litres
	s.waterings++
	s.lastWater = time.Now()
	b.state.Set(s)
}

// Dry tells whether the bed wants water.
func (b *Bed) Dry() bool {
	return b.state.Get().moisture < b.want
}

// Reset forgets the totals, at the start of a season.
func (b *Bed) Reset() {
	b.state.Set(bedState{})
}

func (b *Bed) String() string {
	s := b.state.Get()
	return fmt.Sprintf("%s: %.1f%%, %.1f l in %d waterings", b.name, s.moisture, s.litres, s.waterings)
}
