// Package blend mixes the readings of a source with a local gain and shows
// the result on a panel.
package blend

import (
	"fmt"
	"sync"
)

// Scene is what a panel shows.
type Scene struct {
	Source  string
	Levels  map[string]float64
	Limited bool
}

// Panel shows scenes. A Panel belongs to the owner of the Mixer, who takes it
// down right after Mixer.Close: Show must not be called from then on.
type Panel interface {
	Show(Scene)
}

// Reading is a report of a Source.
type Reading struct {
	Source string
	Levels map[string]float64
}

// Source is the producer of the readings. It calls Mixer.Push, from any
// goroutine, also while it is being stopped.
type Source interface {
	Start(push func(Reading))
	Stop()
}

// Gain is the configuration of a Mixer.
type Gain struct {
	Factor float64
	Limit  float64
}

// event is a signal that happens once.
type event struct {
	once sync.Once
	c    chan struct{}
}

func newEvent() *event { return &event{c: make(chan struct{})} }

func (e *event) fire() { e.once.Do(func() { close(e.c) }) }

func (e *event) done() <-chan struct{} { return e.c }

func (e *event) hasFired() bool {
	select {
	case <-e.c:
		return true
	default:
		return false
	}
}

// inbox is an unbounded queue that is read through a channel. A reader calls
// next after every receive.
type inbox struct {
	c       chan any
	mu      sync.Mutex
	backlog []any
}

func newInbox() *inbox { return &inbox{c: make(chan any, 1)} }

func (b *inbox) put(v any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.backlog) == 0 {
		select {
		case b.c <- v:
			return
		default:
		}
	}
	b.backlog = append(b.backlog, v)
}

func (b *inbox) next() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.backlog) == 0 {
		return
	}
	select {
	case b.c <- b.backlog[0]:
		b.backlog[0] = nil
		b.backlog = b.backlog[1:]
	default:
	}
}

func (b *inbox) get() <-chan any { return b.c }

// Mixer connects one source to a panel. The exported methods are called by the
// owner, one at a time; Push is the exception.
type Mixer struct {
	panel   Panel
	source  Source
	updates *inbox
	closed  *event

	gain Gain // last gain handed to run, owner only

	// The following belong to the run goroutine.
	cur  Gain
	last *Reading
}

// NewMixer starts src and shows its readings on p.
func NewMixer(p Panel, src Source, g Gain) *Mixer {
	m := &Mixer{
		panel:   p,
		source:  src,
		updates: newInbox(),
		closed:  newEvent(),
		gain:    g,
		cur:     g,
	}
	go m.run()
	src.Start(m.Push)
	return m
}

// SetGain changes the gain. The panel is brought up to date asynchronously.
func (m *Mixer) SetGain(g Gain) error {
	if m.closed.hasFired() {
		return fmt.Errorf("set gain on a closed mixer")
	}
	if g.Factor < 0 {
		return fmt.Errorf("negative gain %v", g.Factor)
	}
	if g == m.gain {
		return nil
	}
	m.gain = g
	m.updates.put(g)
	return nil
}

// Push takes a reading from the source. The panel is not called inline, as
// the source may hold its own locks here.
func (m *Mixer) Push(r Reading) {
	m.updates.put(r)
}

// Close stops the source and ends the mixer.
func (m *Mixer) Close() {
	if m.source != nil {
		m.source.Stop()
		m.source = nil
	}
	m.closed.fire()
}

func (m *Mixer) run() {
	for {
		select {
		case u := <-m.updates.get():
			m.updates.next()
			switch u := u.(type) {
			case Reading:
				m.last = &u
				m.panel.Show(m.scene())
			case Gain:
				m.cur = u
				if m.last != nil {
					m.panel.Show(m.scene())
				}
			}
		case <-m.closed.done():
			return
		}
	}
}

// scene applies the gain to the last reading.
func (m *Mixer) scene() Scene {
	s := Scene{
		Source: m.last.Source,
		Levels: make(map[string]float64, len(m.last.Levels)),
	}
	for name, v := range m.last.Levels {
		v *= m.cur.Factor
		if m.cur.Limit > 0 && v > m.cur.Limit {
			v = m.cur.Limit
			s.Limited = true
		}
		s.Levels[name] = v
	}
	return s
}
