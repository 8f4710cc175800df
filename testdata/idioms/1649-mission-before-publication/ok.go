package a

import (
	"errors"
	"fmt"
	"sync"
)

type Waypoint struct {
	Lat, Lon float64
	Alt      int
}

type Mission struct {
	mu    sync.Mutex
	name  string
	route []Waypoint
	at    int
	maxM  int
}

func (m *Mission) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.route)
}

func (m *Mission) Ceiling() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.maxM
}

func (m *Mission) setCeiling(alt int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.maxM = alt
}

func (m *Mission) add(w Waypoint) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.route = append(m.route, w)
}

// Next moves on to the next waypoint; the pilot and the autopilot call it.
func (m *Mission) Next() (Waypoint, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.at == len(m.route) {
		return Waypoint{}, false
	}
	w := m.route[m.at]
	m.at++
	return w, true
}

type Control struct {
	limit int

	mu       sync.Mutex
	missions map[string]*Mission
}

func NewControl(limit int) *Control {
	return &Control{limit: limit, missions: make(map[string]*Mission)}
}

func (c *Control) Plan(name string, points []Waypoint) (*Mission, error) {
	m := &Mission{name: name}
	for _, w := range points {
		if m.Len() >= c.limit {
			return nil, fmt.Errorf("mission %s: more than %d waypoints", name, c.limit)
		}
		m.add(w)
		if w.Alt > m.Ceiling() {
			m.setCeiling(w.Alt)
		}
	}
	if m.Len() == 0 {
		return nil, errors.New("mission without waypoints")
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.missions[name]; ok {
		return nil, fmt.Errorf("mission %s exists", name)
	}
	c.missions[name] = m
	return m, nil
}

func (c *Control) Mission(name string) (*Mission, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m, ok := c.missions[name]
	return m, ok
}

func (c *Control) Finish(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.missions, name)
}
