// Package toggle has flags, and the variables that are only written while the flag is set.
package toggle

import "sync"

// A Gate is opened and shut again.
type Gate struct {
	turn  sync.Mutex
	mu    sync.Mutex
	open  bool
	queue []string
}

func (g *Gate) Join(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open {
		g.queue = append(g.queue, name)
	}
}

func (g *Gate) clear() {
	g.mu.Lock()
	g.queue = nil
	g.mu.Unlock()
}

// Set may clear the queue of the next opening.
func (g *Gate) Set(open bool) {
	g.mu.Lock()
	g.open = open
	g.mu.Unlock()
	if !open {
		g.clear() // want `split-write: g\.open at line 31 and g\.queue here are written apart.* if g\.open is switched again in between`
	}
}

func (g *Gate) SetAtOnce(open bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = open
	if !open {
		g.queue = nil
	}
}

// A Door is opened and shut by one goroutine at a time.
type Door struct {
	turn  sync.Mutex
	mu    sync.Mutex
	open  bool
	queue []string
}

func (d *Door) Join(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open {
		d.queue = append(d.queue, name)
	}
}

func (d *Door) Set(open bool) {
	d.turn.Lock()
	defer d.turn.Unlock()
	d.mu.Lock()
	d.open = open
	d.mu.Unlock()
	if !open {
		d.mu.Lock()
		d.queue = nil
		d.mu.Unlock()
	}
}

// A Booth is shut for good.
type Booth struct {
	mu    sync.Mutex
	shut  bool
	queue []string
}

func (b *Booth) Join(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.shut {
		return
	}
	b.queue = append(b.queue, name)
}

func (b *Booth) Shut() {
	b.mu.Lock()
	b.shut = true
	b.mu.Unlock()
	b.mu.Lock()
	b.queue = nil
	b.mu.Unlock()
}

// A Kiosk is shut for good, but its queue is also written by those who do not ask.
type Kiosk struct {
	mu    sync.Mutex
	shut  bool
	queue []string
}

func (k *Kiosk) Join(name string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.queue = append(k.queue, name)
	return !k.shut && len(k.queue) < 10
}

func (k *Kiosk) Shut() {
	k.mu.Lock()
	k.shut = true
	k.mu.Unlock()
	k.mu.Lock()
	k.queue = nil // want `split-write: k\.shut at line 117 and k\.queue here are written apart`
	k.mu.Unlock()
}

// A Wall has tiles that several workers paint.
type Wall struct {
	mu    sync.Mutex
	tiles map[string]*tile
}

type tile struct{ busy, dirty bool }

func (w *Wall) next() *tile {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.tiles {
		if t.dirty && !t.busy {
			t.busy, t.dirty = true, false
			return t
		}
	}
	return nil
}

func (w *Wall) release(t *tile) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t.busy = false
}

func (w *Wall) retry(t *tile) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t.dirty = true
}

// Paint has claimed the tile: nobody looks at it until it is released.
func (w *Wall) Paint(paint func(*tile) error) {
	t := w.next()
	if t == nil {
		return
	}
	w.paint(t, paint)
}

func (w *Wall) paint(t *tile, paint func(*tile) error) {
	defer w.release(t)
	if paint(t) != nil {
		w.retry(t)
	}
}
