// Package retain truncates a replicated log behind its slowest follower.
package retain

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrUnknown is returned for followers that the leader does not have.
var ErrUnknown = errors.New("retain: unknown follower")

type segmentLog struct {
	mu    sync.RWMutex
	base  uint64
	items [][]byte
}

func (s *segmentLog) append(b []byte) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items = append(s.items, b)
	return s.base + uint64(len(s.items)) - 1
}

// read returns up to n entries from the first retained one at or after from.
func (s *segmentLog) read(from uint64, n int) (uint64, [][]byte) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	from = max(from, s.base)
	i := from - s.base
	if i >= uint64(len(s.items)) {
		return from, nil
	}
	rest := s.items[i:]
	out := make([][]byte, min(n, len(rest)))
	copy(out, rest)
	return from, out
}

func (s *segmentLog) truncateBefore(off uint64) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if off <= s.base {
		return 0
	}
	n := min(off-s.base, uint64(len(s.items)))
	s.items = append([][]byte(nil), s.items[n:]...)
	s.base += n
	return int(n)
}

// Leader owns the log and knows how far each follower has got. The set of
// followers is fixed for the life of a leader.
type Leader struct {
	log segmentLog

	ackMu sync.Mutex
	acks  map[string]uint64 // next offset that the follower needs
}

// NewLeader returns a leader with an empty log.
func NewLeader(followers ...string) *Leader {
	l := &Leader{acks: make(map[string]uint64)}
	for _, f := range followers {
		l.acks[f] = 0
	}
	return l
}

// Propose appends an entry.
func (l *Leader) Propose(entry []byte) uint64 { return l.log.append(entry) }

// Fetch returns up to n entries that follower lacks, and their first offset.
func (l *Leader) Fetch(follower string, n int) (uint64, [][]byte, error) {
	l.ackMu.Lock()
	from, ok := l.acks[follower]
	l.ackMu.Unlock()
	if !ok {
		return 0, nil, ErrUnknown
	}
	first, entries := l.log.read(from, n)
	return first, entries, nil
}

// Ack records that follower has stored everything before next.
func (l *Leader) Ack(follower string, next uint64) error {
	l.ackMu.Lock()
	defer l.ackMu.Unlock()
	cur, ok := l.acks[follower]
	if !ok {
		return ErrUnknown
	}
	if next > cur {
		l.acks[follower] = next
	}
	return nil
}

func (l *Leader) lowWatermark() uint64 {
	l.ackMu.Lock()
	defer l.ackMu.Unlock()
	first := true
	var low uint64
	for _, next := range l.acks {
		if first || next < low {
			low, first = next, false
		}
	}
	return low
}

// Truncate drops entries that every follower has stored.
func (l *Leader) Truncate() int {
	low := l.lowWatermark()
	return l.log.truncateBefore(low)
}

// Run truncates periodically until ctx ends.
func (l *Leader) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			l.Truncate()
		}
	}
}
