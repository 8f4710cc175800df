package a

import (
	"errors"
	"maps"
	"sync"
)

// errCompacted says that changes after a revision are no longer kept.
var errCompacted = errors.New("catalog: revision compacted")

// Change is a new value of a key.
type Change struct {
	Rev   int64
	Key   string
	Value string
}

// Log is a key-value store that keeps its last changes, so that followers
// can catch up.
type Log struct {
	keep int

	mu        sync.Mutex
	rev       int64
	data      map[string]string
	recent    []Change // the last changes; revisions without gaps up to rev
	followers map[*Follower]struct{}
}

// NewLog makes a store that keeps the given number of changes.
func NewLog(keep int) *Log {
	return &Log{
		keep:      keep,
		data:      make(map[string]string),
		followers: make(map[*Follower]struct{}),
	}
}

// Follower starts from Initial; all later changes are in Missed, then on C.
// C is closed when the follower is stopped or too slow.
type Follower struct {
	Initial map[string]string
	Missed  []Change

	log *Log
	ch  chan Change
}

// C delivers the changes that follow on Missed.
func (f *Follower) C() <-chan Change { return f.ch }

// Set changes a key.
func (l *Log) Set(key, value string) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rev++
	c := Change{Rev: l.rev, Key: key, Value: value}
	l.data[key] = value
	l.recent = append(l.recent, c)
	if len(l.recent) > l.keep {
		l.recent = l.recent[1:]
	}
	for f := range l.followers {
		select {
		case f.ch <- c:
		default:
			l.detachLocked(f)
		}
	}
	return l.rev
}

// Snapshot copies the content and says of which revision it is.
func (l *Log) Snapshot() (map[string]string, int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.data), l.rev
}

// attach registers a follower that knows everything up to rev.
func (l *Log) attach(f *Follower, rev int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	missed := int(l.rev - rev)
	if missed > len(l.recent) {
		return errCompacted
	}
	f.Missed = append([]Change(nil), l.recent[len(l.recent)-missed:]...)
	l.followers[f] = struct{}{}
	return nil
}

func (l *Log) detachLocked(f *Follower) {
	if _, ok := l.followers[f]; ok {
		delete(l.followers, f)
		close(f.ch)
	}
}

// Follow starts a follower. The first content is shown to accept, which may
// take its time; a follower that is not accepted is not registered.
func (l *Log) Follow(depth int, accept func(map[string]string) error) (*Follower, error) {
	for {
		f := &Follower{log: l, ch: make(chan Change, depth)}
		content, rev := l.Snapshot()
		if err := accept(content); err != nil {
			return nil, err
		}
		f.Initial = content
		if err := l.attach(f, rev); !errors.Is(err, errCompacted) {
			return f, err
		}
	}
}

// Stop ends the follower.
func (f *Follower) Stop() {
	f.log.mu.Lock()
	defer f.log.mu.Unlock()
	f.log.detachLocked(f)
}
