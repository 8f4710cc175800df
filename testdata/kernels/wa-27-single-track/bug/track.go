package track

import (
	"sync"
	"time"
)

// line is the traffic in one direction.
type line struct {
	mu     sync.Mutex
	trains map[string]time.Time
}

func (l *line) empty() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.trains) == 0
}

func (l *line) add(train string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.trains == nil {
		l.trains = make(map[string]time.Time)
	}
	l.trains[train] = time.Now()
}

func (l *line) remove(train string) (since time.Time, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	since, ok = l.trains[train]
	delete(l.trains, train)
	return since, ok
}

// Section is a piece of single track: trains may follow each other, but never
// are there trains in both directions.
type Section struct {
	up, down line
}

func (s *Section) enter(train string, with, against *line) bool {
	if !against.empty() {
		return false
	}
	with.add(train)
	return true
}

// EnterUp asks for the section in the up direction; false means a red signal.
func (s *Section) EnterUp(train string) bool {
	return s.enter(train, &s.up, &s.down)
}

// EnterDown asks for the section in the down direction.
func (s *Section) EnterDown(train string) bool {
	return s.enter(train, &s.down, &s.up)
}

// Exit reports a train at either end and returns how long it took.
func (s *Section) Exit(train string) (time.Duration, bool) {
	for _, l := range []*line{&s.up, &s.down} {
		if since, ok := l.remove(train); ok {
			return time.Since(since), true
		}
	}
	return 0, false
}
