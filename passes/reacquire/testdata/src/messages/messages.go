// Package messages has one report of each wording. The test knows the lines.
package messages

import "sync"

type Level struct {
	mu  sync.Mutex
	n   int
	top int
}

func (l *Level) Get() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n
}

func (l *Level) Set(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n = n
}

type Dam struct {
	mu   sync.Mutex
	l    *Level
	own  *inner
	open bool
}

func (d *Dam) Raise(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	old := d.l.Get()
	d.l.Set(old + n)
}

func (d *Dam) Sum(rounds int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	sum := 0
	for i := 0; i < rounds; i++ {
		sum += d.l.Get()
	}
	return sum
}

func (d *Dam) Diff() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.diff()
}

func (d *Dam) diff() int {
	old := d.l.Get()
	return d.l.Get() - old
}

func (d *Dam) Reset() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.l.Set(0)
	d.l.Set(1)
}

func (d *Dam) ResetAll(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for range n {
		d.l.Set(0)
	}
}

type inner struct {
	mu sync.Mutex
	n  int
}

func (i *inner) get() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.n
}

func (i *inner) set(n int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.n = n
}

func (d *Dam) Own(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	old := d.own.get()
	d.own.set(old + n)
}

func (d *Dam) Two(a, b *Level) {
	d.mu.Lock()
	defer d.mu.Unlock()
	a.Set(1)
	b.Set(1)
}

var (
	damMu   sync.Mutex
	levelMu sync.Mutex
	level   int
)

func getLevel() int {
	levelMu.Lock()
	defer levelMu.Unlock()
	return level
}

func SetLevel(n int) {
	levelMu.Lock()
	defer levelMu.Unlock()
	level = n
}

func Drift() int {
	damMu.Lock()
	defer damMu.Unlock()
	old := getLevel()
	return getLevel() - old
}
