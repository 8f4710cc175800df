// Package replica streams the log of a leader to its followers.
package replica

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Peer is a follower. Append stores entries from position from on; entries it
// has already are ignored.
type Peer interface {
	Append(ctx context.Context, from int, entries [][]byte) error
}

// Leader owns an append-only log for the duration of its term.
type Leader struct {
	peers []Peer

	mu     sync.Mutex
	cond   *sync.Cond
	log    [][]byte
	match  []int // per peer: length of the prefix known to be stored
	commit int
}

// NewLeader returns a leader with the given followers.
func NewLeader(peers []Peer) *Leader {
	l := &Leader{peers: peers, match: make([]int, len(peers))}
	l.cond = sync.NewCond(&l.mu)
	return l
}

// Propose appends an entry and returns the log length that includes it.
func (l *Leader) Propose(entry []byte) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log = append(l.log, entry)
	l.advance()
	return len(l.log)
}

// Wait blocks until the first n entries are committed or ctx ends.
func (l *Leader) Wait(ctx context.Context, n int) error {
	stop := context.AfterFunc(ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.cond.Broadcast()
	})
	defer stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.commit < n {
		if err := ctx.Err(); err != nil {
			return err
		}
		l.cond.Wait()
	}
	return nil
}

// Commit returns the number of committed entries.
func (l *Leader) Commit() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.commit
}

// Run replicates with the given number of parallel senders per peer until ctx
// ends.
func (l *Leader) Run(ctx context.Context, senders int, idle time.Duration) {
	var wg sync.WaitGroup
	for i := range l.peers {
		for range senders {
			wg.Add(1)
			go func() {
				defer wg.Done()
				l.send(ctx, i, idle)
			}()
		}
	}
	wg.Wait()
}

func (l *Leader) send(ctx context.Context, i int, idle time.Duration) {
	for ctx.Err() == nil {
		from, batch := l.batch(i)
		if len(batch) > 0 && l.peers[i].Append(ctx, from, batch) == nil {
			l.acked(i, from+len(batch))
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(idle):
		}
	}
}

// batch returns the entries that peer i is not known to have.
func (l *Leader) batch(i int) (from int, entries [][]byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	from = l.match[i]
	return from, l.log[from:len(l.log):len(l.log)]
}

func (l *Leader) acked(i, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n <= l.match[i] {
		return
	}
	l.match[i] = n
	l.advance()
}

// advance recomputes the commit position. Callers hold mu.
func (l *Leader) advance() {
	have := append([]int{len(l.log)}, l.match...)
	slices.Sort(have)
	slices.Reverse(have)
	if n := have[len(have)/2]; n > l.commit {
		l.commit = n
		l.cond.Broadcast()
	}
}
