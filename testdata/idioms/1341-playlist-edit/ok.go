// Package ok keeps the playlist of a party.
package ok

import (
	"errors"
	"slices"
	"sync"
)

var ErrNoTrack = errors.New("playlist: no such track")

// Track is a song somebody wished for.
type Track struct {
	ID    string
	Title string
	By    string
}

// tracks is the list; its lock is held for short looks only.
type tracks struct {
	mu   sync.RWMutex
	list []Track
}

func (t *tracks) position(id string) int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.IndexFunc(t.list, func(x Track) bool { return x.ID == id })
}

func (t *tracks) insert(at int, x Track) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list = slices.Insert(t.list, at, x)
}

func (t *tracks) cut(at int) Track {
	t.mu.Lock()
	defer t.mu.Unlock()
	x := t.list[at]
	t.list = slices.Delete(t.list, at, at+1)
	return x
}

func (t *tracks) len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.list)
}

func (t *tracks) all() []Track {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.Clone(t.list)
}

// Journal notes changes; it may be slow.
type Journal interface {
	Note(what, id string) error
}

// Playlist is edited by guests and played from the front. All changes are made
// with edit held; those who only look at the list do not wait for the journal.
type Playlist struct {
	edit    sync.Mutex
	tracks  tracks
	journal Journal
}

func New(j Journal) *Playlist {
	return &Playlist{journal: j}
}

// Add puts a track at the end.
func (p *Playlist) Add(t Track) error {
	p.edit.Lock()
	defer p.edit.Unlock()
	if err := p.journal.Note("add", t.ID); err != nil {
		return err
	}
	p.tracks.insert(p.tracks.len(), t)
	return nil
}

// Promote makes a track the next one.
func (p *Playlist) Promote(id string) error {
	return p.change("promote", id, func(at int) {
		p.tracks.insert(0, p.tracks.cut(at))
	})
}

// Drop takes a track out.
func (p *Playlist) Drop(id string) error {
	return p.change("drop", id, func(at int) { p.tracks.cut(at) })
}

func (p *Playlist) change(what, id string, do func(at int)) error {
	p.edit.Lock()
	defer p.edit.Unlock()
	at := p.tracks.position(id)
	if at < 0 {
		return ErrNoTrack
	}
	if err := p.journal.Note(what, id); err != nil {
		return err
	}
	do(at)
	return nil
}

// Next takes the track at the front.
func (p *Playlist) Next() (Track, bool) {
	p.edit.Lock()
	defer p.edit.Unlock()
	if p.tracks.len() == 0 {
		return Track{}, false
	}
	return p.tracks.cut(0), true
}

// List shows what is to come. While a track is promoted it may be missing.
func (p *Playlist) List() []Track { return p.tracks.all() }
