// Package follower replicates a partition from its leader.
package follower

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// ErrTruncated is returned by a leader that no longer has the offset.
var ErrTruncated = errors.New("follower: offset truncated on leader")

// Leader serves batches.
type Leader interface {
	Fetch(ctx context.Context, from int64) (batch [][]byte, highWatermark int64, err error)
	Earliest(ctx context.Context) (int64, error)
}

// Sink is the local log.
type Sink interface {
	AppendAt(offset int64, batch [][]byte) error
	Reset(offset int64) error
}

// Progress is what the admin page shows.
type Progress struct {
	Offset        int64
	HighWatermark int64
	LastFetch     time.Time
}

// Follower copies one partition.
type Follower struct {
	leader Leader
	sink   Sink

	mu sync.RWMutex
	p  Progress
}

// Start begins to replicate from an offset until ctx ends.
func Start(ctx context.Context, leader Leader, sink Sink, offset int64) *Follower {
	f := &Follower{leader: leader, sink: sink, p: Progress{Offset: offset}}
	go f.run(ctx)
	return f
}

// Progress returns how far the follower is.
func (f *Follower) Progress() Progress {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.p
}

func (f *Follower) setProgress(p Progress) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.p = p
}

func (f *Follower) pull(ctx context.Context) (int, error) {
	p := f.Progress()
	batch, hw, err := f.leader.Fetch(ctx, p.Offset)
	if errors.Is(err, ErrTruncated) {
		return 0, f.reset(ctx)
	}
	if err != nil {
		return 0, fmt.Errorf("fetch from %d: %w", p.Offset, err)
	}
	if err := f.sink.AppendAt(p.Offset, batch); err != nil {
		return 0, fmt.Errorf("append at %d: %w", p.Offset, err)
	}
	p.Offset += int64(len(batch))
	p.HighWatermark = hw
	p.LastFetch = time.Now()
	f.setProgress(p)
	return len(batch), nil
}

// reset starts over at the leader's first offset.
func (f *Follower) reset(ctx context.Context) error {
	first, err := f.leader.Earliest(ctx)
	if err != nil {
		return err
	}
	if err := f.sink.Reset(first); err != nil {
		return err
	}
	p := f.Progress()
	slog.Warn("follower reset", "from", p.Offset, "to", first)
	p.Offset = first
	f.setProgress(p)
	return nil
}

func (f *Follower) run(ctx context.Context) {
	for ctx.Err() == nil {
		n, err := f.pull(ctx)
		if err != nil {
			slog.Warn("replication", "err", err)
		}
		if n > 0 {
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}
