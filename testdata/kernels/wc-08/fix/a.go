// Package a shares open map tiles between renderers.
package a

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// Key addresses a tile.
type Key struct {
	Zoom, X, Y int
}

func (k Key) String() string { return fmt.Sprintf("%d/%d/%d", k.Zoom, k.X, k.Y) }

// Source is an open tile file.
type Source interface {
	io.ReaderAt
	io.Closer
}

// Tile is a tile that is in use by at least one renderer.
type Tile struct {
	key  Key
	src  Source
	refs atomic.Int32
}

// Pixels reads part of the tile.
func (t *Tile) Pixels(buf []byte, off int64) (int, error) {
	n, err := t.src.ReadAt(buf, off)
	if err != nil && err != io.EOF {
		return n, fmt.Errorf("tile %s: %w", t.key, err)
	}
	return n, nil
}

// Atlas keeps each tile open once, however many renderers use it.
type Atlas struct {
	open func(Key) (Source, error)

	mu    sync.Mutex
	tiles map[Key]*Tile
}

// NewAtlas returns an atlas that opens tiles with open.
func NewAtlas(open func(Key) (Source, error)) *Atlas {
	return &Atlas{open: open, tiles: make(map[Key]*Tile)}
}

// Acquire returns the tile for a key; the caller has to Release it.
func (a *Atlas) Acquire(k Key) (*Tile, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if t, ok := a.tiles[k]; ok {
		t.refs.Add(1)
		return t, nil
	}
	src, err := a.open(k)
	if err != nil {
		return nil, fmt.Errorf("open tile %s: %w", k, err)
	}
	t := &Tile{key: k, src: src}
	t.refs.Store(1)
	a.tiles[k] = t
	return t, nil
}

// Release gives a tile back. The last user closes the file.
func (a *Atlas) Release(t *Tile) error {
	a.mu.Lock()
	if t.refs.Add(-1) > 0 {
		a.mu.Unlock()
		return nil
	}
	delete(a.tiles, t.key)
	a.mu.Unlock()
	return t.src.Close()
}

// OpenTiles is the number of tiles in use.
func (a *Atlas) OpenTiles() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.tiles)
}
