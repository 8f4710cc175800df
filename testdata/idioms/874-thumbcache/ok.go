// Package thumbs serves the thumbnails of uploaded pictures. Pictures are
// stored under the hash of their content and are never changed.
package thumbs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/jpeg"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
)

// Blobs is the picture store.
type Blobs interface {
	Get(ctx context.Context, sum string) ([]byte, error)
}

// Thumb is a rendered thumbnail. It is not modified after rendering.
type Thumb struct {
	JPEG []byte
	ETag string
}

type key struct {
	sum   string
	width int
}

// Cache renders thumbnails and keeps them. It is safe for concurrent use.
type Cache struct {
	blobs    Blobs
	thumbs   sync.Map // key -> *Thumb
	rendered atomic.Int64
}

// NewCache returns a cache of thumbnails of the pictures in b.
func NewCache(b Blobs) *Cache { return &Cache{blobs: b} }

// Get returns the thumbnail of the picture sum with the given width.
func (c *Cache) Get(ctx context.Context, sum string, width int) (*Thumb, error) {
	k := key{sum, width}
	if t, ok := c.thumbs.Load(k); ok {
		return t.(*Thumb), nil
	}
	t, err := c.render(ctx, k)
	if err != nil {
		return nil, err
	}
	kept, _ := c.thumbs.LoadOrStore(k, t)
	return kept.(*Thumb), nil
}

// render makes the thumbnail of k from the picture.
func (c *Cache) render(ctx context.Context, k key) (*Thumb, error) {
	raw, err := c.blobs.Get(ctx, k.sum)
	if err != nil {
		return nil, fmt.Errorf("thumbs: %s: %w", k.sum, err)
	}
	src, _, err := image.Decode(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("thumbs: %s: %w", k.sum, err)
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, scale(src, k.width), &jpeg.Options{Quality: 80}); err != nil {
		return nil, fmt.Errorf("thumbs: %s: %w", k.sum, err)
	}
	c.rendered.Add(1)
	sum := sha256.Sum256(out.Bytes())
	return &Thumb{JPEG: out.Bytes(), ETag: `"` + hex.EncodeToString(sum[:8]) + `"`}, nil
}

// scale picks the nearest source pixel for every pixel of the result.
func scale(src image.Image, width int) image.Image {
	b := src.Bounds()
	if b.Dx() <= width {
		return src
	}
	height := max(b.Dy()*width/b.Dx(), 1)
	dst := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			dst.Set(x, y, src.At(b.Min.X+x*b.Dx()/width, b.Min.Y+y*b.Dy()/height))
		}
	}
	return dst
}

// Warm renders the usual sizes of a picture in the background of an upload.
func (c *Cache) Warm(ctx context.Context, sum string) {
	for _, w := range []int{160, 320, 640} {
		go c.Get(ctx, sum, w)
	}
}

// Rendered returns how many thumbnails have been rendered.
func (c *Cache) Rendered() int64 { return c.rendered.Load() }

// ServeHTTP serves /?sum=<hash>&w=<width>.
func (c *Cache) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	width, err := strconv.Atoi(r.FormValue("w"))
	if err != nil || width < 16 || width > 1024 {
		http.Error(w, "bad width", http.StatusBadRequest)
		return
	}
	t, err := c.Get(r.Context(), r.FormValue("sum"), width)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	if r.Header.Get("If-None-Match") == t.ETag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("ETag", t.ETag)
	w.Header().Set("Content-Type", "image/jpeg")
	w.Write(t.JPEG)
}
