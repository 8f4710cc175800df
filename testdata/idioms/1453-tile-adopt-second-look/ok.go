package a

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"sync"
	"time"
)

// Key names a tile of a map layer.
type Key struct {
	Layer   string
	Z, X, Y int
}

// Tile is a rendered tile. It has an identity: clients that ask for the same
// tile get the same ETag as long as it is in the cache.
type Tile struct {
	ETag    string
	Body    []byte
	expires time.Time
}

// Renderer draws tiles.
type Renderer interface {
	Draw(ctx context.Context, k Key) ([]byte, error)
}

// Tiles is a cache of rendered tiles.
type Tiles struct {
	renderer Renderer
	ttl      time.Duration

	state struct {
		sync.RWMutex
		tiles map[Key]*Tile
		next  int
	}
}

func NewTiles(r Renderer, ttl time.Duration) *Tiles {
	t := &Tiles{renderer: r, ttl: ttl}
	t.state.tiles = make(map[Key]*Tile)
	return t
}

func (t *Tiles) lookup(k Key) *Tile {
	t.state.RLock()
	defer t.state.RUnlock()
	tile := t.state.tiles[k]
	if tile == nil || time.Now().After(tile.expires) {
		return nil
	}
	return tile
}

// adopt puts the body into the cache, unless somebody else was faster.
func (t *Tiles) adopt(k Key, body []byte) *Tile {
	t.state.Lock()
	defer t.state.Unlock()
	now := time.Now()
	if tile := t.state.tiles[k]; tile != nil && !now.After(tile.expires) {
		return tile
	}
	t.state.next++
	tile := &Tile{
		ETag:    fmt.Sprintf(`"%x-%d"`, now.Unix(), t.state.next),
		Body:    body,
		expires: now.Add(t.ttl),
	}
	t.state.tiles[k] = tile
	return tile
}

// Get returns the tile, which is drawn if it is not in the cache.
func (t *Tiles) Get(ctx context.Context, k Key) (*Tile, error) {
	if tile := t.lookup(k); tile != nil {
		return tile, nil
	}
	body, err := t.renderer.Draw(ctx, k)
	if err != nil {
		return nil, err
	}
	return t.adopt(k, body), nil
}

// Prune drops the tiles that have expired.
func (t *Tiles) Prune(now time.Time) int {
	t.state.Lock()
	defer t.state.Unlock()
	n := 0
	for k, tile := range t.state.tiles {
		if now.After(tile.expires) {
			delete(t.state.tiles, k)
			n++
		}
	}
	return n
}

func (t *Tiles) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	k := Key{Layer: r.PathValue("layer")}
	if _, err := fmt.Sscanf(r.PathValue("zxy"), "%d-%d-%d", &k.Z, &k.X, &k.Y); err != nil {
		http.NotFound(w, r)
		return
	}
	tile, err := t.Get(r.Context(), k)
	if errors.Is(err, context.Canceled) {
		return
	}
	if err != nil {
		log.Printf("tile %v: %v", k, err)
		http.Error(w, "cannot draw", http.StatusInternalServerError)
		return
	}
	w.Header().Set("ETag", tile.ETag)
	if r.Header.Get("If-None-Match") == tile.ETag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Write(tile.Body)
}
