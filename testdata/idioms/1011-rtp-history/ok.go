// Package history keeps sent RTP packets for retransmission and for viewers
// that join in the middle of a group of pictures.
package history

import (
	"context"
	"sync"
)

// Packet is a sent packet. Its payload is never changed.
type Packet struct {
	Seq     uint16
	Key     bool // starts a group of pictures
	Payload []byte
}

// Track is the history of one media track. The sender adds to it while the
// RTCP readers of the viewers ask for packets.
type Track struct {
	size int

	mu      sync.RWMutex
	packets []Packet // in order of sending
	live    map[chan Packet]struct{}
}

// NewTrack returns a track that remembers size packets.
func NewTrack(size int) *Track {
	return &Track{size: max(size, 1), live: make(map[chan Packet]struct{})}
}

// Len returns the number of packets that are remembered.
func (t *Track) Len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.packets)
}

// Add remembers a packet and passes it on to the viewers.
func (t *Track) Add(p Packet) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.packets) == t.size {
		copy(t.packets, t.packets[1:])
		t.packets = t.packets[:t.size-1]
	}
	t.packets = append(t.packets, p)
	for ch := range t.live {
		select {
		case ch <- p:
		default: // the viewer asks again with a NACK
		}
	}
}

// Resend returns the packets with the given numbers that are still there.
func (t *Track) Resend(seqs []uint16) []Packet {
	want := make(map[uint16]bool, len(seqs))
	for _, s := range seqs {
		want[s] = true
	}
	out := make([]Packet, 0, min(len(want), t.Len()))
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, p := range t.packets {
		if want[p.Seq] {
			out = append(out, p)
		}
	}
	return out
}

// Join returns the packets since the last key frame and the channel on which
// the following ones come until the context ends.
func (t *Track) Join(ctx context.Context) ([]Packet, <-chan Packet) {
	ch := make(chan Packet, 128)
	backlog := make([]Packet, 0, t.Len())

	t.mu.Lock()
	for _, p := range t.packets {
		if p.Key {
			backlog = backlog[:0]
		}
		backlog = append(backlog, p)
	}
	t.live[ch] = struct{}{}
	t.mu.Unlock()

	go func() {
		<-ctx.Done()
		t.mu.Lock()
		delete(t.live, ch)
		t.mu.Unlock()
		close(ch)
	}()
	return backlog, ch
}
