package a

import (
	"errors"
	"sync"
	"sync/atomic"
)

// ErrEnded is returned by Subscribe after End.
var ErrEnded = errors.New("quake feed: ended")

// Quake is one seismic event.
type Quake struct {
	Region    string
	Magnitude float64
}

type subscriber struct {
	out    chan Quake
	min    float64
	missed atomic.Int64
}

// Feed passes seismic events on to its subscribers.
type Feed struct {
	mu   sync.Mutex
	next int
	subs map[int]*subscriber // nil after End
}

// NewFeed returns a feed without subscribers.
func NewFeed() *Feed { return &Feed{subs: make(map[int]*subscriber)} }

// Subscribe asks for events of at least the given magnitude.
func (f *Feed) Subscribe(min float64) (int, <-chan Quake, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.subs == nil {
		return 0, nil, ErrEnded
	}
	f.next++
	s := &subscriber{out: make(chan Quake, 16), min: min}
	f.subs[f.next] = s
	return f.next, s.out, nil
}

// detach takes a subscriber out of the feed.
func (f *Feed) detach(id int) (*subscriber, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, ok := f.subs[id]
	delete(f.subs, id)
	return s, ok
}

// Unsubscribe ends a subscription and returns how many events it missed. It
// may be called more than once.
func (f *Feed) Unsubscribe(id int) int64 {
	s, ok := f.detach(id)
	if !ok {
		return 0
	}
	close(s.out)
	return s.missed.Load()
}

// Publish offers an event to the subscribers; it never blocks on one.
func (f *Feed) Publish(q Quake) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.subs {
		if q.Magnitude < s.min {
			continue
		}
		select {
		case s.out <- q:
		default:
			s.missed.Add(1)
		}
	}
}

// End ends all subscriptions.
func (f *Feed) End() {
	f.mu.Lock()
	subs := f.subs
	f.subs = nil
	f.mu.Unlock()
	for _, s := range subs {
		close(s.out)
	}
}
