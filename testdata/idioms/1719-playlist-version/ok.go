// Package a keeps the running order of a radio channel.
package a

import (
	"context"
	"slices"
	"sync"
)

// Track is an item of the running order.
type Track struct {
	ID     string
	Artist string
}

// Playlist is the running order; the player takes tracks from its front.
type Playlist struct {
	mu      sync.Mutex
	tracks  []Track
	version uint64 // raised by every change of tracks
}

// New returns an empty running order.
func New() *Playlist {
	return &Playlist{}
}

// Append puts tracks at the end.
func (p *Playlist) Append(ts ...Track) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tracks = append(p.tracks, ts...)
	p.version++
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
	p.version++
	return t, true
}

// Reorder arranges the list anew with arrange, which returns a permutation
// of its argument and may take a while. The list can be changed meanwhile;
// in this case arrange is asked again.
func (p *Playlist) Reorder(ctx context.Context, arrange func([]Track) []Track) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		tracks, version := p.snapshot()
		if p.install(arrange(tracks), version) {
			return nil
		}
	}
}

func (p *Playlist) snapshot() ([]Track, uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.tracks), p.version
}

func (p *Playlist) install(tracks []Track, version uint64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.version != version {
		return false
	}
	p.tracks = slices.Clone(tracks)
	p.version++
	return true
}

// SpreadArtists moves tracks so that an artist does not follow himself, as
// far as this is possible from the front on.
func SpreadArtists(tracks []Track) []Track {
	for i := 1; i < len(tracks); i++ {
		if tracks[i].Artist != tracks[i-1].Artist {
			continue
		}
		for j := i + 1; j < len(tracks); j++ {
			if tracks[j].Artist != tracks[i-1].Artist {
				tracks[i], tracks[j] = tracks[j], tracks[i]
				break
			}
		}
	}
	return tracks
}

// Len returns the number of tracks.
func (p *Playlist) Len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.tracks)
}
