// Package presence tells who is online in the chat.
package presence

import (
	"context"
	"hash/maphash"
	"sync"
	"time"
)

// Kind is what happened to a user.
type Kind string

const (
	Online  Kind = "online"
	Offline Kind = "offline"
)

// Event is one change of presence.
type Event struct {
	User string
	Kind Kind
	At   time.Time
}

// Sink receives the events in order for each user.
type Sink interface {
	Publish(ctx context.Context, evs []Event) error
}

const shards = 16

type shard struct {
	sync.Mutex
	lastSeen map[string]time.Time
	outbox   []Event
}

// Hub tracks heartbeats.
type Hub struct {
	ttl  time.Duration
	sink Sink
	seed maphash.Seed
	sh   [shards]*shard
}

// NewHub returns a hub that considers users gone ttl after their last beat.
func NewHub(sink Sink, ttl time.Duration) *Hub {
	h := &Hub{ttl: ttl, sink: sink, seed: maphash.MakeSeed()}
	for i := range h.sh {
		h.sh[i] = &shard{lastSeen: make(map[string]time.Time)}
	}
	return h
}

func (h *Hub) shardOf(user string) *shard {
	return h.sh[maphash.String(h.seed, user)%shards]
}

// Beat notes a heartbeat of user.
func (h *Hub) Beat(user string) {
	sh := h.shardOf(user)
	sh.Lock()
	defer sh.Unlock()
	now := time.Now()
	if _, ok := sh.lastSeen[user]; !ok {
		sh.emit(user, Online, now)
	}
	sh.lastSeen[user] = now
}

// Online reports whether user is online.
func (h *Hub) Online(user string) bool {
	sh := h.shardOf(user)
	sh.Lock()
	defer sh.Unlock()
	_, ok := sh.lastSeen[user]
	return ok
}

// emit queues an event; the shard is locked.
func (sh *shard) emit(user string, k Kind, at time.Time) {
	sh.outbox = append(sh.outbox, Event{User: user, Kind: k, At: at})
}

func (sh *shard) stale(cutoff time.Time) []string {
	sh.Lock()
	defer sh.Unlock()
	var out []string
	for user, seen := range sh.lastSeen {
		if seen.Before(cutoff) {
			out = append(out, user)
		}
	}
	return out
}

func (sh *shard) expire(user string) {
	sh.Lock()
	defer sh.Unlock()
	if _, ok := sh.lastSeen[user]; !ok {
		return
	}
	delete(sh.lastSeen, user)
	sh.emit(user, Offline, time.Now())
}

func (sh *shard) takeOutbox() []Event {
	sh.Lock()
	defer sh.Unlock()
	evs := sh.outbox
	sh.outbox = nil
	return evs
}

// sweep expires users in small steps so that beats are not held up.
func (h *Hub) sweep(now time.Time) {
	cutoff := now.Add(-h.ttl)
	for _, sh := range h.sh {
		for _, user := range sh.stale(cutoff) {
			sh.expire(user)
		}
	}
}

// Run sweeps and publishes until ctx ends. It is called once.
func (h *Hub) Run(ctx context.Context) {
	sweep := time.NewTicker(h.ttl / 2)
	defer sweep.Stop()
	flush := time.NewTicker(100 * time.Millisecond)
	defer flush.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-sweep.C:
			h.sweep(now)
		case <-flush.C:
			for _, sh := range h.sh {
				if evs := sh.takeOutbox(); len(evs) > 0 {
					_ = h.sink.Publish(ctx, evs)
				}
			}
		}
	}
}
