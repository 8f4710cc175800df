// Package line is Line.contains of ObjectDraw, from the paper about context and
// witness locks (Fig. 11).
//
// Line.Contains holds the line and asks the location twice for a distance. The
// location is locked in each of the two calls only, so Location.MoveTo may come
// between them: the distance to the start is that from the old place, the one to
// the end that from the new place, and a location that never was on the line is
// said to be on it.
package line

import (
	"math"
	"sync"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

type Point struct{ X, Y float64 }

func (p Point) distanceTo(q Point) float64 { return math.Hypot(p.X-q.X, p.Y-q.Y) }

// Location is a point that moves.
type Location struct {
	mu sync.Mutex
	at Point
}

func (l *Location) MoveTo(p Point) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at = p
}

func (l *Location) Position() Point {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at
}

func (l *Location) DistanceTo(p Point) float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at.distanceTo(p)
}

type Line struct {
	mu         sync.Mutex
	start, end Point
}

func (l *Line) SetEnd(p Point) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end = p
}

func (l *Line) Contains(p *Location) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	from := p.DistanceTo(l.start)
	pause()
	to := p.DistanceTo(l.end)
	return from+to == l.start.distanceTo(l.end)
}

func Run() {
	l := &Line{end: Point{X: 10}}
	p := &Location{at: Point{Y: 3}}
	var wg sync.WaitGroup
	wg.Go(func() { l.Contains(p) })
	wg.Go(func() { p.MoveTo(Point{X: 10, Y: 7}) })
	wg.Go(func() { l.SetEnd(Point{X: 20}) })
	wg.Wait()
}
