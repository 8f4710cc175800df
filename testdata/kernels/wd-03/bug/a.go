// Package a keeps the running order of a radio channel.
package a

import (
	"context"
	"errors"
	"slices"
	"sync"
)

var ErrNotListed = errors.New("playlist: track is not listed")

// Track is an item of the running order. A track is listed once.
type Track struct {
	ID      string
	Title   string
	Seconds int
}

// Rights decides whether a track may be withdrawn from the programme.
type Rights interface {
	MayWithdraw(ctx context.Context, id string) error
}

// Playlist is the running order; the player takes tracks from its front.
type Playlist struct {
	rights Rights

	mu     sync.RWMutex
	tracks []Track
	onAir  string
}

// New returns an empty running order.
func New(r Rights) *Playlist {
	return &Playlist{rights: r}
}

// Append puts a track at the end, unless it is listed already.
func (p *Playlist) Append(t Track) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.ContainsFunc(p.tracks, func(o Track) bool { return o.ID == t.ID }) {
		return false
	}
	p.tracks = append(p.tracks, t)
	return true
}

// Next takes the front of the list on air.
func (p *Playlist) Next() (Track, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.tracks) == 0 {
		return Track{}, false
	}
	t := p.tracks[0]
	p.tracks = slices.Delete(p.tracks, 0, 1)
	p.onAir = t.ID
	return t, true
}

// Withdraw removes a track that has not been played, if the rights office
// agrees.
func (p *Playlist) Withdraw(ctx context.Context, id string) error {
	i := p.position(id)
	if i < 0 {
		return ErrNotListed
	}
	if err := p.rights.MayWithdraw(ctx, id); err != nil {
		return err
	}
	if !p.cut(i) {
		return ErrNotListed
	}
	return nil
}

// position returns where a track stands, or -1.
func (p *Playlist) position(id string) int {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return slices.IndexFunc(p.tracks, func(t Track) bool { return t.ID == id })
}

// cut takes one track out of the list.
func (p *Playlist) cut(i int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i >= len(p.tracks) {
		return false
	}
	p.tracks = slices.Delete(p.tracks, i, i+1)
	return true
}

// Remaining returns the length of the programme in seconds.
func (p *Playlist) Remaining() int {
	p.mu.RLock()
	defer p.mu.RUnlock()
	n := 0
	for _, t := range p.tracks {
		n += t.Seconds
	}
	return n
}
