package escaped

import (
	"maps"
	"sync"
)

// Tally has a map that Count changes in place.
type Tally struct {
	Total  int
	ByName map[string]int
	hidden map[string]int
}

type Meter struct {
	mu    sync.Mutex
	tally Tally
}

func NewMeter() *Meter {
	return &Meter{tally: Tally{ByName: make(map[string]int), hidden: make(map[string]int)}}
}

func (m *Meter) Count(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tally.Total++
	m.tally.ByName[name]++
	m.tally.hidden[name]++
}

// Tally gives the map away with the copy of the struct.
func (m *Meter) Tally() Tally {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tally // want `escape-ref: m.tally.ByName was taken at line \d+ under m.mu and is returned here to callers without that lock`
}

// TallyCloned has a map of its own.
func (m *Meter) TallyCloned() Tally {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.tally
	t.ByName = maps.Clone(t.ByName)
	return t
}

func (m *Meter) copied() Tally {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tally
}

func (m *Meter) cloned() Tally {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.tally
	t.ByName, t.hidden = maps.Clone(t.ByName), maps.Clone(t.hidden)
	return t
}

func (m *Meter) Sum() (n int) {
	for _, v := range m.copied().ByName { // want `escape-ref: m.tally.ByName was taken at line \d+ under m.mu and is used here`
		n += v
	}
	return n
}

func (m *Meter) SumHidden() (n int) {
	m.mu.Lock()
	t := m.tally
	m.mu.Unlock()
	for _, v := range t.hidden { // want `escape-ref: m.tally.hidden was taken`
		n += v
	}
	return n
}

func (m *Meter) Print(print func(any)) {
	print(m.copied()) // want `escape-ref: m.tally.ByName was taken`
}

func (m *Meter) SumCloned() (n int) {
	for _, v := range m.cloned().ByName {
		n += v
	}
	return n
}

// Totals looks at nothing that is shared.
func (m *Meter) Totals(print func(int)) { print(m.copied().Total) }

// A Batcher fills one array again and again.
type Batcher struct {
	mu  sync.Mutex
	buf []int
	log []int
}

func (b *Batcher) Add(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.buf = append(b.buf, n)
	b.log = append(b.log, n)
}

func (b *Batcher) Flush(send func([]int)) {
	b.mu.Lock()
	batch := b.buf
	b.buf = b.buf[:0]
	b.mu.Unlock()
	send(batch) // want `escape-ref: b.buf was taken at line \d+ under b.mu and is used here after that was released, while \(\*Batcher\).Add changes elements of it in place`
}

// FlushLog leaves the array to the batch.
func (b *Batcher) FlushLog(send func([]int)) {
	b.mu.Lock()
	batch := b.log
	b.log = nil
	b.mu.Unlock()
	send(batch)
}

func total(t Tally) int { return t.Total }

// TotalOf hands on a copy to who does not look at the map.
func (m *Meter) TotalOf() int { return total(m.copied()) }
