package a

import (
	"errors"
	"image"
	"sync"
)

var errAborted = errors.New("thumbnail: rendering was aborted")

// Render draws the thumbnail of a photo. Photos never change once stored.
type Render func(photo string) (image.Image, error)

type call struct {
	done chan struct{}
	img  image.Image
	err  error
}

// Thumbs renders each thumbnail once and keeps it.
type Thumbs struct {
	render Render

	mu       sync.Mutex
	ready    map[string]image.Image
	running  map[string]*call
	rendered int
}

// NewThumbs returns an empty thumbnail cache.
func NewThumbs(render Render) *Thumbs {
	return &Thumbs{
		render:  render,
		ready:   make(map[string]image.Image),
		running: make(map[string]*call),
	}
}

// Get returns the thumbnail of a photo.
func (t *Thumbs) Get(photo string) (image.Image, error) {
	t.mu.Lock()
	if img, ok := t.ready[photo]; ok {
		t.mu.Unlock()
		return img, nil
	}
	if c, ok := t.running[photo]; ok {
		t.mu.Unlock()
		<-c.done
		return c.img, c.err
	}
	c := &call{done: make(chan struct{}), err: errAborted}
	t.running[photo] = c
	t.mu.Unlock()

	t.do(photo, c)
	return c.img, c.err
}

// do renders for the caller that registered c.
func (t *Thumbs) do(photo string, c *call) {
	defer t.settle(photo, c)
	c.img, c.err = t.render(photo)
}

func (t *Thumbs) settle(photo string, c *call) {
	t.mu.Lock()
	if c.err == nil {
		t.ready[photo] = c.img
		t.rendered++
	}
	delete(t.running, photo)
	t.mu.Unlock()
	close(c.done)
}

// Rendered returns the number of thumbnails that were drawn.
func (t *Thumbs) Rendered() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rendered
}
