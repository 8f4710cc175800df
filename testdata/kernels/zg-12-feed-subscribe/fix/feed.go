// Package feed keeps the most recent changes of a primary and streams them to
// its followers.
package feed

import (
	"errors"
	"sync"
)

var (
	// ErrTooOld means that a follower needs changes that are gone; it has to
	// copy the whole data set.
	ErrTooOld = errors.New("feed: changes are no longer available")
	// ErrClosed is returned by a closed feed.
	ErrClosed = errors.New("feed: closed")
)

// Change is one write on the primary.
type Change struct {
	Seq   uint64
	Key   string
	Value []byte
}

// Subscription is the stream of one follower.
type Subscription struct {
	feed *Feed
	c    chan Change
}

// C delivers the changes in order. It is closed when the subscription ends,
// which includes that the follower was too slow: it is then to subscribe again
// after the last change that it has.
func (s *Subscription) C() <-chan Change { return s.c }

// Cancel ends the subscription.
func (s *Subscription) Cancel() {
	s.feed.mu.Lock()
	defer s.feed.mu.Unlock()
	s.feed.detach(s)
}

// Feed may be used by any number of goroutines.
type Feed struct {
	depth int
	queue int

	mu     sync.Mutex
	seq    uint64
	recent []Change // consecutive, ends with seq
	subs   map[*Subscription]struct{}
	closed bool
}

// New returns a feed that remembers depth changes and lets a follower fall
// behind by queue changes.
func New(depth, queue int) *Feed {
	return &Feed{depth: depth, queue: queue, subs: make(map[*Subscription]struct{})}
}

// Publish numbers a change and sends it to all followers.
func (f *Feed) Publish(key string, value []byte) (uint64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return 0, ErrClosed
	}
	f.seq++
	ch := Change{Seq: f.seq, Key: key, Value: value}
	f.recent = append(f.recent, ch)
	if len(f.recent) > f.depth {
		f.recent = append([]Change(nil), f.recent[len(f.recent)-f.depth:]...)
	}
	for s := range f.subs {
		select {
		case s.c <- ch:
		default:
			f.detach(s)
		}
	}
	return f.seq, nil
}

// since returns the changes after seq. The caller holds f.mu.
func (f *Feed) since(seq uint64) ([]Change, error) {
	missing := f.seq - seq
	if seq > f.seq || missing > uint64(len(f.recent)) {
		return nil, ErrTooOld
	}
	tail := f.recent[len(f.recent)-int(missing):]
	return tail, nil
}

// attach adds a subscription to those that Publish serves. The caller holds
// f.mu.
func (f *Feed) attach(s *Subscription) error {
	if f.closed {
		return ErrClosed
	}
	f.subs[s] = struct{}{}
	return nil
}

// detach ends a subscription. The caller holds f.mu.
func (f *Feed) detach(s *Subscription) {
	if _, ok := f.subs[s]; ok {
		delete(f.subs, s)
		close(s.c)
	}
}

// Subscribe streams all changes after seq, those that were made before the
// call first.
func (f *Feed) Subscribe(seq uint64) (*Subscription, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	backlog, err := f.since(seq)
	if err != nil {
		return nil, err
	}
	s := &Subscription{feed: f, c: make(chan Change, len(backlog)+f.queue)}
	for _, ch := range backlog {
		s.c <- ch
	}
	if err := f.attach(s); err != nil {
		return nil, err
	}
	return s, nil
}

// Last returns the number of the latest change.
func (f *Feed) Last() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seq
}

// Close ends all subscriptions.
func (f *Feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for s := range f.subs {
		f.detach(s)
	}
}
