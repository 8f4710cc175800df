// Package offsets keeps the committed positions of consumer groups.
package offsets

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"sync/atomic"
	"time"
)

// cowMap is a map that readers see without locks.
type cowMap[K comparable, V any] struct {
	p atomic.Pointer[map[K]V]
}

// View returns the present map, which nobody changes.
func (m *cowMap[K, V]) View() map[K]V {
	if cur := m.p.Load(); cur != nil {
		return *cur
	}
	return nil
}

// Update replaces the value of k by what f makes of it; f returns false to leave it.
func (m *cowMap[K, V]) Update(k K, f func(old V, ok bool) (V, bool)) bool {
	next := maps.Clone(m.View())
	old, ok := next[k]
	v, change := f(old, ok)
	if !change {
		return false
	}
	if next == nil {
		next = make(map[K]V)
	}
	next[k] = v
	m.p.Store(&next)
	return true
}

// TopicPartition names one partition.
type TopicPartition struct {
	Topic     string
	Partition int
}

func (tp TopicPartition) String() string { return fmt.Sprintf("%s/%d", tp.Topic, tp.Partition) }

// Position is a committed offset.
type Position struct {
	Offset int64
	At     time.Time
	Member string
}

// Offsets holds the positions of one group.
type Offsets struct {
	group string
	byTP  cowMap[TopicPartition, Position]
	dirty chan struct{}
}

// New returns an empty set of offsets.
func New(group string) *Offsets {
	return &Offsets{group: group, dirty: make(chan struct{}, 1)}
}

// Commit records that a member has handled everything before offset.
// A commit that is behind the present position is ignored.
func (o *Offsets) Commit(tp TopicPartition, offset int64, member string) bool {
	moved := o.byTP.Update(tp, func(old Position, ok bool) (Position, bool) {
		if ok && old.Offset >= offset {
			return old, false
		}
		return Position{Offset: offset, At: time.Now(), Member: member}, true
	})
	if moved {
		select {
		case o.dirty <- struct{}{}:
		default:
		}
	}
	return moved
}

// Committed returns the position of one partition.
func (o *Offsets) Committed(tp TopicPartition) (int64, bool) {
	p, ok := o.byTP.View()[tp]
	return p.Offset, ok
}

// Lag sums up how far the group is behind the given ends.
func (o *Offsets) Lag(ends map[TopicPartition]int64) int64 {
	var lag int64
	view := o.byTP.View()
	for tp, end := range ends {
		lag += end - view[tp].Offset
	}
	return lag
}

// Persist writes the positions after each change until ctx ends.
func (o *Offsets) Persist(ctx context.Context, w io.Writer) error {
	enc := json.NewEncoder(w)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-o.dirty:
		}
		out := make(map[string]int64)
		for tp, p := range o.byTP.View() {
			out[tp.String()] = p.Offset
		}
		if err := enc.Encode(map[string]any{"group": o.group, "offsets": out}); err != nil {
			return fmt.Errorf("offsets: persist: %w", err)
		}
	}
}
