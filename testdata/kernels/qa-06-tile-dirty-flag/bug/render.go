// Package render keeps pre-rendered map tiles up to date with edits of the map.
package render

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// TileID is a tile of the slippy map.
type TileID struct{ Z, X, Y int }

// parent returns the tile one zoom level up.
func (t TileID) parent() TileID { return TileID{t.Z - 1, t.X / 2, t.Y / 2} }

// Feature is a drawable object.
type Feature struct {
	Kind string
	WKB  []byte
}

// Source queries the map database.
type Source interface {
	Features(ctx context.Context, id TileID) ([]Feature, error)
}

// Painter turns features into an image.
type Painter interface {
	Paint(w *bytes.Buffer, id TileID, fs []Feature) error
}

type tile struct {
	image   []byte
	painted time.Time
	dirty   bool
	busy    bool
}

// Cache holds the tiles of a layer.
type Cache struct {
	source  Source
	painter Painter
	log     *slog.Logger

	mu    sync.Mutex
	tiles map[TileID]*tile
	wake  chan struct{}
}

// NewCache returns an empty cache.
func NewCache(s Source, p Painter, log *slog.Logger) *Cache {
	return &Cache{source: s, painter: p, log: log,
		tiles: make(map[TileID]*tile), wake: make(chan struct{}, 1)}
}

// Image returns the image of a tile as it was painted last.
func (c *Cache) Image(id TileID) ([]byte, time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, ok := c.tiles[id]
	if !ok || t.image == nil {
		return nil, time.Time{}, false
	}
	return t.image, t.painted, true
}

// Touch is called by the replication feed for each tile an edit falls in.
// Tiles of lower zoom levels show the edit too.
func (c *Cache) Touch(id TileID) {
	c.mu.Lock()
	for ; id.Z >= 0; id = id.parent() {
		t, ok := c.tiles[id]
		if !ok {
			t = &tile{}
			c.tiles[id] = t
		}
		t.dirty = true
	}
	c.mu.Unlock()
	c.poke()
}

func (c *Cache) poke() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// next picks a tile to paint.
func (c *Cache) next() (TileID, *tile, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, t := range c.tiles {
		if t.dirty && !t.busy {
			t.busy = true
			return id, t, true
		}
	}
	return TileID{}, nil, false
}

func (c *Cache) paint(ctx context.Context, id TileID, t *tile) error {
	defer c.release(t)
	fs, err := c.source.Features(ctx, id)
	if err != nil {
		return fmt.Errorf("features of %v: %w", id, err)
	}
	var buf bytes.Buffer
	if err := c.painter.Paint(&buf, id, fs); err != nil {
		return fmt.Errorf("paint %v: %w", id, err)
	}
	c.finish(t, buf.Bytes())
	return nil
}

func (c *Cache) finish(t *tile, image []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t.image, t.painted = image, time.Now()
	t.dirty = false
}

func (c *Cache) release(t *tile) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t.busy = false
}

// Run paints with some workers until ctx is done.
func (c *Cache) Run(ctx context.Context, workers int) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() { c.work(ctx) })
	}
	wg.Wait()
}

func (c *Cache) work(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		for ctx.Err() == nil {
			id, t, ok := c.next()
			if !ok {
				break
			}
			if err := c.paint(ctx, id, t); err != nil {
				c.log.Warn("tile not painted", "err", err)
				break
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-c.wake:
		}
	}
}
