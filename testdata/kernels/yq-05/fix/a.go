package a

import (
	"context"
	"errors"
	"log"
	"sync"
	"time"
)

var (
	ErrConflict = errors.New("doc: revision has moved on")
	ErrRange    = errors.New("doc: position out of range")
)

// Store is where documents rest.
type Store interface {
	Load(ctx context.Context, id string) (text string, rev int, err error)
	Save(ctx context.Context, id, text string, rev int) error
}

// Doc is a document that is being edited by several people.
type Doc struct {
	ID string

	ready chan struct{} // closed when the document is loaded, or err is set
	err   error

	mu    sync.Mutex
	text  []rune
	rev   int
	dirty bool
}

// Text gives the content and the revision that an edit has to name.
func (d *Doc) Text() (string, int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return string(d.text), d.rev
}

func (d *Doc) restore(text string, rev int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.text, d.rev = []rune(text), rev
}

// Splice replaces n runes at pos.
func (d *Doc) Splice(base, pos, n int, with string) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if base != d.rev {
		return d.rev, ErrConflict
	}
	if pos < 0 || n < 0 || pos+n > len(d.text) {
		return d.rev, ErrRange
	}
	next := append([]rune(nil), d.text[:pos]...)
	next = append(next, []rune(with)...)
	d.text = append(next, d.text[pos+n:]...)
	d.rev++
	d.dirty = true
	return d.rev, nil
}

func (d *Doc) cut() (text string, rev int, dirty bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	dirty, d.dirty = d.dirty, false
	return string(d.text), d.rev, dirty
}

func (d *Doc) markDirty() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dirty = true
}

// Hub keeps the documents that are open.
type Hub struct {
	store Store

	mu   sync.Mutex
	docs map[string]*Doc

	flushing sync.Mutex // one Flush at a time
}

func NewHub(s Store) *Hub {
	return &Hub{store: s, docs: make(map[string]*Doc)}
}

// Open returns the document, which is loaded when it is opened first.
func (h *Hub) Open(ctx context.Context, id string) (*Doc, error) {
	h.mu.Lock()
	d, ok := h.docs[id]
	if ok {
		h.mu.Unlock()
		select {
		case <-d.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if d.err != nil {
			return nil, d.err
		}
		return d, nil
	}
	d = &Doc{ID: id, ready: make(chan struct{})}
	h.docs[id] = d
	h.mu.Unlock()
	defer close(d.ready)

	text, rev, err := h.store.Load(ctx, id)
	if err != nil {
		h.mu.Lock()
		delete(h.docs, id)
		h.mu.Unlock()
		d.err = err
		return nil, err
	}
	d.restore(text, rev)
	return d, nil
}

func (h *Hub) opened() []*Doc {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]*Doc, 0, len(h.docs))
	for _, d := range h.docs {
		out = append(out, d)
	}
	return out
}

// Flush saves the documents that have been edited.
func (h *Hub) Flush(ctx context.Context) {
	h.flushing.Lock()
	defer h.flushing.Unlock()
	for _, d := range h.opened() {
		text, rev, dirty := d.cut()
		if !dirty {
			continue
		}
		if err := h.store.Save(ctx, d.ID, text, rev); err != nil {
			log.Printf("doc %s: %v", d.ID, err)
			d.markDirty()
		}
	}
}

// Run flushes until ctx ends, and one last time then.
func (h *Hub) Run(ctx context.Context) {
	t := time.NewTicker(2 * time.Second)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			h.Flush(context.WithoutCancel(ctx))
			return
		case <-t.C:
			h.Flush(ctx)
		}
	}
}
