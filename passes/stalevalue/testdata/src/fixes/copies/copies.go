// Package copies clones what leaves a critical section.
package copies

import (
	"fmt"
	"sync"
)

type Table struct {
	mu    sync.Mutex
	list  []int
	names map[string]string
}

func (t *Table) Set(i, n int, name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list[i] = n
	t.names[name] = fmt.Sprint(n)
}

func (t *Table) Sum() (sum int) {
	t.mu.Lock()
	list := t.list
	t.mu.Unlock()
	for _, n := range list { // want `escape-ref`
		sum += n
	}
	return sum
}

func (t *Table) Each(f func(string)) {
	t.mu.Lock()
	names := t.names
	t.mu.Unlock()
	for _, name := range names { // want `escape-ref`
		f(name)
	}
}

// A part is not the whole: this has no fix.
func (t *Table) Tail() (sum int) {
	t.mu.Lock()
	list := t.list[1:]
	t.mu.Unlock()
	for _, n := range list { // want `escape-ref`
		sum += n
	}
	return sum
}

type Grid struct {
	mu    sync.Mutex
	cells []int
}

func (g *Grid) Set(i, n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.cells[i] = n
}

func (g *Grid) Get(i int) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.cells[i]
}

// What others do with the elements is not known: this has no fix.
func (g *Grid) Show(f func([]int)) {
	g.mu.Lock()
	cells := g.cells
	g.mu.Unlock()
	f(cells) // want `escape-ref`
}
