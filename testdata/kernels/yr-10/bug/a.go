// Package pad is the server side of a shared text pad with autosave.
package pad

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"sync"
	"time"
)

var errRange = errors.New("pad: edit out of range")

// Backend persists pads.
type Backend interface {
	Write(ctx context.Context, id string, text []byte) error
}

// Pad is edited by any number of clients.
type Pad struct {
	id      string
	backend Backend

	mu    sync.Mutex
	text  []byte
	dirty bool // text differs from what the backend has
}

// Open returns a pad and starts its autosave loop.
func Open(ctx context.Context, id string, text []byte, b Backend, every time.Duration) *Pad {
	p := &Pad{id: id, text: text, backend: b}
	go p.autosave(ctx, every)
	return p
}

// Insert puts s at the given offset.
func (p *Pad) Insert(at int, s []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at < 0 || at > len(p.text) {
		return errRange
	}
	next := make([]byte, 0, len(p.text)+len(s))
	next = append(next, p.text[:at]...)
	next = append(next, s...)
	p.text = append(next, p.text[at:]...)
	p.dirty = true
	return nil
}

// Replace sets the whole text.
func (p *Pad) Replace(text []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = text
	p.dirty = true
}

// ServeHTTP handles PUT /pads/{id}.
func (p *Pad) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.Replace(text)
	w.WriteHeader(http.StatusNoContent)
}

func (p *Pad) autosave(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			p.save(context.WithoutCancel(ctx))
			return
		case <-tick.C:
			p.save(ctx)
		}
	}
}

// save writes the pad if it was edited. Only the autosave loop calls it.
func (p *Pad) save(ctx context.Context) {
	text, ok := p.unsaved()
	if !ok {
		return
	}
	if err := p.backend.Write(ctx, p.id, text); err != nil {
		log.Printf("pad %s: %v", p.id, err)
		return
	}
	p.setDirty(false)
}

// unsaved returns the text to be written. The bytes are never modified in place.
func (p *Pad) unsaved() ([]byte, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.dirty {
		return nil, false
	}
	return p.text, true
}

func (p *Pad) setDirty(v bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dirty = v
}
