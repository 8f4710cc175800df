// Package a renders thumbnails of photographs on demand.
package a

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

type state int

const (
	absent state = iota
	rendering
	ready
)

// Renderer scales a photograph.
type Renderer interface {
	Render(ctx context.Context, photo string, width int) ([]byte, error)
}

type slot struct {
	state state
	image []byte
}

// Thumbs holds the thumbnails that were rendered.
type Thumbs struct {
	renderer Renderer
	width    int

	mu    sync.Mutex
	slots map[string]*slot
}

var (
	// ErrRendering is returned while somebody else renders the photograph.
	ErrRendering = errors.New("thumbnail is being rendered")
	// ErrNotReady is returned for a thumbnail that does not exist yet.
	ErrNotReady = errors.New("thumbnail is not ready")
)

// NewThumbs returns an empty store.
func NewThumbs(r Renderer, width int) *Thumbs {
	return &Thumbs{renderer: r, width: width, slots: make(map[string]*slot)}
}

func (t *Thumbs) claim(photo string) (state, []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.slots[photo]
	if !ok {
		t.slots[photo] = &slot{state: rendering}
		return absent, nil
	}
	return s.state, s.image
}

func (t *Thumbs) settle(photo string, image []byte, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		delete(t.slots, photo)
		return
	}
	s := t.slots[photo]
	s.state = ready
	s.image = image
}

// Make returns the thumbnail of a photograph, rendering it when needed.
func (t *Thumbs) Make(ctx context.Context, photo string) ([]byte, error) {
	switch st, image := t.claim(photo); st {
	case ready:
		return image, nil
	case rendering:
		return nil, ErrRendering
	}
	image, err := t.renderer.Render(ctx, photo, t.width)
	if err == nil && len(image) == 0 {
		err = errors.New("empty image")
	}
	t.settle(photo, image, err)
	if err != nil {
		return nil, fmt.Errorf("render %s: %w", photo, err)
	}
	return image, nil
}

// Peek returns a thumbnail if it exists.
func (t *Thumbs) Peek(photo string) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.slots[photo]
	if !ok || s.state != ready {
		return nil, ErrNotReady
	}
	return s.image, nil
}
