// Package a loads geofences on first use.
package a

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"sync"
)

// Point is a position in micro degrees.
type Point struct{ Lat, Lon int64 }

// Fence is a named polygon.
type Fence struct {
	Name   string
	Points []Point
}

// Registry caches fences which live in files.
type Registry struct {
	files fs.FS

	mu     sync.RWMutex
	fences map[string]*Fence
	loads  int
}

// NewRegistry returns a registry for the fences in files.
func NewRegistry(files fs.FS) *Registry {
	return &Registry{files: files, fences: make(map[string]*Fence)}
}

func (r *Registry) lookup(name string) *Fence {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.fences[name]
}

// Fence returns the fence with the name; all callers share one copy.
func (r *Registry) Fence(name string) (*Fence, error) {
	if f := r.lookup(name); f != nil {
		return f, nil
	}

	text, err := fs.ReadFile(r.files, name+".poly")
	if err != nil {
		return nil, fmt.Errorf("fence %s: %w", name, err)
	}
	pts, err := parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("fence %s: %w", name, err)
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	if f := r.fences[name]; f != nil {
		return f, nil
	}
	f := &Fence{Name: name, Points: pts}
	r.fences[name] = f
	r.loads++
	return f, nil
}

// Loads returns the number of fences in memory.
func (r *Registry) Loads() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.loads
}

func parse(text string) ([]Point, error) {
	var pts []Point
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		a, b, ok := strings.Cut(line, ",")
		if !ok {
			return nil, fmt.Errorf("line %d: no comma", i+1)
		}
		lat, err := strconv.ParseInt(strings.TrimSpace(a), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		lon, err := strconv.ParseInt(strings.TrimSpace(b), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		pts = append(pts, Point{lat, lon})
	}
	return pts, nil
}
