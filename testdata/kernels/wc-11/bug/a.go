// Package a records in which gallery of a museum each exhibit is.
package a

import (
	"errors"
	"fmt"
	"sync"
)

// Exhibit is one object of the collection.
type Exhibit struct {
	ID      string
	Title   string
	Insured int64
}

// Gallery is a room; galleries are numbered from 0.
type Gallery struct {
	number int

	mu       sync.Mutex
	exhibits map[string]Exhibit
}

// ErrNotThere is returned when an exhibit is not in the gallery.
var ErrNotThere = errors.New("exhibit is not in this gallery")

func (g *Gallery) take(id string) (Exhibit, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	e, ok := g.exhibits[id]
	if !ok {
		return Exhibit{}, fmt.Errorf("gallery %d, %s: %w", g.number, id, ErrNotThere)
	}
	delete(g.exhibits, id)
	return e, nil
}

func (g *Gallery) put(e Exhibit) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.exhibits[e.ID] = e
}

// Museum is a fixed number of galleries.
type Museum struct {
	galleries []*Gallery
}

// NewMuseum returns a museum with n empty galleries.
func NewMuseum(n int) *Museum {
	m := &Museum{}
	for i := range n {
		m.galleries = append(m.galleries, &Gallery{number: i, exhibits: make(map[string]Exhibit)})
	}
	return m
}

func (m *Museum) gallery(n int) (*Gallery, error) {
	if n < 0 || n >= len(m.galleries) {
		return nil, fmt.Errorf("no gallery %d", n)
	}
	return m.galleries[n], nil
}

// Hang puts a newly acquired exhibit into a gallery.
func (m *Museum) Hang(n int, e Exhibit) error {
	g, err := m.gallery(n)
	if err != nil {
		return err
	}
	g.put(e)
	return nil
}

// Move carries an exhibit from one gallery to another.
func (m *Museum) Move(id string, from, to int) error {
	src, err := m.gallery(from)
	if err != nil {
		return err
	}
	dst, err := m.gallery(to)
	if err != nil {
		return err
	}
	if src == dst {
		return nil
	}
	e, err := src.take(id)
	if err != nil {
		return err
	}
	dst.put(e)
	return nil
}

// InsuredValue is the value of all that is in the house. All galleries are
// held for the sum, so that it agrees with the number of exhibits.
func (m *Museum) InsuredValue() (exhibits int, value int64) {
	for _, g := range m.galleries {
		g.mu.Lock()
		defer g.mu.Unlock()
	}
	for _, g := range m.galleries {
		for _, e := range g.exhibits {
			exhibits++
			value += e.Insured
		}
	}
	return exhibits, value
}
