package grid

import (
	"image"
	"sync"
)

type layout struct{ w, h int }

type pixels struct{ buf []uint32 }

// Canvas is a resizable frame buffer shared by painters and a presenter.
type Canvas struct {
	guard *sync.RWMutex
	lay   layout
	pix   *pixels
}

func NewCanvas(w, h int) *Canvas {
	return &Canvas{
		guard: new(sync.RWMutex),
		lay:   layout{w, h},
		pix:   &pixels{buf: make([]uint32, w*h)},
	}
}

func (c *Canvas) shared() (release func()) {
	c.guard.RLock()
	return c.guard.RUnlock
}

func (c *Canvas) exclusive() (release func()) {
	c.guard.Lock()
	return c.guard.Unlock
}

// Resize changes the dimensions and clears the picture.
func (c *Canvas) Resize(w, h int) {
	defer c.exclusive()()
	c.lay = layout{w, h}
	c.pix.buf = make([]uint32, w*h)
}

func (c *Canvas) Bounds() image.Rectangle {
	defer c.shared()()
	return image.Rect(0, 0, c.lay.w, c.lay.h)
}

// Fill paints the part of r that lies on the canvas.
func (c *Canvas) Fill(r image.Rectangle, colour uint32) {
	release := c.exclusive()
	defer release()
	area := image.Rect(0, 0, c.lay.w, c.lay.h)
	r = r.Intersect(area)
	if r.Empty() {
		return
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := c.pix.buf[y*area.Dx():][:area.Dx()]
		for x := r.Min.X; x < r.Max.X; x++ {
			row[x] = colour
		}
	}
}

// Present copies the frame out, row by row.
func (c *Canvas) Present(line func(y int, row []uint32)) {
	defer c.shared()()
	for y := range c.lay.h {
		line(y, c.pix.buf[y*c.lay.w:(y+1)*c.lay.w])
	}
}
