// Package election grants leadership of named shards for limited terms.
package election

import (
	"context"
	"sync"
	"time"
)

type Term struct {
	Leader string
	Epoch  uint64
	until  time.Time
}

type Board struct {
	sync.RWMutex
	terms map[string]Term
	ttl   time.Duration
}

func NewBoard(ttl time.Duration) *Board {
	return &Board{terms: make(map[string]Term), ttl: ttl}
}

func (t Term) live(now time.Time) bool { return now.Before(t.until) }

// Campaign tries to make node the leader of shard.
func (b *Board) Campaign(shard, node string) (Term, bool) {
	now := time.Now()

	b.RLock()
	cur := b.terms[shard]
	b.RUnlock()
	if cur.live(now) && cur.Leader != node {
		return cur, false
	}

	b.Lock()
	defer b.Unlock()
	cur = b.terms[shard]
	if cur.live(now) && cur.Leader != node {
		return cur, false
	}
	next := Term{Leader: node, Epoch: cur.Epoch + 1, until: now.Add(b.ttl)}
	b.terms[shard] = next
	return next, true
}

// Renew extends a term that is still in force.
func (b *Board) Renew(shard string, t Term) bool {
	now := time.Now()
	b.Lock()
	defer b.Unlock()
	cur, ok := b.terms[shard]
	if !ok || cur.Epoch != t.Epoch || !cur.live(now) {
		return false
	}
	cur.until = now.Add(b.ttl)
	b.terms[shard] = cur
	return true
}

// Resign ends the term early and keeps the epoch.
func (b *Board) Resign(shard string, t Term) {
	b.Lock()
	defer b.Unlock()
	cur, ok := b.terms[shard]
	if ok && cur.Epoch == t.Epoch {
		cur.until = time.Time{}
		b.terms[shard] = cur
	}
}

func (b *Board) Leader(shard string) (string, bool) {
	b.RLock()
	defer b.RUnlock()
	t, ok := b.terms[shard]
	return t.Leader, ok && t.live(time.Now())
}

// Run campaigns for shard and calls lead for as long as the term is held.
func (b *Board) Run(ctx context.Context, shard, node string, lead func(context.Context, uint64)) {
	tick := time.NewTicker(b.ttl / 3)
	defer tick.Stop()
	for ctx.Err() == nil {
		if term, ok := b.Campaign(shard, node); ok {
			b.serve(ctx, shard, term, tick.C, lead)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

func (b *Board) serve(ctx context.Context, shard string, t Term, tick <-chan time.Time, lead func(context.Context, uint64)) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		lead(ctx, t.Epoch)
	}()
	for ctx.Err() == nil && b.Renew(shard, t) {
		select {
		case <-done:
			cancel()
		case <-ctx.Done():
		case <-tick:
		}
	}
	cancel()
	<-done
	b.Resign(shard, t)
}
