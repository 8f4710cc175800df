// Package line_ok is Line.contains of ObjectDraw, from the paper about context and
// witness locks (Fig. 11), repaired.
//
// Line.Contains asks the location once for its place, and computes both distances
// from that. Location.MoveTo comes before or after.
package line_ok

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
	at := p.Position()
	from := at.distanceTo(l.start)
	pause()
	to := at.distanceTo(l.end)
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
